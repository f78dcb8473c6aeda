//! Changes of one file.

use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::body::Readable;
use super::super::git_objects::GitCommit;
use super::super::shared::git_person::GitPerson;
use super::super::values::Nullable;
use super::{ContentFile, ContentItem};

/// The body of `create_or_update_file`.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct PutFile {
    /// What the commit says of itself.
    pub message: String,
    /// The new content, in Base64.
    pub content: String,
    /// The SHA-1 of the content that is replaced; needed if there is a file.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha: Option<String>,
    /// The branch; the default branch if it is left out.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committer: Option<GitPerson>,
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<GitPerson>,
}

impl Readable for PutFile {}

/// The body of `delete_file`.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct DeleteFile {
    /// What the commit says of itself.
    pub message: String,
    /// The SHA-1 of the content that is removed.
    pub sha: String,
    /// The branch; the default branch if it is left out.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committer: Option<GitPerson>,
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<GitPerson>,
}

impl Readable for DeleteFile {}

/// A change of one file.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct FileCommit {
    /// The file; null if it was deleted.
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
