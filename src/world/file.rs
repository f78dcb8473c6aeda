//! The world file's types: what a file can say, key by key. A record refuses keys
//! that it does not name. Whether the names in it refer to anything is not known
//! here (see `check.rs`).
//! The rule that surprises: nothing here is filled in. An absent key stays `None`,
//! so that loading can tell "not said" from "said to be the default".

mod git;
mod token;

use super::body::{self, Body};
use super::findings::Findings;
use super::node::{At, Node, Place};
use super::record::{FromNode, record, words};
use super::scalar::{Count, Positive, Timestamp};

pub use git::{Author, Commit, Git, Person, Tag};
pub use token::{
    AppUserToken, ClassicToken, FineGrainedToken, InstallationToken, OauthToken, Token,
    TokenRepositories,
};

record! {
    World is "a world" {
        /// Of the format; 1 when absent, and no other is known.
        optional version: At<Positive>,
        list users: User,
        list organizations: Organization,
        list repositories: Repository,
        list projects: Project,
        list apps: App,
        list installations: Installation,
        list tokens: Token,
    }
}

record! {
    User is "a user" {
        optional id: At<Positive>,
        required login: At<String>,
        optional name: At<String>,
        optional site_admin: bool,
        /// Whether it stands for somebody elsewhere, and cannot sign in.
        optional mannequin: bool,
        optional created_at: Timestamp,
    }
}

record! {
    Organization is "an organization" {
        optional id: At<Positive>,
        required login: At<String>,
        optional name: At<String>,
        /// What a member has on each repository.
        optional base_permission: BasePermission,
        list members: Member,
        list issue_fields: IssueField,
        optional created_at: Timestamp,
    }
}

words! {
    BasePermission { None = "none", #[default] Read = "read", Write = "write", Admin = "admin", }
}

record! {
    Member is "a member" {
        required login: At<String>,
        optional role: Role,
    }
}

words! {
    Role { Admin = "admin", #[default] Member = "member", }
}

/// The keys of the create body, plus `id` and `created_at`.
#[derive(Debug, Clone)]
pub struct IssueField {
    pub id: Option<At<Positive>>,
    pub created_at: Option<Timestamp>,
    pub body: Body,
}

impl FromNode for IssueField {
    fn from_node(node: &Node, key: &str, findings: &mut Findings) -> Option<Self> {
        let extras = ["id", "created_at"];
        let (keys, body) = Body::split(node, key, &body::ISSUE_FIELD, &extras, findings)?;
        Some(Self {
            id: keys.optional("id", findings),
            created_at: keys.optional("created_at", findings),
            body,
        })
    }
}

words! {
    /// Private when the file does not say: nothing becomes public by an omission.
    Visibility { Public = "public", #[default] Private = "private", }
}

words! {
    /// The same, and `internal`, which only an organization's repositories can be.
    RepositoryVisibility {
        Public = "public",
        #[default]
        Private = "private",
        Internal = "internal",
    }
}

record! {
    Repository is "a repository" {
        optional id: At<Positive>,
        required full_name: At<String>,
        optional visibility: At<RepositoryVisibility>,
        optional default_branch: At<String>,
        optional description: String,
        optional homepage: String,
        optional language: String,
        list topics: At<String>,
        /// An SPDX id.
        optional license: At<String>,
        optional archived: bool,
        optional disabled: bool,
        optional fork: bool,
        optional is_template: bool,
        optional has_issues: bool,
        optional has_projects: bool,
        optional has_wiki: bool,
        optional has_pages: bool,
        optional has_downloads: bool,
        optional allow_rebase_merge: bool,
        optional allow_squash_merge: bool,
        optional allow_auto_merge: bool,
        optional allow_merge_commit: bool,
        optional delete_branch_on_merge: bool,
        /// The full name of the repository that this one was made from.
        optional template: At<String>,
        optional mirror_url: At<String>,
        optional stargazers_count: Count,
        optional forks_count: Count,
        entries custom_properties: String,
        list collaborators: Collaborator,
        optional git: Git,
        list pulls: Pull,
        optional created_at: Timestamp,
        optional pushed_at: Timestamp,
    }
}

record! {
    Collaborator is "a collaborator" {
        required login: At<String>,
        optional permission: Permission,
    }
}

words! {
    /// Write when the file does not say, as an invitation on GitHub.
    Permission {
        Read = "read",
        Triage = "triage",
        #[default]
        Write = "write",
        Maintain = "maintain",
        Admin = "admin",
    }
}

record! {
    Pull is "a pull request" {
        optional id: At<Positive>,
        required number: At<Positive>,
        required title: At<String>,
        optional body: String,
        required author: At<String>,
        required base: At<String>,
        required head: At<String>,
        optional state: PullState,
        optional locked: bool,
        list comments: Comment,
        optional created_at: Timestamp,
    }
}

words! {
    PullState { #[default] Open = "open", Closed = "closed", Merged = "merged", }
}

/// The keys of the create body, plus `id`, `key`, `author` and `created_at`.
#[derive(Debug, Clone)]
pub struct Comment {
    pub place: Place,
    pub id: Option<At<Positive>>,
    pub key: Option<At<String>>,
    pub author: At<String>,
    pub created_at: Option<Timestamp>,
    /// The key of the comment that this one answers.
    pub in_reply_to: Option<At<String>>,
    pub body: Body,
}

impl FromNode for Comment {
    fn from_node(node: &Node, key: &str, findings: &mut Findings) -> Option<Self> {
        let extras = ["id", "key", "author", "created_at", "in_reply_to"];
        let (keys, body) = Body::split(node, key, &body::COMMENT, &extras, findings)?;
        Some(Self {
            place: node.place,
            id: keys.optional("id", findings),
            key: keys.optional("key", findings),
            author: keys.required("author", findings),
            created_at: keys.optional("created_at", findings),
            in_reply_to: keys.optional("in_reply_to", findings),
            body,
        })
    }
}

record! {
    Project is "a project" {
        optional id: At<Positive>,
        required owner: At<String>,
        required number: At<Positive>,
        required title: At<String>,
        optional visibility: Visibility,
        list fields: ProjectField,
        optional created_at: Timestamp,
    }
}

/// The keys of the add-field body, plus `id` and `created_at`.
#[derive(Debug, Clone)]
pub struct ProjectField {
    pub id: Option<At<Positive>>,
    pub created_at: Option<Timestamp>,
    pub body: Body,
}

impl FromNode for ProjectField {
    fn from_node(node: &Node, key: &str, findings: &mut Findings) -> Option<Self> {
        let extras = ["id", "created_at"];
        let (keys, body) = Body::split(node, key, &body::PROJECT_FIELD, &extras, findings)?;
        Some(Self {
            id: keys.optional("id", findings),
            created_at: keys.optional("created_at", findings),
            body,
        })
    }
}

record! {
    App is "an app" {
        optional id: At<Positive>,
        required slug: At<String>,
        required owner: At<String>,
        optional client_id: At<String>,
        optional name: At<String>,
        optional description: String,
        optional external_url: At<String>,
        /// A public RSA key in PEM.
        optional public_key: At<String>,
        /// Where to write a new private key.
        optional generate_key: At<String>,
        entries permissions: At<String>,
        list events: At<String>,
        optional webhook: Webhook,
        optional created_at: Timestamp,
    }
}

record! {
    Webhook is "a webhook" {
        required url: At<String>,
        optional secret: At<String>,
    }
}

record! {
    Installation is "an installation" {
        optional id: At<Positive>,
        required app: At<String>,
        required account: At<String>,
        optional repository_selection: RepositorySelection,
        /// Names without their owner, which is the account.
        optional repositories: At<Vec<At<String>>>,
        optional suspended_by: At<String>,
        /// The files that the permission `single_file` is about.
        optional single_file_paths: At<Vec<At<String>>>,
        optional created_at: Timestamp,
    }
}

words! {
    RepositorySelection { #[default] All = "all", Selected = "selected", }
}
