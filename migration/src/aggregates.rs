//! Which aggregates the rows of each table belong to. A cached value depends on whole
//! aggregates. A transaction that changes a row of an aggregate also changes the
//! aggregate's version. The triggers for this are generated from this map
//! (`m20260310_000013_versions`).
//!
//! Rule: a new table gets a line in `TABLES`. `tests/storage/migrations.rs` fails
//! otherwise.

/// The kinds of aggregates. The numbers are stored; never reuse one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// The whole database: every cached value depends on it.
    Everything = 0,
    /// A user, organization or bot: profile, memberships, collaborations.
    Account = 1,
    /// Which repositories an account has, with their settings.
    AccountRepositories = 2,
    /// Which apps are installed on an account.
    AccountInstallations = 3,
    /// The issue fields of an organization.
    IssueFields = 4,
    /// A repository's settings and collaborators.
    Repository = 5,
    /// All references of a repository, including the heads of pull requests, and when they last
    /// changed.
    Refs = 6,
    /// One reference.
    Ref = 7,
    /// All pull requests of a repository.
    RepositoryPulls = 8,
    /// One pull request.
    Pull = 9,
    /// A project and its fields.
    Project = 10,
    App = 11,
    /// An installation and its repositories.
    Installation = 12,
    /// A token and its repositories.
    Token = 13,
    /// The reviews and comments of a pull request.
    PullComments = 14,
    /// The comments of all pull requests of a repository.
    RepositoryComments = 15,
    /// The statuses of a commit, which is a row of `git_commit`.
    Statuses = 16,
    /// The check runs of a commit, which is a row of `git_commit`.
    Checks = 17,
    /// One issue or pull request, with its labels, assignees and field values.
    Issue = 18,
    /// All issues of a repository, pull requests among them.
    RepositoryIssues = 19,
    /// The conversation of an issue.
    IssueComments = 20,
    /// The conversations of all issues of a repository.
    RepositoryIssueComments = 21,
    /// The labels of a repository.
    Labels = 22,
    /// The items of a project, with their values.
    ProjectItems = 24,
    /// Which pull requests a repository has: their numbers, authors and states.
    PullStates = 25,
}

/// How the rows of a table relate to cached values.
#[derive(Debug)]
pub enum Rows {
    /// Changing a row changes these aggregates.
    Change(&'static [Link]),
    /// Triggers maintain the rows, and change them only together with rows of these kinds.
    Derived(&'static [Kind]),
    /// Rows are content-addressed and never change while they exist.
    Immutable,
    /// Rows hide immutable rows of other tables until they are deleted. Like a row that does not
    /// exist yet, a hidden one is in no cached value.
    Hiding,
    /// No cached value depends on the rows.
    NeverCached,
}

/// From a row to the aggregate that it belongs to. The columns that lead there are NOT NULL.
#[derive(Debug)]
pub enum Link {
    /// The row is the root of the aggregate. Nothing is cached for an aggregate that does
    /// not exist yet, so inserting the root changes no version.
    Root(Kind),
    /// This column holds the aggregate's id.
    Column(Kind, &'static str),
    /// The same, but an update of a row changes the aggregate only if it changes one of these
    /// columns, the id, or the aggregate that the row belongs to.
    Columns(Kind, &'static str, &'static [&'static str]),
    /// A column leads to a row of another table, which holds the aggregate's id:
    /// kind, column, that table, and the column there. That table has a link of its own to
    /// the aggregate, for rows that are deleted together.
    Through(Kind, &'static str, &'static str, &'static str),
    /// Every row belongs to the one aggregate of this kind.
    All(Kind),
}

impl Link {
    pub fn kind(&self) -> Kind {
        match self {
            Self::Root(kind)
            | Self::Column(kind, _)
            | Self::Columns(kind, ..)
            | Self::Through(kind, ..)
            | Self::All(kind) => *kind,
        }
    }
}

use Link::{All, Column, Columns, Root, Through};
use Rows::{Change, Derived, Hiding, Immutable, NeverCached};

/// Every table of the schema.
pub const TABLES: &[(&str, Rows)] = &[
    ("account", Change(&[Root(Kind::Account)])),
    ("app", Change(&[Root(Kind::App)])),
    ("budget", NeverCached),
    (
        "check_annotation",
        Change(&[Through(Kind::Checks, "run_id", "check_run", "commit_id")]),
    ),
    ("check_run", Change(&[Column(Kind::Checks, "commit_id")])),
    ("check_suite", Change(&[Column(Kind::Checks, "commit_id")])),
    (
        "collaborator",
        Change(&[
            Column(Kind::Repository, "repository_id"),
            Column(Kind::Account, "user_id"),
        ]),
    ),
    (
        "commit_status",
        Change(&[Column(Kind::Statuses, "commit_id")]),
    ),
    ("git_commit", Immutable),
    ("git_commit_parent", Immutable),
    ("git_object", Immutable),
    ("git_reach", Immutable),
    (
        "git_ref",
        Change(&[Root(Kind::Ref), Column(Kind::Refs, "repository_id")]),
    ),
    ("git_upload", Hiding),
    (
        "installation",
        Change(&[
            Root(Kind::Installation),
            Column(Kind::AccountInstallations, "account_id"),
        ]),
    ),
    (
        "installation_repository",
        Change(&[Column(Kind::Installation, "installation_id")]),
    ),
    (
        "issue",
        Change(&[
            Root(Kind::Issue),
            Column(Kind::RepositoryIssues, "repository_id"),
        ]),
    ),
    (
        "issue_assignee",
        Change(&[
            Column(Kind::Issue, "issue_id"),
            Through(Kind::RepositoryIssues, "issue_id", "issue", "repository_id"),
        ]),
    ),
    (
        "issue_comment",
        Change(&[
            Column(Kind::IssueComments, "issue_id"),
            Column(Kind::RepositoryIssueComments, "repository_id"),
        ]),
    ),
    (
        "issue_field",
        Change(&[Column(Kind::IssueFields, "organization_id")]),
    ),
    (
        "issue_field_option",
        Change(&[Through(
            Kind::IssueFields,
            "field_id",
            "issue_field",
            "organization_id",
        )]),
    ),
    (
        "issue_field_value",
        Change(&[
            Column(Kind::Issue, "issue_id"),
            Through(Kind::RepositoryIssues, "issue_id", "issue", "repository_id"),
        ]),
    ),
    (
        "issue_label",
        Change(&[
            Column(Kind::Issue, "issue_id"),
            Through(Kind::RepositoryIssues, "issue_id", "issue", "repository_id"),
        ]),
    ),
    ("label", Change(&[Column(Kind::Labels, "repository_id")])),
    (
        "list_length",
        Derived(&[
            Kind::PullComments,
            Kind::RepositoryComments,
            Kind::IssueComments,
            Kind::RepositoryIssueComments,
            Kind::RepositoryIssues,
            Kind::RepositoryPulls,
        ]),
    ),
    (
        "membership",
        Change(&[
            Column(Kind::Account, "organization_id"),
            Column(Kind::Account, "user_id"),
        ]),
    ),
    ("notification", NeverCached),
    ("pending_review_comment", NeverCached),
    ("project", Change(&[Root(Kind::Project)])),
    (
        "project_field",
        Change(&[Column(Kind::Project, "project_id")]),
    ),
    (
        "project_field_iteration",
        Change(&[Through(
            Kind::Project,
            "field_id",
            "project_field",
            "project_id",
        )]),
    ),
    (
        "project_field_option",
        Change(&[Through(
            Kind::Project,
            "field_id",
            "project_field",
            "project_id",
        )]),
    ),
    (
        "project_item",
        Change(&[Column(Kind::ProjectItems, "project_id")]),
    ),
    (
        "project_item_value",
        Change(&[Through(
            Kind::ProjectItems,
            "item_id",
            "project_item",
            "project_id",
        )]),
    ),
    (
        "pull",
        Change(&[
            Root(Kind::Pull),
            Column(Kind::RepositoryPulls, "repository_id"),
            Columns(Kind::Refs, "repository_id", &["number", "head_sha"]),
            Columns(
                Kind::PullStates,
                "repository_id",
                &["number", "author_id", "state"],
            ),
        ]),
    ),
    ("reaction", NeverCached),
    (
        "repository",
        Change(&[
            Root(Kind::Repository),
            Column(Kind::AccountRepositories, "owner_id"),
        ]),
    ),
    (
        "repository_push",
        Change(&[Column(Kind::Refs, "repository_id")]),
    ),
    ("review", Change(&[Column(Kind::PullComments, "pull_id")])),
    (
        "review_comment",
        Change(&[
            Column(Kind::PullComments, "pull_id"),
            Column(Kind::RepositoryComments, "repository_id"),
        ]),
    ),
    ("seaql_migrations", NeverCached),
    ("setting", Change(&[All(Kind::Everything)])),
    ("token", Change(&[Root(Kind::Token)])),
    (
        "token_repository",
        Change(&[Column(Kind::Token, "token_id")]),
    ),
    ("version", NeverCached),
    ("webhook_delivery", NeverCached),
];

/// An entity that has a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Aggregate {
    pub kind: Kind,
    pub id: i64,
}

impl Aggregate {
    pub const EVERYTHING: Self = Kind::Everything.of(0);
}

impl Kind {
    /// The aggregate of this kind with an id.
    pub const fn of(self, id: i64) -> Aggregate {
        Aggregate { kind: self, id }
    }
}
