//! The objects that references lead to.

use async_trait::async_trait;

use super::checks::not_empty;
use super::view::View;
use super::{GitRefs, rules};
use crate::access::RepositoryGrant;
use crate::contract::call::Call;
use crate::contract::git_objects::{GitCommit, GitTag, GitTree, Operations};
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::contract::shared::address::RepoAddress;
use crate::contract::values::Timestamp;
use crate::entities::git_object::Kind;
use crate::git::objects::Object;
use crate::git::store::{load, load_commit};
use crate::git::tree_listing::{ListingLimit, TreeListing, list};
use crate::git::{GitError, Sha};
use crate::heavy;
use crate::refs::store;
use crate::refs::target::Target;

/// Entries and bytes of a tree that are returned at most, as at GitHub.
const MOST_ENTRIES: usize = 100_000;
const MOST_BYTES: usize = 7_000_000;

/// Entries that are written in place; more of them would hold up other requests.
const FEW_ENTRIES: usize = 1000;

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

    async fn get_tree(
        &self,
        call: Call,
        at: RepoAddress,
        tree_sha: String,
        recursive: Option<String>,
    ) -> Outcome<Reply<200, GitTree>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (id, reads) = (grant.repository.id, self.refs(&grant).await);
        let named = self.named(&grant, &tree_sha).await?;
        let tree = match named.kind {
            Kind::Commit => load_commit(reads, id, named.sha).await?.tree,
            Kind::Tree => named.sha,
            Kind::Blob | Kind::Tag => return Err(rules::no_tree()),
        };
        let view = View::new(&call, &grant);
        let limit = ListingLimit {
            entries: MOST_ENTRIES,
            bytes: MOST_BYTES,
            overhead: view.tree_entry_overhead(),
        };
        let listing = list(reads, id, tree, recursive.is_some(), limit);
        let listing = heavy::with_permit(listing)
            .await
            .map_err(|error| match error {
                GitError::Missing(_) => Problem::NotFound,
                other => other.into(),
            })?;
        if listing.entries.len() <= FEW_ENTRIES {
            return Ok(Reply::new(view.tree(named.sha, listing)));
        }
        let nothing = view.tree(named.sha, TreeListing::default());
        let json = heavy::compute(move || serde_json::to_vec(&view.tree(named.sha, listing))).await;
        let json = json
            .map_err(Problem::internal)?
            .map_err(Problem::internal)?;
        Ok(Reply::new(nothing).written(json))
    }
}

impl GitRefs {
    /// The object that a request names by its SHA-1 or by a reference, as Git looks one up,
    /// without the annotated tags around it.
    async fn named(&self, grant: &RepositoryGrant, name: &str) -> Outcome<Target> {
        let (id, reads) = (grant.repository.id, self.refs(grant).await);
        not_empty(reads, grant, None).await?;
        let mut found = Target::find(reads, id, name).await?;
        for folder in ["refs/", "refs/tags/", "refs/heads/"] {
            if found.is_none() {
                let row = store::find(reads, id, &format!("{folder}{name}")).await?;
                found = row.as_ref().map(Target::of).transpose()?;
            }
        }
        let found = found.ok_or(Problem::NotFound)?;
        found.peeled(reads, id).await?.ok_or_else(rules::no_tree)
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
            Some(made) if made >= now => reply.last_modified(named, now).uncacheable(),
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
