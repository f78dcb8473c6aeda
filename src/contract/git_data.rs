//! Around the Git references: the older paths by which clients reach them, and
//! the commits and tags that they lead to. This is the companion document, not
//! the service's.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use poem_openapi::param::Path;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{Example, Type};
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};

use super::body::Body;
use super::call::{Call, Open, Signed};
use super::git_refs::{EXAMPLE_MAIN_SHA, EXAMPLE_SHA, GitRef, GitTarget, ObjectType, UpdateRef};
use super::reply::{Empty, Fails, Outcome, Reply};
use super::shared::address::RepoAddress;
use super::values::{Nullable, Timestamp, Url};
use super::{EXAMPLE_ORIGIN, Tag};

/// What the area does; `areas/git_refs` is how, because it is the same thing by
/// other paths.
#[async_trait]
pub trait Operations: Send + Sync {
    async fn list_refs(&self, call: Call, at: RepoAddress) -> Outcome<Reply<200, Vec<GitRef>>>;

    async fn list_all_matching_refs(
        &self,
        call: Call,
        at: RepoAddress,
    ) -> Outcome<Reply<200, Vec<GitRef>>>;

    async fn find_refs(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
    ) -> Outcome<Reply<200, FoundRefs>>;

    async fn update_ref_alias(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
        body: Body<UpdateRef>,
    ) -> Outcome<Reply<200, GitRef>>;

    async fn delete_ref_alias(&self, call: Call, at: RepoAddress, name: String) -> Outcome<Empty>;

    async fn get_commit(
        &self,
        call: Call,
        at: RepoAddress,
        sha: String,
    ) -> Outcome<Reply<200, GitCommit>>;

    async fn get_tag(
        &self,
        call: Call,
        at: RepoAddress,
        sha: String,
    ) -> Outcome<Reply<200, GitTag>>;
}

/// The endpoints of the area.
pub struct Api(pub Arc<dyn Operations>);

#[OpenApi(tag = "Tag::GitRefs")]
impl Api {
    /// List all references
    ///
    /// Returns every reference of the repository, in byte order: the same as the list of matching
    /// references with nothing to match.
    #[oai(
        path = "/repos/:owner/:repo/git/refs",
        method = "get",
        operation_id = "list_refs",
        external_docs = "https://docs.github.com/rest/git/refs#list-matching-references"
    )]
    async fn list_refs(
        &self,
        call: Open,
        owner: Path<String>,
        repo: Path<String>,
    ) -> Result<Reply<200, Vec<GitRef>>, Fails<403, 404, 409>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        Ok(self.0.list_refs(call.0, at).await?)
    }

    /// List matching references, with nothing to match
    ///
    /// Returns every reference of the repository, in any namespace, notes and stashes included, in
    /// byte order.
    #[oai(
        path = "/repos/:owner/:repo/git/matching-refs",
        method = "get",
        operation_id = "list_all_matching_refs",
        external_docs = "https://docs.github.com/rest/git/refs#list-matching-references"
    )]
    async fn list_all_matching_refs(
        &self,
        call: Open,
        owner: Path<String>,
        repo: Path<String>,
    ) -> Result<Reply<200, Vec<GitRef>>, Fails<403, 404, 409>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        Ok(self.0.list_all_matching_refs(call.0, at).await?)
    }

    /// Find references
    ///
    /// Returns the reference with this name as an object. If there is none, returns the references
    /// whose name starts with it, as an array, or 404 if there are none of those either. New
    /// clients get one reference or list the matching ones instead.
    #[oai(
        path = "/repos/:owner/:repo/git/refs/:ref",
        method = "get",
        operation_id = "find_refs",
        external_docs = "https://docs.github.com/rest/git/refs#get-a-reference"
    )]
    async fn find_refs(
        &self,
        call: Open,
        owner: Path<String>,
        repo: Path<String>,
        r#ref: Path<String>,
    ) -> Result<Reply<200, FoundRefs>, Fails<403, 404, 409>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        Ok(self.0.find_refs(call.0, at, r#ref.0).await?)
    }

    /// Update a reference by its singular path
    ///
    /// The same as updating a reference, for clients that write to the address they have read.
    #[oai(
        path = "/repos/:owner/:repo/git/ref/:ref",
        method = "patch",
        operation_id = "update_ref_alias",
        external_docs = "https://docs.github.com/rest/git/refs#update-a-reference"
    )]
    async fn update_ref_alias(
        &self,
        call: Signed,
        owner: Path<String>,
        repo: Path<String>,
        r#ref: Path<String>,
        body: Body<UpdateRef>,
    ) -> Result<Reply<200, GitRef>, Fails<403, 404, 409, 422>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        Ok(self.0.update_ref_alias(call.0, at, r#ref.0, body).await?)
    }

    /// Delete a reference by its singular path
    ///
    /// The same as deleting a reference, for clients that write to the address they have read.
    #[oai(
        path = "/repos/:owner/:repo/git/ref/:ref",
        method = "delete",
        operation_id = "delete_ref_alias",
        external_docs = "https://docs.github.com/rest/git/refs#delete-a-reference"
    )]
    async fn delete_ref_alias(
        &self,
        call: Signed,
        owner: Path<String>,
        repo: Path<String>,
        r#ref: Path<String>,
    ) -> Result<Empty, Fails<403, 404, 409, 422>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        Ok(self.0.delete_ref_alias(call.0, at, r#ref.0).await?)
    }

    /// Get a commit object
    ///
    /// Returns a commit of the repository by its SHA-1, whether or not a reference leads to it.
    #[oai(
        path = "/repos/:owner/:repo/git/commits/:commit_sha",
        method = "get",
        operation_id = "get_commit",
        external_docs = "https://docs.github.com/rest/git/commits#get-a-commit-object"
    )]
    async fn get_commit(
        &self,
        call: Open,
        owner: Path<String>,
        repo: Path<String>,
        commit_sha: Path<String>,
    ) -> Result<Reply<200, GitCommit>, Fails<403, 404, 409>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        Ok(self.0.get_commit(call.0, at, commit_sha.0).await?)
    }

    /// Get a tag
    ///
    /// Returns an annotated tag of the repository by the SHA-1 of the tag object.
    #[oai(
        path = "/repos/:owner/:repo/git/tags/:tag_sha",
        method = "get",
        operation_id = "get_tag",
        external_docs = "https://docs.github.com/rest/git/tags#get-a-tag"
    )]
    async fn get_tag(
        &self,
        call: Open,
        owner: Path<String>,
        repo: Path<String>,
        tag_sha: Path<String>,
    ) -> Result<Reply<200, GitTag>, Fails<403, 404, 409>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        Ok(self.0.get_tag(call.0, at, tag_sha.0).await?)
    }
}

/// One reference, or those whose names begin alike.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FoundRefs {
    One(GitRef),
    Many(Vec<GitRef>),
}

/// Written by hand because the derived schema insists on an object.
impl Type for FoundRefs {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "FoundRefs".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema {
            one_of: vec![GitRef::schema_ref(), Vec::<GitRef>::schema_ref()],
            ..MetaSchema::ANY
        }))
    }

    fn register(registry: &mut Registry) {
        GitRef::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

/// A commit as Git stores it.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct GitCommit {
    pub sha: String,
    pub node_id: String,
    pub url: Url,
    pub html_url: Url,
    /// Who made the change, and when.
    pub author: GitSignature,
    /// Who made the commit, and when.
    pub committer: GitSignature,
    /// What the commit says of itself, without newlines at its end.
    pub message: String,
    /// The files as of this commit.
    pub tree: GitLink,
    /// The commits that this one builds on, the first one first.
    pub parents: Vec<GitParent>,
    pub verification: Verification,
}

/// An annotated tag as Git stores it.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct GitTag {
    pub node_id: String,
    /// The name that the tag was made with.
    pub tag: String,
    pub sha: String,
    pub url: Url,
    /// What the tag says of itself, without newlines at its end.
    pub message: String,
    /// Who made the tag, and when. Very old tags do not say.
    pub tagger: Nullable<GitSignature>,
    pub object: GitTarget,
    pub verification: Verification,
}

/// A person and a moment, as they are written in a commit or a tag.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct GitSignature {
    /// When, in UTC.
    pub date: Timestamp,
    /// The e-mail address.
    pub email: String,
    pub name: String,
}

/// An object, and where it can be read.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct GitLink {
    pub sha: String,
    pub url: Url,
}

/// A commit that another one builds on.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct GitParent {
    pub sha: String,
    pub url: Url,
    pub html_url: Url,
}

/// Whether a cryptographic signature was checked. This service checks none.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct Verification {
    /// Whether the signature is known to be good: never.
    pub verified: bool,
    /// Why not: `unsigned` when there is no signature, `unknown_key` when there is one.
    pub reason: String,
    /// The signature, if there is one.
    pub signature: Nullable<String>,
    /// What was signed, if there is a signature.
    pub payload: Nullable<String>,
    /// When the signature was checked.
    pub verified_at: Nullable<Timestamp>,
}

impl Verification {
    /// What is said of an object without a signature.
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
const EXAMPLE_TREE: &str = "5df49923c87e7545474d63cd1a3d6b83a96ef9fa";

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
