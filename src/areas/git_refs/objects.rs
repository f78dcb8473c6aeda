//! The objects that references lead to.

use async_trait::async_trait;

use super::GitRefs;
use super::judging::not_empty;
use super::view::View;
use crate::access::RepositoryGrant;
use crate::contract::call::Call;
use crate::contract::git_objects::{GitCommit, GitTag, Operations};
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::contract::shared::address::RepoAddress;
use crate::contract::values::Timestamp;
use crate::entities::git_object::Kind;
use crate::git::Sha;
use crate::git::objects::Object;
use crate::git::store::load;

#[async_trait]
impl Operations for GitRefs {
    async fn get_commit(
        &self,
        call: Call,
        at: RepoAddress,
        sha: String,
    ) -> Outcome<Reply<200, GitCommit>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (sha, object) = self.object(&grant, &sha, Kind::Commit).await?;
        let commit = View::new(&call, &grant).commit(sha, &object)?;
        let made = commit.committer.date;
        Ok(self.dated_object(Reply::new(commit), &grant, Some(made)))
    }

    async fn get_tag(
        &self,
        call: Call,
        at: RepoAddress,
        sha: String,
    ) -> Outcome<Reply<200, GitTag>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (sha, object) = self.object(&grant, &sha, Kind::Tag).await?;
        let tag = View::new(&call, &grant).tag(sha, &object)?;
        let made = tag.tagger.0.as_ref().map(|tagger| tagger.date);
        Ok(self.dated_object(Reply::new(tag), &grant, made))
    }
}

impl GitRefs {
    /// Says when an object was made, or the names in its addresses changed. It never
    /// changes itself, so a date of its own that has not come yet says nothing.
    fn dated_object<T>(
        &self,
        reply: Reply<200, T>,
        grant: &RepositoryGrant,
        made: Option<Timestamp>,
    ) -> Reply<200, T> {
        let now = self.app.clock.now();
        let named = Timestamp(grant.repository.updated_at.max(grant.owner.updated_at));
        match made {
            Some(made) if made >= now => reply.last_modified(named, now).for_now(),
            made => reply.last_modified(made.map_or(named, |made| made.max(named)), now),
        }
    }

    /// The object of that kind. What is not 40 hexadecimal digits names nothing.
    async fn object(
        &self,
        grant: &RepositoryGrant,
        sha: &str,
        kind: Kind,
    ) -> Outcome<(Sha, Object)> {
        let reads = self.refs(grant).await;
        not_empty(reads, grant, None).await?;
        let sha: Sha = sha.parse().map_err(|_| Problem::NotFound)?;
        let object = load(reads, grant.repository.id, sha).await?;
        match object.filter(|object| object.kind == kind) {
            Some(object) => Ok((sha, object)),
            None => Err(Problem::NotFound),
        }
    }
}
