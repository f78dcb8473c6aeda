//! Git references (specification, Git references).

use contract_macros::{operations, schema};
use poem_openapi::types::Example;

use super::EXAMPLE_ORIGIN;
use super::body::{Body, Readable};
use super::call::Call;
use super::reply::{Empty, Outcome, Reply};
use super::shared::address::RepoAddress;
use super::values::Url;

/// The operations; `forge::git_refs` implements them.
#[operations(GitRefs)]
pub trait Operations: Send + Sync {
    /// List matching references
    ///
    /// Returns all references whose name starts with `ref`, even when no reference equals it
    /// exactly: a request for `feature` may return `featureA` and `featureB` head refs.
    /// References whose full name starts with `refs/` and `ref` come first, then branches whose
    /// name starts with `ref`, both in byte order; below `heads/` and `tags/` there are only the
    /// former. Without `ref`, the path returns all references of the repository in any
    /// namespace, including notes and stashes; the companion document describes that as
    /// `list_all_matching_refs`. The list is not paginated.
    #[get(
        "/repos/{owner}/{repo}/git/matching-refs/{ref}",
        docs = "git/refs#list-matching-references"
    )]
    #[access(open, READ_REFS)]
    #[fails(403, 404, 409)]
    #[cached]
    #[headers(LastModified, PollInterval)]
    #[specified(200, 409)]
    async fn list_matching_refs(
        &self,
        call: Call,
        at: RepoAddress,
        r#ref: String,
    ) -> Outcome<Reply<200, Vec<GitRef>>>;

    /// Get a reference
    ///
    /// Returns the reference with exactly this name. Returns 404 if there is none; to
    /// search by prefix, list the matching references.
    #[get(
        "/repos/{owner}/{repo}/git/ref/{ref}",
        docs = "git/refs#get-a-reference"
    )]
    #[access(open, READ_REFS)]
    #[fails(403, 404, 409)]
    #[cached]
    #[headers(LastModified, PollInterval)]
    #[specified(200, 404, 409)]
    async fn get_ref(
        &self,
        call: Call,
        at: RepoAddress,
        r#ref: String,
    ) -> Outcome<Reply<200, GitRef>>;

    /// Create a reference
    ///
    /// Creates a reference to an existing object. References cannot be created in an empty
    /// repository (one without branches), even if the commit exists.
    #[post("/repos/{owner}/{repo}/git/refs", docs = "git/refs#create-a-reference")]
    #[access(token, WRITE_CODE)]
    #[fails(403, 404, 409, 422)]
    #[headers(Location)]
    #[specified(201, 409, 422)]
    #[links(
        get_ref,
        update_ref,
        delete_ref,
        note = "`ref` is the part of the response's `ref` after `refs/`."
    )]
    async fn create_ref(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateRef>,
    ) -> Outcome<Reply<201, GitRef>>;

    /// Update a reference
    ///
    /// Moves a reference to another object. Unless `force` is `true`, the update must be a
    /// fast-forward, so that no work is overwritten.
    #[patch(
        "/repos/{owner}/{repo}/git/refs/{ref}",
        docs = "git/refs#update-a-reference"
    )]
    #[access(token, WRITE_CODE)]
    #[fails(403, 404, 409, 422)]
    #[specified(200, 409, 422)]
    #[links(get_ref, delete_ref)]
    async fn update_ref(
        &self,
        call: Call,
        at: RepoAddress,
        r#ref: String,
        body: Body<UpdateRef>,
    ) -> Outcome<Reply<200, GitRef>>;

    /// Delete a reference
    ///
    /// Deletes a reference. The default branch cannot be deleted.
    #[delete(
        "/repos/{owner}/{repo}/git/refs/{ref}",
        docs = "git/refs#delete-a-reference"
    )]
    #[access(token, WRITE_GIT)]
    #[fails(403, 404, 409, 422)]
    #[specified(204, 409, 422)]
    async fn delete_ref(&self, call: Call, at: RepoAddress, r#ref: String) -> Outcome<Empty>;
}

/// The body of `create_ref`.
#[schema(example)]
pub struct CreateRef {
    /// The fully qualified name of the reference, such as `refs/heads/topic`. It must start
    /// with `refs` and have at least two slashes.
    #[schema(rename = "ref")]
    pub name: String,
    /// The SHA-1 of the object to point at.
    #[schema(validator(min_length = 40, max_length = 40))]
    pub sha: String,
}

impl Readable for CreateRef {}

impl Example for CreateRef {
    fn example() -> Self {
        Self {
            name: "refs/heads/feature/b".to_owned(),
            sha: EXAMPLE_SHA.to_owned(),
        }
    }
}

/// The body of `update_ref`.
#[schema(example)]
pub struct UpdateRef {
    /// The SHA-1 of the object to point at: exactly 40 hexadecimal digits.
    pub sha: String,
    /// Whether to update the reference even if the update is not a fast-forward.
    #[schema(default)]
    pub force: bool,
}

impl Readable for UpdateRef {}

impl Example for UpdateRef {
    fn example() -> Self {
        Self {
            sha: EXAMPLE_SHA.to_owned(),
            force: true,
        }
    }
}

/// A Git reference.
#[schema(example)]
pub struct GitRef {
    /// The fully qualified name of the reference, such as `refs/heads/main`.
    #[schema(rename = "ref")]
    pub name: String,
    /// The global identifier.
    pub node_id: String,
    /// The API URL of the reference.
    pub url: Url,
    pub object: GitTarget,
}

/// The object that a reference points at.
#[schema]
pub struct GitTarget {
    #[schema(rename = "type")]
    pub kind: ObjectType,
    pub sha: String,
    /// The API URL of the object.
    pub url: Url,
}

/// The type of a Git object. An annotated tag is a `tag`.
#[schema(rename_all = "lowercase")]
pub enum ObjectType {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// The commit that the examples name: the tip of `feature/a` in the demo world's
/// `acme/gadgets`, and the head of its first pull request.
pub const EXAMPLE_SHA: &str = "8eab163a70f05830af308d28304b3508f0118432";

/// The tip of `main` in the demo world's `acme/gadgets`.
pub const EXAMPLE_MAIN_SHA: &str = "d9ca5d07751fd95f561f0b4ebc34cd6a8850b70b";

impl Example for GitRef {
    fn example() -> Self {
        let repo = format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets");
        Self {
            name: "refs/heads/main".to_owned(),
            node_id: "REF_kwDNB9KvcmVmcy9oZWFkcy9tYWlu".to_owned(),
            url: format!("{repo}/git/refs/heads/main").into(),
            object: GitTarget {
                kind: ObjectType::Commit,
                sha: EXAMPLE_MAIN_SHA.to_owned(),
                url: format!("{repo}/git/commits/{EXAMPLE_MAIN_SHA}").into(),
            },
        }
    }
}
