//! The types of the world file, key by key. A record rejects keys that it does not declare.
//! `check.rs` checks whether the names in it refer to anything.
//! Note: no default is filled in. An absent key stays `None`, so that loading can distinguish
//! an absent key from one that has the default.

mod git;
mod token;

use super::findings::Findings;
use super::record::{FromYaml, record, words};
use super::scalar::{Count, DateTime, Positive, column_value, enum_value};
use super::yaml::{At, Yaml};
use contract::checks::CreateCheckRun;
use contract::issue_comments::WriteIssueComment;
use contract::issue_field_values::GivenValue;
use contract::issue_fields::CreateIssueField;
use contract::project_fields::AddOrgProjectField;
use contract::review_comments::CreateReviewComment;
use contract::statuses::CreateCommitStatus;
use storage::entities::collaborator::Permission;
use storage::entities::installation::RepositorySelection;
use storage::entities::issue::{IssueState, StateReason};
use storage::entities::membership::Role;
use storage::entities::pull::PullState;
use storage::entities::repository::Visibility;
use storage::entities::review::ReviewState;

pub use git::{Author, Commit, Git, Person, Tag};
pub use token::{Token, TokenRepositories};

words! {
    Permission: Read | Triage | Write | Maintain | Admin;
    Role: Admin | Member;
    RepositorySelection: All | Selected;
    PullState: Open | Closed | Merged;
    IssueState: Open | Closed;
    StateReason: Completed | NotPlanned | Duplicate | Reopened;
    ReviewState: Approved | ChangesRequested | Commented | Dismissed;
    Visibility: Public | Private;
}

record! {
    World is "a world" {
        /// The version of the format; 1 if absent, and no other is supported.
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
        /// Whether it represents a person of another host, and cannot sign in.
        optional mannequin: bool,
        optional created_at: DateTime,
    }
}

record! {
    Organization is "an organization" {
        optional id: At<Positive>,
        required login: At<String>,
        optional name: At<String>,
        optional base_permission: BasePermission,
        list members: Member,
        list issue_fields: IssueField,
        optional created_at: DateTime,
    }
}

/// The permission of members on each repository.
#[derive(Debug, Clone, Copy)]
pub struct BasePermission(pub Permission);

impl FromYaml for BasePermission {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        use Permission::{Admin, None, Read, Write};
        column_value(yaml, key, &[None, Read, Write, Admin], findings).map(Self)
    }
}

record! {
    Member is "a member" {
        required login: At<String>,
        optional role: Role,
    }
}

record! {
    /// The keys of the create body, and two of the file's own.
    IssueField is "an issue field" {
        optional id: At<Positive>,
        optional created_at: DateTime,
        request request: CreateIssueField,
    }
}

/// The visibility of a repository; only an organization's can be internal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisibilitySetting {
    pub stored: Visibility,
    pub internal: bool,
}

impl FromYaml for VisibilitySetting {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        let values = [
            ("public", Visibility::Public, false),
            ("private", Visibility::Private, false),
            ("internal", Visibility::Private, true),
        ];
        let values = values.map(|(name, stored, internal)| (name, Self { stored, internal }));
        enum_value(yaml, key, &values, findings)
    }
}

record! {
    Repository is "a repository" {
        optional id: At<Positive>,
        required full_name: At<String>,
        optional visibility: At<VisibilitySetting>,
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
        list labels: Label,
        list issues: Issue,
        list pulls: Pull,
        list statuses: Status,
        list check_runs: CheckRun,
        optional created_at: DateTime,
        optional pushed_at: DateTime,
    }
}

impl Repository {
    /// The comments of all conversations, each with the number of its issue.
    pub fn conversations(&self) -> impl Iterator<Item = (i64, &IssueComment)> {
        let issues = self.issues.iter();
        let issues = issues.map(|issue| (issue.number.value.0, &issue.conversation));
        let pulls = self.pulls.iter();
        let pulls = pulls.map(|pull| (pull.number.value.0, &pull.conversation));
        let comments = issues.chain(pulls);
        comments.flat_map(|(number, comments)| comments.iter().map(move |item| (number, item)))
    }
}

record! {
    Collaborator is "a collaborator" {
        required login: At<String>,
        optional permission: Permission,
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
        /// The commits of the branches, which need not exist any more.
        optional base_sha: At<String>,
        optional head_sha: At<String>,
        optional state: PullState,
        optional draft: bool,
        optional maintainer_can_modify: bool,
        optional locked: bool,
        list labels: At<String>,
        list assignees: At<String>,
        entries field_values: At<GivenValue>,
        /// Comments that are on no line.
        list conversation: IssueComment,
        list reviews: Review,
        list comments: Comment,
        optional created_at: DateTime,
        optional updated_at: DateTime,
        optional closed_at: DateTime,
        optional merged_at: DateTime,
        optional merged_by: At<String>,
        optional merge_commit_sha: At<String>,
    }
}

record! {
    Label is "a label" {
        required name: At<String>,
        /// Six hexadecimal digits.
        optional color: At<String>,
        optional description: At<String>,
        /// Whether it is one of the default labels.
        optional default: bool,
    }
}

record! {
    Issue is "an issue" {
        optional id: At<Positive>,
        required number: At<Positive>,
        required title: At<String>,
        optional body: String,
        required author: At<String>,
        optional state: IssueState,
        optional state_reason: StateReason,
        optional locked: bool,
        list labels: At<String>,
        list assignees: At<String>,
        /// By the names of the issue fields.
        entries field_values: At<GivenValue>,
        list conversation: IssueComment,
        optional created_at: DateTime,
        optional updated_at: DateTime,
        optional closed_at: DateTime,
        optional closed_by: At<String>,
    }
}

record! {
    /// The keys of the create body, and some of the file's own.
    IssueComment is "a comment" {
        optional id: At<Positive>,
        required author: At<String>,
        optional created_at: DateTime,
        optional updated_at: DateTime,
        request request: WriteIssueComment,
    }
}

record! {
    /// The keys of the create body, and some of the file's own.
    Status is "a status" {
        /// The commit, by its id in the file or its SHA-1.
        required sha: At<String>,
        required creator: At<String>,
        optional created_at: DateTime,
        request request: CreateCommitStatus,
    }
}

record! {
    /// The keys of the create body, and one of the file's own. A commit may be named by its id
    /// in the file.
    CheckRun is "a check run" {
        /// The slug of the app that reports.
        required app: At<String>,
        required head_sha: At<String>,
        request request: CreateCheckRun,
    }
}

record! {
    /// A submitted review.
    Review is "a review" {
        optional id: At<Positive>,
        /// The name by which comments refer to it.
        optional key: At<String>,
        required author: At<String>,
        /// `COMMENTED` by default.
        optional state: ReviewState,
        optional body: String,
        /// The reviewed commit; the head by default.
        optional commit_id: At<String>,
        optional submitted_at: DateTime,
    }
}

record! {
    /// The keys of the create body, and some of the file's own.
    Comment is "a review comment" {
        optional id: At<Positive>,
        optional key: At<String>,
        required author: At<String>,
        optional created_at: DateTime,
        optional updated_at: DateTime,
        /// The key of the review that it belongs to; a review of its own by default.
        optional review: At<String>,
        /// The key of the comment that this one answers; the request has an id there.
        optional in_reply_to: At<String>,
        /// What it was made on. With it, a comment may be on lines that the diff does not have:
        /// then it is outdated.
        optional diff_hunk: String,
        request request: CreateReviewComment,
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
        list items: ProjectItem,
        optional created_at: DateTime,
    }
}

record! {
    /// An issue or a pull request, by `repository` and `number`, or a draft with a `title`.
    ProjectItem is "a project item" {
        optional id: At<Positive>,
        optional repository: At<String>,
        optional number: At<Positive>,
        optional title: At<String>,
        optional body: At<String>,
        /// The user who added it; the owner of the project by default.
        optional author: At<String>,
        optional archived: bool,
        /// By the names of fields. Options and iterations are given by name, too.
        entries values: At<GivenValue>,
        optional created_at: DateTime,
    }
}

record! {
    /// The keys of the add-field body, and two of the file's own.
    ProjectField is "a project field" {
        optional id: At<Positive>,
        optional created_at: DateTime,
        request request: AddOrgProjectField,
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
        optional created_at: DateTime,
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
        /// The files that the permission `single_file` covers.
        optional single_file_paths: At<Vec<At<String>>>,
        optional created_at: DateTime,
    }
}
