//! Git objects: commits, tags, trees and blobs. Part of the companion document.

mod bodies;
mod view;

use contract_macros::operations;

use super::body::{Body, LargeBody};
use super::call::Call;
use super::formed::Formed;
use super::reply::{Outcome, Reply};
use super::shared::address::RepoAddress;

pub use bodies::{
    BlobEncoding, CreateBlob, CreateCommit, CreateTag, CreateTree, EXAMPLE_BLOB, EntryMode,
    EntryType, GitBlob, NewTreeEntry, ShortBlob, TaggedType,
};
pub use view::{
    EXAMPLE_TAG_SHA, EXAMPLE_TREE, GitCommit, GitLink, GitParent, GitSignature, GitTag, GitTree,
    GitTreeEntry, Verification,
};

/// The operations; `forge::git_objects` implements them.
#[operations(GitRefs)]
pub trait Operations: Send + Sync {
    /// Get a commit object
    ///
    /// Returns a commit of the repository by its SHA-1, even if no reference reaches it.
    #[get(
        "/repos/{owner}/{repo}/git/commits/{commit_sha}",
        docs = "git/commits#get-a-commit-object"
    )]
    #[access(open, READ_CODE)]
    #[fails(403, 404, 409)]
    #[cached]
    #[headers(LastModified)]
    #[links(get_commit, commit_sha = "/parents/0/sha")]
    async fn get_commit(
        &self,
        call: Call,
        at: RepoAddress,
        commit_sha: String,
    ) -> Outcome<Reply<200, GitCommit>>;

    /// Get a tag
    ///
    /// Returns an annotated tag of the repository by the SHA-1 of the tag object.
    #[get(
        "/repos/{owner}/{repo}/git/tags/{tag_sha}",
        docs = "git/tags#get-a-tag"
    )]
    #[access(open, READ_CODE)]
    #[fails(403, 404, 409)]
    #[cached]
    #[headers(LastModified)]
    async fn get_tag(
        &self,
        call: Call,
        at: RepoAddress,
        tag_sha: String,
    ) -> Outcome<Reply<200, GitTag>>;

    /// Get a tree
    ///
    /// Returns a tree by its SHA-1, by that of a commit, or by the name of a branch or tag. With
    /// `recursive`, the response includes the entries of all subtrees. It has at most 100,000
    /// entries and 7 MB; if `truncated` is true, get the subtrees one at a time.
    #[get(
        "/repos/{owner}/{repo}/git/trees/{tree_sha}",
        docs = "git/trees#get-a-tree"
    )]
    #[access(open, READ_CODE)]
    #[fails(403, 404, 409, 422)]
    #[cached]
    async fn get_tree(
        &self,
        call: Call,
        at: RepoAddress,
        tree_sha: String,
        #[query] recursive: Option<String>,
    ) -> Outcome<Reply<200, GitTree>>;

    /// Get a blob
    ///
    /// Returns a blob by its SHA-1, with its content in Base64. The media type `raw` returns the
    /// content as is.
    #[get(
        "/repos/{owner}/{repo}/git/blobs/{file_sha}",
        docs = "git/blobs#get-a-blob"
    )]
    #[access(open, READ_CODE)]
    #[fails(403, 404, 409)]
    #[forms(Raw)]
    #[cached]
    async fn get_blob(
        &self,
        call: Call,
        at: RepoAddress,
        file_sha: String,
    ) -> Outcome<Formed<GitBlob>>;

    /// Create a blob
    ///
    /// Creates a blob from the content of a file. Create a tree with it to use it in a commit. The
    /// request body can have up to 32 MiB.
    #[post("/repos/{owner}/{repo}/git/blobs", docs = "git/blobs#create-a-blob")]
    #[access(token, WRITE_GIT)]
    #[fails(403, 404, 409, 422)]
    #[headers(Location)]
    #[links(get_blob, file_sha = "/sha")]
    async fn create_blob(
        &self,
        call: Call,
        at: RepoAddress,
        body: LargeBody<CreateBlob>,
    ) -> Outcome<Reply<201, ShortBlob>>;

    /// Create a tree
    ///
    /// Creates a tree from a list of entries, or from a base tree with entries added, replaced or
    /// removed (`sha`: `null`). A path can contain slashes; missing directories are created.
    #[post("/repos/{owner}/{repo}/git/trees", docs = "git/trees#create-a-tree")]
    #[access(token, WRITE_GIT)]
    #[fails(403, 404, 409, 422)]
    #[headers(Location)]
    #[links(get_tree, tree_sha = "/sha")]
    async fn create_tree(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateTree>,
    ) -> Outcome<Reply<201, GitTree>>;

    /// Create a commit
    ///
    /// Creates a commit. Create or update a reference to put it on a branch. The committer defaults
    /// to the caller, and the author to the committer.
    #[post(
        "/repos/{owner}/{repo}/git/commits",
        docs = "git/commits#create-a-commit"
    )]
    #[access(token, WRITE_GIT)]
    #[fails(403, 404, 409, 422)]
    #[headers(Location)]
    #[links(get_commit, commit_sha = "/sha")]
    async fn create_commit(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateCommit>,
    ) -> Outcome<Reply<201, GitCommit>>;

    /// Create a tag object
    ///
    /// Creates an annotated tag object. Create a reference `refs/tags/…` to it to make it a tag of
    /// the repository.
    #[post(
        "/repos/{owner}/{repo}/git/tags",
        docs = "git/tags#create-a-tag-object"
    )]
    #[access(token, WRITE_GIT)]
    #[fails(403, 404, 409, 422)]
    #[headers(Location)]
    #[links(get_tag, tag_sha = "/sha")]
    async fn create_tag(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateTag>,
    ) -> Outcome<Reply<201, GitTag>>;
}
