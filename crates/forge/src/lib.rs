//! The forge: its rules, and the operations of the API.
//!
//! - Each noun of the API has one room: its operations, rules, rows and views.
//! - Only `access` decides permissions, from one table.
//! - Every change is one transaction, begun by an operation.

/// Access control: credentials and the permission table.
pub mod access;
/// Accounts in responses.
pub mod accounts;
/// The state that every noun shares.
pub mod app;
/// Apps, their webhooks and tokens.
pub mod apps;
/// Assignees of issues and pull requests.
pub mod assignees;
/// Check runs and check suites.
pub mod checks;
/// Shared parts of comments on issues and on diffs.
pub mod comments;
/// Commits and comparisons.
pub mod commits;
/// Files of a repository.
pub mod contents;
/// Events, and the queue of their deliveries.
pub mod events;
/// Explanations of refused requests.
pub mod explain;
/// Injected faults.
pub mod faults;
/// Blobs, trees, commits and tags as they are stored.
pub mod git_objects;
/// Git references.
pub mod git_refs;
/// Git over HTTP.
pub mod git_transport;
/// Patterns for paths.
pub mod globs;
/// Installations of apps.
pub mod installations;
/// Comments on issues.
pub mod issue_comments;
/// Values of issue fields.
pub mod issue_field_values;
/// Issue fields of organizations.
pub mod issue_fields;
/// Issues, and pull requests as issues.
pub mod issues;
/// The most recent requests of a world.
pub mod journal;
/// Labels.
pub mod labels;
/// Users, organizations, repositories and what else clients look up.
pub mod lookups;
/// Rendering of user text to safe HTML.
pub mod markup;
/// The word that was probably meant.
pub mod nearest;
/// Global node ids.
pub mod node_id;
/// Notifications of users.
pub mod notifications;
/// Connections to other servers.
pub mod outbound;
/// Fields of projects.
pub mod project_fields;
/// Items of projects.
pub mod project_items;
/// Shared parts of project fields and items.
pub mod projects;
/// Pull requests, and their updates when branches change.
pub mod pulls;
/// Changes of references and their consequences.
pub mod pushes;
/// Reactions to comments.
pub mod reactions;
/// Repositories in responses.
pub mod repositories;
/// Comments on the diffs of pull requests.
pub mod review_comments;
/// Reviews of pull requests.
pub mod reviews;
/// The router: every operation with its implementation.
pub mod router;
/// Statuses of commits.
pub mod statuses;
/// Issuing, listing and revoking tokens, for the operator.
pub mod tokens;
/// The parts of a world that the control API uses.
pub mod tools;
/// All URLs in responses.
pub mod urls;
/// Parts of responses that belong to no noun.
pub mod views;
/// Webhooks: payloads, deliveries and their dispatcher.
pub mod webhooks;
