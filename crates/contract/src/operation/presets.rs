//! The rules that several operations share. `#[access(open, READ_CODE)]` names one of them.

use super::{Administrator, Kinds, Rule, Triager, Writer, read, write};

/// As recorded from GitHub, the response header lists no scopes.
const UNLISTED: Option<&[&str]> = Some(&[]);

impl Rule {
    /// Reads commits, files and Git objects.
    pub const READ_CODE: Self = Self {
        shown_scopes: UNLISTED,
        ..Self::READ_REFS
    };

    /// Reads references, or fetches.
    pub const READ_REFS: Self = Self {
        permission: read("contents"),
        scopes: &["repo"],
        ..Self::OPEN
    };

    /// Creates Git objects, deletes references, or pushes.
    pub const WRITE_GIT: Self = Self {
        permission: write("contents"),
        scopes: &["repo"],
        role: Writer,
        ..Self::TOKEN
    };

    /// Changes files or references; a change of a workflow needs a second permission.
    pub const WRITE_CODE: Self = Self {
        may_need: write("workflows"),
        ..Self::WRITE_GIT
    };

    /// Reads pull requests, their reviews and comments on their diffs.
    pub const READ_PULLS: Self = Self {
        permission: read("pull_requests"),
        scopes: &["repo"],
        shown_scopes: UNLISTED,
        ..Self::OPEN
    };

    /// Takes part in a pull request: a caller who can read the repository can, unless the
    /// operation requires more.
    pub const WRITE_PULLS: Self = Self {
        permission: write("pull_requests"),
        anonymous: false,
        ..Self::READ_PULLS
    };

    /// Reads issues.
    pub const READ_ISSUES: Self = Self {
        permission: read("issues"),
        ..Self::READ_PULLS
    };

    /// Takes part in an issue, like `WRITE_PULLS`.
    pub const WRITE_ISSUES: Self = Self {
        permission: write("issues"),
        ..Self::WRITE_PULLS
    };

    /// Reads what issues and pull requests have in common: comments, labels and assignees.
    pub const READ_CONVERSATIONS: Self = Self {
        or_permission: read("pull_requests"),
        ..Self::READ_ISSUES
    };

    /// Takes part in an issue or a pull request, like `WRITE_PULLS`.
    pub const WRITE_CONVERSATIONS: Self = Self {
        or_permission: write("pull_requests"),
        ..Self::WRITE_ISSUES
    };

    /// Labels and assigns issues and pull requests.
    pub const TRIAGE_CONVERSATIONS: Self = Self {
        role: Triager,
        ..Self::WRITE_CONVERSATIONS
    };

    /// Manages labels, locks, and the values of issue fields.
    pub const MANAGE_CONVERSATIONS: Self = Self {
        role: Writer,
        ..Self::WRITE_CONVERSATIONS
    };

    /// Reads check runs and check suites.
    pub const READ_CHECKS: Self = Self {
        permission: read("checks"),
        scopes: &["repo"],
        ..Self::OPEN
    };

    /// Reports check runs, which only apps can.
    pub const WRITE_CHECKS: Self = Self {
        kinds: Kinds::INSTALLATION,
        permission: write("checks"),
        role: Writer,
        wrong_kind: "You must authenticate via a GitHub App.",
        ..Self::TOKEN
    };

    /// Reads commit statuses.
    pub const READ_STATUSES: Self = Self {
        permission: read("statuses"),
        scopes: &["repo", "repo:status"],
        ..Self::OPEN
    };

    /// Reads a repository.
    pub const READ_METADATA: Self = Self {
        permission: read("metadata"),
        scopes: &["repo"],
        ..Self::OPEN
    };

    /// Reads a project of an organization.
    pub const READ_ORG_PROJECT: Self = Self {
        permission: read("organization_projects"),
        scopes: &["read:project"],
        ..Self::OPEN
    };

    /// Changes a project of an organization. The specification does not require a token, but
    /// nobody may change a project without one.
    pub const WRITE_ORG_PROJECT: Self = Self {
        permission: write("organization_projects"),
        scopes: &["project"],
        role: Writer,
        ..Self::TOKEN
    };

    /// Reads a project of a user (Authentication, rule 5).
    pub const READ_USER_PROJECT: Self = Self {
        kinds: Kinds::SCOPED,
        scopes: &["read:project"],
        ..Self::TOKEN
    };

    /// Changes a project of a user.
    pub const WRITE_USER_PROJECT: Self = Self {
        scopes: &["project"],
        role: Writer,
        ..Self::READ_USER_PROJECT
    };

    /// Defines the issue fields of an organization.
    pub const WRITE_ISSUE_FIELDS: Self = Self {
        permission: write("issue_fields"),
        scopes: &["admin:org"],
        role: Administrator,
        ..Self::TOKEN
    };

    /// Selects the repositories of an installation (Authentication, rule 6).
    pub const SELECT_REPOSITORIES: Self = Self {
        kinds: Kinds::CLASSIC,
        scopes: &["repo"],
        role: Administrator,
        wrong_kind: "You must authenticate with a personal access token (classic)",
        ..Self::TOKEN
    };
}
