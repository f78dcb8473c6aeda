//! The bodies that create Git objects, and blobs in responses.

use contract_macros::schema;
use poem_openapi::types::Example;
use serde::Deserialize;

use super::super::EXAMPLE_ORIGIN;
use super::super::body::Readable;
use super::super::git_refs::EXAMPLE_MAIN_SHA;
use super::super::shared::git_person::GitPerson;
use super::super::values::{Nullable, Url};
use super::EXAMPLE_TREE;

/// The encoding of a blob's content in JSON.
#[schema]
#[derive(Default)]
pub enum BlobEncoding {
    #[default]
    #[schema(rename = "utf-8")]
    Utf8,
    #[schema(rename = "base64")]
    Base64,
}

/// The body of `create_blob`.
#[schema(example)]
pub struct CreateBlob {
    /// The content of the blob.
    pub content: String,
    /// The encoding of `content`.
    #[schema(default)]
    pub encoding: BlobEncoding,
}

impl Readable for CreateBlob {}

/// A new blob.
#[schema(example)]
pub struct ShortBlob {
    /// The API URL of the blob.
    pub url: Url,
    /// The SHA-1 of the blob.
    pub sha: String,
}

/// A Git blob: the content of a file.
#[schema(example)]
pub struct GitBlob {
    /// The SHA-1 of the blob.
    pub sha: String,
    pub node_id: String,
    /// The size of the blob, in bytes.
    pub size: Nullable<i64>,
    /// The API URL of the blob.
    pub url: Url,
    /// The content in Base64, in lines of 60 characters.
    pub content: String,
    /// The encoding of the content: always `base64`.
    pub encoding: String,
}

/// The file mode of a tree entry: `100644` for a file, `100755` for an executable file, `040000`
/// for a directory, `160000` for a submodule, `120000` for a symbolic link.
#[schema]
pub enum EntryMode {
    #[schema(rename = "100644")]
    File,
    #[schema(rename = "100755")]
    Executable,
    #[schema(rename = "040000")]
    Directory,
    #[schema(rename = "160000")]
    Submodule,
    #[schema(rename = "120000")]
    Symlink,
}

/// The type of the object in a tree entry.
#[schema(rename_all = "lowercase")]
pub enum EntryType {
    Blob,
    Tree,
    Commit,
}

/// The body of `create_tree`.
#[schema(example)]
pub struct CreateTree {
    /// The entries to add, replace or remove.
    pub tree: Vec<NewTreeEntry>,
    /// The SHA-1 of the tree, or of the commit, that the entries are applied to. If omitted, an
    /// empty tree.
    pub base_tree: Option<String>,
}

impl Readable for CreateTree {}

/// An entry of a new tree, with either `sha` or `content`.
#[schema]
pub struct NewTreeEntry {
    /// The path of the entry, relative to the new tree.
    pub path: Option<String>,
    pub mode: Option<EntryMode>,
    #[schema(rename = "type")]
    pub kind: Option<EntryType>,
    /// The SHA-1 of the object. Set to `null` to remove the entry.
    #[serde(deserialize_with = "present")]
    pub sha: Option<Nullable<String>>,
    /// The content of a new blob, as text.
    pub content: Option<String>,
}

/// Distinguishes an explicit null from an absent field.
fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Nullable<String>>, D::Error> {
    Nullable::deserialize(deserializer).map(Some)
}

/// The body of `create_commit`.
#[schema(example)]
pub struct CreateCommit {
    /// The commit message.
    pub message: String,
    /// The SHA-1 of the commit's tree.
    pub tree: String,
    /// The SHA-1s of the parent commits. Empty for a root commit.
    #[schema(default)]
    pub parents: Vec<String>,
    pub author: Option<GitPerson>,
    pub committer: Option<GitPerson>,
    /// A signature to store with the commit. It is not verified.
    pub signature: Option<String>,
}

impl Readable for CreateCommit {}

/// The type of a tagged object.
#[schema(rename_all = "lowercase")]
pub enum TaggedType {
    Commit,
    Tree,
    Blob,
}

/// The body of `create_tag`.
#[schema(example)]
pub struct CreateTag {
    /// The name of the tag, without `refs/tags/`.
    pub tag: String,
    /// The tag message.
    pub message: String,
    /// The SHA-1 of the object to tag.
    pub object: String,
    #[schema(rename = "type")]
    pub kind: TaggedType,
    pub tagger: Option<GitPerson>,
}

impl Readable for CreateTag {}

/// The file that the examples name: `README.md` in the demo world's `acme/gadgets`.
pub const EXAMPLE_BLOB: &str = "f5363091cd9e91b22acb190011a4e3b71bd8dce9";

impl Example for CreateBlob {
    fn example() -> Self {
        Self {
            content: "A grip\n".to_owned(),
            encoding: BlobEncoding::Utf8,
        }
    }
}

impl Example for ShortBlob {
    fn example() -> Self {
        let sha = EXAMPLE_BLOB;
        Self {
            url: format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets/git/blobs/{sha}").into(),
            sha: sha.to_owned(),
        }
    }
}

impl Example for GitBlob {
    fn example() -> Self {
        let short = ShortBlob::example();
        Self {
            sha: short.sha,
            node_id: "B_kwDNB9LaAChmNTM2MzA5MWNkOWU5MWIyMmFjYjE5MDAxMWE0ZTNiNzFiZDhkY2U5"
                .to_owned(),
            size: Some(72).into(),
            url: short.url,
            content: "IyBHYWRnZXRzCg==\n".to_owned(),
            encoding: "base64".to_owned(),
        }
    }
}

impl Example for CreateTree {
    fn example() -> Self {
        Self {
            tree: vec![NewTreeEntry {
                path: Some("docs/grip.md".to_owned()),
                mode: Some(EntryMode::File),
                kind: Some(EntryType::Blob),
                sha: None,
                content: Some("A grip\n".to_owned()),
            }],
            base_tree: Some(EXAMPLE_TREE.to_owned()),
        }
    }
}

impl Example for CreateCommit {
    fn example() -> Self {
        Self {
            message: "Describe the grip".to_owned(),
            tree: EXAMPLE_TREE.to_owned(),
            parents: vec![EXAMPLE_MAIN_SHA.to_owned()],
            author: None,
            committer: None,
            signature: None,
        }
    }
}

impl Example for CreateTag {
    fn example() -> Self {
        Self {
            tag: "v1.1".to_owned(),
            message: "The second release".to_owned(),
            object: EXAMPLE_MAIN_SHA.to_owned(),
            kind: TaggedType::Commit,
            tagger: None,
        }
    }
}
