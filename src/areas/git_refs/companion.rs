//! The same references by the older paths that clients still use, and the
//! commits and tags that references lead to.

use async_trait::async_trait;

use super::judging::not_empty;
use super::listing::Listing;
use super::view::View;
use super::{GitRefs, rules};
use crate::access::RepositoryGrant;
use crate::access::policy::Operation;
use crate::contract::body::Body;
use crate::contract::call::Call;
use crate::contract::git_data::{FoundRefs, GitCommit, GitTag, Operations};
use crate::contract::git_refs::{GitRef, Operations as _, UpdateRef};
use crate::contract::problem::Problem;
use crate::contract::reply::{Empty, Outcome, Reply};
use crate::contract::shared::address::RepoAddress;
use crate::contract::values::Timestamp;
use crate::entities::git_object::Kind;
use crate::git::Sha;
use crate::git::objects::Object;
use crate::git::store::load;

#[async_trait]
impl Operations for GitRefs {
    async fn list_refs(&self, call: Call, at: RepoAddress) -> Outcome<Reply<200, Vec<GitRef>>> {
        self.list_matching_refs(call, at, String::new()).await
    }

    async fn list_all_matching_refs(
        &self,
        call: Call,
        at: RepoAddress,
    ) -> Outcome<Reply<200, Vec<GitRef>>> {
        self.list_matching_refs(call, at, String::new()).await
    }

    async fn find_refs(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
    ) -> Outcome<Reply<200, FoundRefs>> {
        let grant = self.readable(&call, &at).await?;
        let found = self.find(&call, &grant, &name).await?;
        let pushed_at = self.pushed_at(&grant).await?;
        Ok(self.dated(found, &grant, pushed_at))
    }

    async fn update_ref_alias(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
        body: Body<UpdateRef>,
    ) -> Outcome<Reply<200, GitRef>> {
        self.update_ref(call, at, name, body).await
    }

    async fn delete_ref_alias(&self, call: Call, at: RepoAddress, name: String) -> Outcome<Empty> {
        self.delete_ref(call, at, name).await
    }

    async fn get_commit(
        &self,
        call: Call,
        at: RepoAddress,
        sha: String,
    ) -> Outcome<Reply<200, GitCommit>> {
        let access = &self.app.access;
        let grant = access.repository(&call, Operation::GetCommit, &at).await?;
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
        let access = &self.app.access;
        let grant = access.repository(&call, Operation::GetTag, &at).await?;
        let (sha, object) = self.object(&grant, &sha, Kind::Tag).await?;
        let tag = View::new(&call, &grant).tag(sha, &object)?;
        let made = tag.tagger.0.as_ref().map(|tagger| tagger.date);
        Ok(self.dated_object(Reply::new(tag), &grant, made))
    }
}

impl GitRefs {
    /// In byte order a name comes before all that it begins, so the first one
    /// tells whether it is there.
    async fn find(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        name: &str,
    ) -> Outcome<Reply<200, FoundRefs>> {
        let full = rules::full_name(name);
        let row = self.find_ref(grant, &full).await?;
        if let Some(one) = row {
            let one = View::new(call, grant).git_ref(one.name, one.sha, one.kind);
            return Ok(Reply::new(FoundRefs::One(one)));
        }
        match self.list(call, grant, name).await? {
            Listing::Few(found) if found.is_empty() => Err(Problem::NotFound),
            // It was made since it was looked for.
            Listing::Few(mut found) if found.first().is_some_and(|first| first.name == full) => {
                Ok(Reply::new(FoundRefs::One(found.swap_remove(0))))
            }
            found => Ok(self.reply(call, grant, found, FoundRefs::Many)),
        }
    }

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
