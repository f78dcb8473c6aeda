//! Git references at older paths that clients still use: part of the companion document.

use std::borrow::Cow;

use contract_macros::operations;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::Type;
use serde::{Deserialize, Serialize};

use super::body::Body;
use super::call::Call;
use super::git_refs::{self, GitRef, UpdateRef};
use super::reply::{Empty, Outcome, Reply};
use super::shared::address::RepoAddress;

/// The operations at the older paths. Those that equal an operation of the service delegate to
/// it.
#[operations(GitRefs)]
pub trait Operations: git_refs::Operations {
    /// List all references
    ///
    /// Returns every reference of the repository, in byte order. The same as listing matching
    /// references without a prefix.
    #[get(
        "/repos/{owner}/{repo}/git/refs",
        docs = "git/refs#list-matching-references"
    )]
    #[access(open, READ_REFS)]
    #[fails(403, 404, 409)]
    #[cached]
    #[headers(LastModified, PollInterval)]
    #[links(get_commit, commit_sha = "/0/object/sha")]
    async fn list_refs(&self, call: Call, at: RepoAddress) -> Outcome<Reply<200, Vec<GitRef>>> {
        self.list_matching_refs(call, at, String::new()).await
    }

    /// List matching references without a prefix
    ///
    /// Returns every reference of the repository, in any namespace, notes and stashes included, in
    /// byte order.
    #[get(
        "/repos/{owner}/{repo}/git/matching-refs",
        docs = "git/refs#list-matching-references"
    )]
    #[access(open, READ_REFS)]
    #[fails(403, 404, 409)]
    #[cached]
    #[headers(LastModified, PollInterval)]
    #[links(get_commit, commit_sha = "/0/object/sha")]
    async fn list_all_matching_refs(
        &self,
        call: Call,
        at: RepoAddress,
    ) -> Outcome<Reply<200, Vec<GitRef>>> {
        self.list_matching_refs(call, at, String::new()).await
    }

    /// Find references
    ///
    /// Returns the reference with this name as an object. If there is none, returns the references
    /// whose name starts with it, as an array, or 404 if there is no such reference. New clients should
    /// get a single reference or list matching references instead.
    #[get(
        "/repos/{owner}/{repo}/git/refs/{ref}",
        docs = "git/refs#get-a-reference"
    )]
    #[access(open, READ_REFS)]
    #[fails(403, 404, 409)]
    #[cached]
    #[headers(LastModified, PollInterval)]
    async fn find_refs(
        &self,
        call: Call,
        at: RepoAddress,
        r#ref: String,
    ) -> Outcome<Reply<200, FoundRefs>>;

    /// Update a reference by its singular path
    ///
    /// The same as updating a reference, for clients that send the update to the path from which
    /// they read the reference.
    #[patch(
        "/repos/{owner}/{repo}/git/ref/{ref}",
        docs = "git/refs#update-a-reference"
    )]
    #[access(token, WRITE_CODE)]
    #[fails(403, 404, 409, 422)]
    async fn update_ref_alias(
        &self,
        call: Call,
        at: RepoAddress,
        r#ref: String,
        body: Body<UpdateRef>,
    ) -> Outcome<Reply<200, GitRef>> {
        self.update_ref(call, at, r#ref, body).await
    }

    /// Delete a reference by its singular path
    ///
    /// The same as deleting a reference, for clients that send the deletion to the path from which
    /// they read the reference.
    #[delete(
        "/repos/{owner}/{repo}/git/ref/{ref}",
        docs = "git/refs#delete-a-reference"
    )]
    #[access(token, WRITE_GIT)]
    #[fails(403, 404, 409, 422)]
    async fn delete_ref_alias(&self, call: Call, at: RepoAddress, r#ref: String) -> Outcome<Empty> {
        self.delete_ref(call, at, r#ref).await
    }
}

/// One reference, or those whose names start with the requested one.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FoundRefs {
    One(GitRef),
    Many(Vec<GitRef>),
}

/// Implemented manually, because the derived schema allows only objects.
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
