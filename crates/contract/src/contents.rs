//! Reading the files of a repository, and changing one with a commit: part of the companion
//! document.

mod bodies;
mod shapes;

use contract_macros::operations;

use super::body::{Body, LargeBody};
use super::call::Call;
use super::formed::Formed;
use super::paging::OptionalParameter;
use super::reply::{CreatedOrExisting, Outcome, Reply};
use super::shared::address::RepoAddress;

pub use bodies::{DeleteFile, FileCommit, PutFile};
pub use shapes::{
    ContentCore, ContentFile, ContentItem, ContentLinks, ContentSubmodule, ContentSymlink,
    ContentTree, ContentType, PathContents,
};

/// The operations; `forge::contents` implements them.
#[operations(Contents)]
pub trait Operations: Send + Sync {
    /// Get the contents of the root directory
    ///
    /// Returns the entries of the root directory, at most 1,000. The media type `object` returns
    /// an object that contains the entries.
    #[get(
        "/repos/{owner}/{repo}/contents",
        docs = "repos/contents#get-repository-content"
    )]
    #[access(open, READ_CODE)]
    #[fails(403, 404)]
    #[forms(Raw, Object)]
    #[cached]
    async fn get_root_content(
        &self,
        call: Call,
        at: RepoAddress,
        /// The commit: a full or abbreviated SHA-1, or the name of a branch or tag.
        #[example("main")]
        #[query]
        r#ref: OptionalParameter<String>,
    ) -> Outcome<Formed<PathContents>> {
        self.get_content(call, at, String::new(), r#ref).await
    }

    /// Get the contents of a path
    ///
    /// Returns a file with its content in Base64, the entries of a directory (at most 1,000), a
    /// symbolic link or a submodule. A symbolic link to a file of the repository returns that
    /// file. The media type `raw` returns the content of a file as is; without it, `content` is
    /// empty for a file larger than 1 MB. The media type `object` returns an object for
    /// directories as well.
    #[get(
        "/repos/{owner}/{repo}/contents/{path}",
        docs = "repos/contents#get-repository-content"
    )]
    #[access(open, READ_CODE)]
    #[fails(403, 404)]
    #[forms(Raw, Object)]
    #[cached]
    async fn get_content(
        &self,
        call: Call,
        at: RepoAddress,
        path: String,
        /// The commit: a full or abbreviated SHA-1, or the name of a branch or tag.
        #[example("main")]
        #[query]
        r#ref: OptionalParameter<String>,
    ) -> Outcome<Formed<PathContents>>;

    /// Create or update a file
    ///
    /// Creates or replaces a file with a commit on a branch. To replace a file, give the SHA-1 of
    /// its current blob, so that no other change is overwritten. In an empty repository, this
    /// creates the first commit and its branch.
    #[put(
        "/repos/{owner}/{repo}/contents/{path}",
        docs = "repos/contents#create-or-update-file-contents"
    )]
    #[access(token, WRITE_CODE)]
    #[fails(403, 404, 409, 422)]
    #[headers(Location)]
    async fn create_or_update_file(
        &self,
        call: Call,
        at: RepoAddress,
        #[example("docs/grip.md")] path: String,
        body: LargeBody<PutFile>,
    ) -> Outcome<CreatedOrExisting<FileCommit>>;

    /// Delete a file
    ///
    /// Deletes a file with a commit on a branch. The SHA-1 of its current blob is required.
    #[delete(
        "/repos/{owner}/{repo}/contents/{path}",
        docs = "repos/contents#delete-a-file"
    )]
    #[access(token, WRITE_CODE)]
    #[fails(403, 404, 409, 422)]
    async fn delete_file(
        &self,
        call: Call,
        at: RepoAddress,
        path: String,
        body: Body<DeleteFile>,
    ) -> Outcome<Reply<200, FileCommit>>;

    /// Get the README
    ///
    /// Returns the README of a repository, from `.github`, the root directory or `docs`. The media
    /// type `raw` returns its content as is.
    #[get(
        "/repos/{owner}/{repo}/readme",
        docs = "repos/contents#get-a-repository-readme"
    )]
    #[access(open, READ_CODE)]
    #[fails(403, 404)]
    #[forms(Raw)]
    #[cached]
    async fn get_readme(
        &self,
        call: Call,
        at: RepoAddress,
        /// The commit: a full or abbreviated SHA-1, or the name of a branch or tag.
        #[example("main")]
        #[query]
        r#ref: OptionalParameter<String>,
    ) -> Outcome<Formed<ContentFile>>;

    /// Get the README of a directory
    ///
    /// Returns the README of a directory. The media type `raw` returns its content as is.
    #[get(
        "/repos/{owner}/{repo}/readme/{dir}",
        docs = "repos/contents#get-a-repository-readme-for-a-directory"
    )]
    #[access(open, READ_CODE)]
    #[fails(403, 404)]
    #[forms(Raw)]
    #[cached]
    async fn get_readme_in_directory(
        &self,
        call: Call,
        at: RepoAddress,
        dir: String,
        /// The commit: a full or abbreviated SHA-1, or the name of a branch or tag.
        #[example("main")]
        #[query]
        r#ref: OptionalParameter<String>,
    ) -> Outcome<Formed<ContentFile>>;
}
