//! The representations of commits, tags and trees.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::git_refs::{EXAMPLE_MAIN_SHA, EXAMPLE_SHA, GitTarget, ObjectType};
use super::super::values::{Nullable, Timestamp, Url};

/// A Git commit.
#[schema(example)]
pub struct GitCommit {
    /// The SHA-1 of the commit.
    pub sha: String,
    pub node_id: String,
    /// The API URL of the commit.
    pub url: Url,
    /// The URL of the commit's page.
    pub html_url: Url,
    /// The author of the change, and when it was written.
    pub author: GitSignature,
    /// The committer, and when the commit was created.
    pub committer: GitSignature,
    /// The commit message, without trailing newlines.
    pub message: String,
    /// The tree of the commit.
    pub tree: GitLink,
    /// The parents of the commit, in order.
    pub parents: Vec<GitParent>,
    pub verification: Verification,
}

/// An annotated Git tag.
#[schema(example)]
pub struct GitTag {
    pub node_id: String,
    /// The name of the tag.
    pub tag: String,
    /// The SHA-1 of the tag object.
    pub sha: String,
    /// The API URL of the tag object.
    pub url: Url,
    /// The tag message, without trailing newlines.
    pub message: String,
    /// The tagger, and when the tag was created. `null` for very old tags, which have no tagger.
    pub tagger: Nullable<GitSignature>,
    pub object: GitTarget,
    pub verification: Verification,
}

/// A Git tree: the entries of a directory.
#[schema(example)]
pub struct GitTree {
    /// The SHA-1 of the tree, or of the commit if the request named one.
    pub sha: String,
    /// The API URL of the tree.
    #[schema(unpromised)]
    pub url: Url,
    /// The entries of the tree, in Git's order. A directory precedes its entries.
    pub tree: Vec<GitTreeEntry>,
    /// Whether the tree has more entries than are returned.
    pub truncated: bool,
}

/// An entry of a Git tree: a file, a directory or a submodule.
#[schema]
pub struct GitTreeEntry {
    /// The path of the entry, relative to the requested tree.
    pub path: String,
    /// The file mode: `100644` for a file, `100755` for an executable file, `120000` for a symbolic
    /// link, `040000` for a directory, `160000` for a submodule.
    pub mode: String,
    /// The type of the object: `blob` for files and symbolic links, `tree` for directories,
    /// `commit` for submodules.
    #[schema(rename = "type")]
    pub kind: ObjectType,
    /// The SHA-1 of the object.
    pub sha: String,
    /// The size of the file, in bytes. Omitted for directories and submodules.
    pub size: Option<i64>,
    /// The API URL of the object. Omitted for submodules, which are in another repository.
    pub url: Option<Url>,
}

/// A person and a time in a commit or a tag.
#[schema]
pub struct GitSignature {
    /// The time, in UTC.
    pub date: Timestamp,
    /// The email address of the person.
    pub email: String,
    /// The name of the person.
    pub name: String,
}

/// A link to a Git object.
#[schema]
pub struct GitLink {
    /// The SHA-1 of the object.
    pub sha: String,
    /// The API URL of the object.
    pub url: Url,
}

/// A parent of a commit.
#[schema]
pub struct GitParent {
    /// The SHA-1 of the parent.
    pub sha: String,
    /// The API URL of the parent.
    pub url: Url,
    /// The URL of the parent's page.
    pub html_url: Url,
}

/// The verification of a cryptographic signature. This service does not verify signatures.
#[schema]
pub struct Verification {
    /// Whether the signature was verified: always `false`.
    pub verified: bool,
    /// Why the signature was not verified: `unsigned` if there is none, otherwise `unknown_key`.
    pub reason: String,
    /// The signature. `null` if there is none.
    pub signature: Nullable<String>,
    /// The signed content. `null` if there is no signature.
    pub payload: Nullable<String>,
    /// When the signature was verified: always `null`.
    #[schema(unpromised)]
    pub verified_at: Nullable<Timestamp>,
}

impl Verification {
    /// The verification of an object without a signature.
    pub fn unsigned() -> Self {
        Self {
            verified: false,
            reason: "unsigned".to_owned(),
            signature: None.into(),
            payload: None.into(),
            verified_at: None.into(),
        }
    }
}

/// The annotated tag that the examples name: `v1.0` in the demo world's
/// `acme/gadgets`.
pub const EXAMPLE_TAG_SHA: &str = "b6c9e85854c7850f68ecc8fa217011069c7c7c4b";

const EXAMPLE_PARENT: &str = "f3110c197d4809ddb022bcc9e6ab47ec57a1e1fa";
/// The tree of the commit that the examples name.
pub const EXAMPLE_TREE: &str = "5df49923c87e7545474d63cd1a3d6b83a96ef9fa";

impl Example for GitCommit {
    fn example() -> Self {
        let objects = format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets/git");
        let pages = format!("{EXAMPLE_ORIGIN}/acme/gadgets/commit");
        let bob = GitSignature {
            date: Timestamp(1_773_132_300),
            email: "bob@users.noreply.invalid".to_owned(),
            name: "Bob Cratchit".to_owned(),
        };
        Self {
            sha: EXAMPLE_SHA.to_owned(),
            node_id: "C_kwDNB9LaACg4ZWFiMTYzYTcwZjA1ODMwYWYzMDhkMjgzMDRiMzUwOGYwMTE4NDMy"
                .to_owned(),
            url: format!("{objects}/commits/{EXAMPLE_SHA}").into(),
            html_url: format!("{pages}/{EXAMPLE_SHA}").into(),
            author: bob.clone(),
            committer: bob,
            message: "Weigh the grips too\n\nEach handle has one.".to_owned(),
            tree: GitLink {
                sha: EXAMPLE_TREE.to_owned(),
                url: format!("{objects}/trees/{EXAMPLE_TREE}").into(),
            },
            parents: vec![GitParent {
                sha: EXAMPLE_PARENT.to_owned(),
                url: format!("{objects}/commits/{EXAMPLE_PARENT}").into(),
                html_url: format!("{pages}/{EXAMPLE_PARENT}").into(),
            }],
            verification: Verification::unsigned(),
        }
    }
}

impl Example for GitTag {
    fn example() -> Self {
        let objects = format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets/git");
        Self {
            node_id: "TA_kwDNB9LaAChiNmM5ZTg1ODU0Yzc4NTBmNjhlY2M4ZmEyMTcwMTEwNjljN2M3YzRi"
                .to_owned(),
            tag: "v1.0".to_owned(),
            sha: EXAMPLE_TAG_SHA.to_owned(),
            url: format!("{objects}/tags/{EXAMPLE_TAG_SHA}").into(),
            message: "The first release".to_owned(),
            tagger: Some(GitSignature {
                date: Timestamp(1_772_442_000),
                email: "alice@users.noreply.invalid".to_owned(),
                name: "Alice Liddell".to_owned(),
            })
            .into(),
            object: GitTarget {
                kind: ObjectType::Commit,
                sha: EXAMPLE_MAIN_SHA.to_owned(),
                url: format!("{objects}/commits/{EXAMPLE_MAIN_SHA}").into(),
            },
            verification: Verification::unsigned(),
        }
    }
}

impl Example for GitTree {
    fn example() -> Self {
        let objects = format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets/git");
        let file = |path: &str, sha: &str, size| GitTreeEntry {
            path: path.to_owned(),
            mode: "100644".to_owned(),
            kind: ObjectType::Blob,
            sha: sha.to_owned(),
            size: Some(size),
            url: Some(format!("{objects}/blobs/{sha}").into()),
        };
        let directory = |path: &str, sha: &str| GitTreeEntry {
            path: path.to_owned(),
            mode: "040000".to_owned(),
            kind: ObjectType::Tree,
            sha: sha.to_owned(),
            size: None,
            url: Some(format!("{objects}/trees/{sha}").into()),
        };
        Self {
            sha: EXAMPLE_TREE.to_owned(),
            url: format!("{objects}/trees/{EXAMPLE_TREE}").into(),
            tree: vec![
                file("LICENSE", "a22a2da24d1ceeef3d0c2f1f4f68923f55b8d4cc", 4),
                file("README.md", "f5363091cd9e91b22acb190011a4e3b71bd8dce9", 72),
                directory("docs", "64f4d9d44176788c830a0c2b5c4efef773c2c0cf"),
                directory("src", "41e2ed4a50cb5f1e950921bca4f0fdd6537cc5be"),
            ],
            truncated: false,
        }
    }
}
