//! The operations: reads objects. `creation.rs` creates them.

mod creation;

use async_trait::async_trait;
use migration::aggregates::Kind as Aggregate;

use super::view::GitObjectView;
use super::{GitObjects, rules};
use crate::access::RepositoryGrant;
use crate::git_refs::revision::{not_empty, resolve};
use crate::views::stream::LargeFile;
use contract::body::{Body, LargeBody};
use contract::call::Call;
use contract::formed::Formed;
use contract::git_objects::{
    CreateBlob, CreateCommit, CreateTag, CreateTree, GitBlob, GitCommit, GitTag, GitTree,
    Operations, ShortBlob,
};
use contract::media::Form;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::shared::address::RepoAddress;
use contract::values::Timestamp;
use git::objects::Object;
use git::store::{heads, load, load_commit};
use git::target::RefTarget;
use git::tree_listing::{ListingLimit, TreeListing, list};
use git::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::heavy;

/// The most entries and bytes of a tree that are returned, as on GitHub.
pub(super) const MOST_SHOWN: ListingLimit = ListingLimit {
    entries: 100_000,
    bytes: 7_000_000,
    overhead: 0,
};

/// Larger files are sent piece by piece.
const SMALL_BLOB: i64 = 64 * 1024;

/// Where the content of a blob goes in JSON.
const NO_CONTENT: &str = "\"content\":\"\"";

/// Fewer entries are serialized on the current thread; more would block other requests.
const FEW_ENTRIES: usize = 1000;

#[async_trait]
impl Operations for GitObjects {
    async fn get_commit(
        &self,
        call: Call,
        at: RepoAddress,
        sha: String,
    ) -> Outcome<Reply<200, GitCommit>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (sha, object) = self.object(&grant, &sha, ObjectKind::Commit).await?;
        let commit = GitObjectView::new(&call, &grant).commit(sha, &object)?;
        let date = commit.committer.date;
        Ok(self.dated_object(Reply::new(commit), &grant, Some(date)))
    }

    async fn get_tag(
        &self,
        call: Call,
        at: RepoAddress,
        sha: String,
    ) -> Outcome<Reply<200, GitTag>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (sha, object) = self.object(&grant, &sha, ObjectKind::Tag).await?;
        let tag = GitObjectView::new(&call, &grant).tag(sha, &object)?;
        let date = tag.tagger.0.as_ref().map(|tagger| tagger.date);
        Ok(self.dated_object(Reply::new(tag), &grant, date))
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
        let target = self.resolve_target(&grant, &tree_sha).await?;
        let tree = match target.kind {
            ObjectKind::Commit => load_commit(reads, id, target.sha).await?.tree,
            ObjectKind::Tree => target.sha,
            ObjectKind::Blob | ObjectKind::Tag => return Err(rules::no_tree()),
        };
        let view = GitObjectView::new(&call, &grant);
        let limit = MOST_SHOWN.with_overhead(view.tree_entry_overhead());
        let listing = list(reads, id, tree, recursive.is_some(), limit);
        let listing = heavy::with_permit(listing).await.map_err(absent)?;
        if listing.entries.len() <= FEW_ENTRIES {
            return Ok(Reply::new(view.tree(target.sha, listing)));
        }
        let empty = view.tree(target.sha, TreeListing::default());
        let json =
            heavy::compute(move || serde_json::to_vec(&view.tree(target.sha, listing))).await;
        let json = json
            .map_err(Problem::internal)?
            .map_err(Problem::internal)?;
        Ok(Reply::new(empty).written(json))
    }

    async fn get_blob(&self, call: Call, at: RepoAddress, sha: String) -> Outcome<Formed<GitBlob>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let reads = self.refs(&grant).await;
        not_empty(reads, &grant).await?;
        let (sha, id): (Sha, _) = (
            sha.parse().map_err(|_| Problem::NotFound)?,
            grant.repository.id,
        );
        let heads = heads(reads, id, &[sha]).await?;
        let blob = heads.get(&sha).filter(|head| head.kind == ObjectKind::Blob);
        let size = blob.ok_or(Problem::NotFound)?.size;
        let (view, raw) = (
            GitObjectView::new(&call, &grant),
            call.form == Some(Form::Raw),
        );
        if size <= SMALL_BLOB {
            let object = load(reads, id, sha).await?.ok_or(Problem::NotFound)?;
            return Ok(match raw {
                true => Formed::Other(Form::Raw, object.content),
                false => Formed::Json(Reply::new(view.blob(sha, &object.content))),
            });
        }
        let file = LargeFile::load(reads, id, sha).await?;
        if raw {
            return Ok(Formed::Streamed(Form::Raw, file.raw(), sha.to_string()));
        }
        let mut nothing = view.blob(sha, b"");
        nothing.size = Some(size).into();
        let json = serde_json::to_string(&nothing).map_err(Problem::internal)?;
        let tag = Sha::of(ObjectKind::Blob, json.as_bytes()).to_string();
        let place = json.find(NO_CONTENT).map(|at| at + NO_CONTENT.len() - 1);
        let (start, end) = json.split_at(place.unwrap_or_default());
        let streamed = file.in_json(start.to_owned(), end.to_owned());
        let reply = Reply::new(nothing).streamed(streamed, Some(&tag));
        Ok(Formed::Json(reply.uncacheable()))
    }

    async fn create_blob(
        &self,
        call: Call,
        at: RepoAddress,
        body: LargeBody<CreateBlob>,
    ) -> Outcome<Reply<201, ShortBlob>> {
        let grant = self.writable(&call, &at).await?;
        let store = |blob| self.make_blob(&call, &grant, blob);
        heavy::with_body(body, rules::packed, store).await
    }

    async fn create_tree(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateTree>,
    ) -> Outcome<Reply<201, GitTree>> {
        let grant = self.writable(&call, &at).await?;
        self.make_tree(&call, &grant, body.validated()?).await
    }

    async fn create_commit(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateCommit>,
    ) -> Outcome<Reply<201, GitCommit>> {
        let grant = self.writable(&call, &at).await?;
        self.make_commit(&call, &grant, body.validated()?).await
    }

    async fn create_tag(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateTag>,
    ) -> Outcome<Reply<201, GitTag>> {
        let grant = self.writable(&call, &at).await?;
        self.make_tag(&call, &grant, body.validated()?).await
    }
}

impl GitObjects {
    /// For queries about all references of a repository.
    async fn refs(&self, grant: &RepositoryGrant) -> &Connection {
        let refs = Aggregate::Refs.of(grant.repository.id);
        self.app.db.reading(&[refs]).await
    }

    /// A repository that may be changed and has a branch.
    async fn writable(&self, call: &Call, at: &RepoAddress) -> Outcome<RepositoryGrant> {
        let grant = self.app.access.repository(call, at).await?;
        grant.writable()?;
        not_empty(self.app.db.reads(), &grant).await?;
        Ok(grant)
    }

    /// The object that a request names by its SHA-1 or by a reference, without the
    /// annotated tags around it.
    async fn resolve_target(&self, grant: &RepositoryGrant, name: &str) -> Outcome<RefTarget> {
        let (id, reads) = (grant.repository.id, self.refs(grant).await);
        not_empty(reads, grant).await?;
        let target = resolve(reads, grant, name)
            .await?
            .ok_or(Problem::NotFound)?;
        target.peeled(reads, id).await?.ok_or_else(rules::no_tree)
    }

    /// Sets Last-Modified to when an object was created, or the names in its URLs changed. The
    /// object never changes, so a date in the future is ignored.
    fn dated_object<T>(
        &self,
        reply: Reply<200, T>,
        grant: &RepositoryGrant,
        date: Option<Timestamp>,
    ) -> Reply<200, T> {
        let now = self.app.clock.now();
        let renamed_at = Timestamp(grant.repository.updated_at.max(grant.owner.updated_at));
        match date {
            Some(date) if date >= now => reply.last_modified(renamed_at, now).uncacheable(),
            date => reply.last_modified(date.map_or(renamed_at, |date| date.max(renamed_at)), now),
        }
    }

    /// The object of that kind; 404 if the name is not 40 hexadecimal digits.
    async fn object(
        &self,
        grant: &RepositoryGrant,
        sha: &str,
        kind: ObjectKind,
    ) -> Outcome<(Sha, Object)> {
        let reads = self.refs(grant).await;
        not_empty(reads, grant).await?;
        let sha: Sha = sha.parse().map_err(|_| Problem::NotFound)?;
        let object = load(reads, grant.repository.id, sha).await?;
        match object.filter(|object| object.kind == kind) {
            Some(object) => Ok((sha, object)),
            None => Err(Problem::NotFound),
        }
    }
}

/// 404 for a tree that is not stored.
fn absent(error: GitError) -> Problem {
    match error {
        GitError::Missing(_) => Problem::NotFound,
        other => other.into(),
    }
}
