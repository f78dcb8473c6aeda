//! Changes to a file.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::body::Readable;
use super::super::git_objects::GitCommit;
use super::super::shared::git_person::GitPerson;
use super::super::values::Nullable;
use super::{ContentFile, ContentItem};

/// The body of `create_or_update_file`.
#[schema(example)]
pub struct PutFile {
    /// The commit message.
    pub message: String,
    /// The new content of the file, in Base64.
    pub content: String,
    /// The SHA-1 of the blob to replace. Required if the file exists.
    pub sha: Option<String>,
    /// The branch to commit to. If omitted, the repository's default branch.
    pub branch: Option<String>,
    pub committer: Option<GitPerson>,
    pub author: Option<GitPerson>,
}

impl Readable for PutFile {}

/// The body of `delete_file`.
#[schema(example)]
pub struct DeleteFile {
    /// The commit message.
    pub message: String,
    /// The SHA-1 of the blob to delete.
    pub sha: String,
    /// The branch to commit to. If omitted, the repository's default branch.
    pub branch: Option<String>,
    pub committer: Option<GitPerson>,
    pub author: Option<GitPerson>,
}

impl Readable for DeleteFile {}

/// A file and the commit that changed it.
#[schema(example)]
pub struct FileCommit {
    /// The file. `null` if it was deleted.
    pub content: Nullable<ContentItem>,
    pub commit: GitCommit,
}

impl Example for PutFile {
    fn example() -> Self {
        Self {
            message: "Describe the grip".to_owned(),
            content: "QSBncmlwCg==".to_owned(),
            sha: None,
            branch: Some("main".to_owned()),
            committer: None,
            author: None,
        }
    }
}

impl Example for DeleteFile {
    fn example() -> Self {
        Self {
            message: "Remove the description".to_owned(),
            sha: "f5363091cd9e91b22acb190011a4e3b71bd8dce9".to_owned(),
            branch: Some("main".to_owned()),
            committer: None,
            author: None,
        }
    }
}

impl Example for FileCommit {
    fn example() -> Self {
        let file = ContentFile::example();
        Self {
            content: Some(ContentItem { core: file.core }).into(),
            commit: GitCommit::example(),
        }
    }
}
