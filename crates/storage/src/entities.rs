//! The tables, one file each: their columns, and the relations that queries use. What a
//! column may hold is enforced by the constraints in `migration/`; times are Unix
//! seconds, and JSON is text.

/// Users, organizations and bots.
pub mod account;
/// Apps and their keys.
pub mod app;
/// What callers have used of their hourly budgets.
pub mod budget;
/// Remarks of check runs on lines.
pub mod check_annotation;
/// Reports of apps on commits.
pub mod check_run;
/// The check runs of an app on a commit.
pub mod check_suite;
/// Users with access to single repositories.
pub mod collaborator;
/// Statuses of commits.
pub mod commit_status;
/// Commits as nodes of a graph.
pub mod git_commit;
/// Edges of that graph.
pub mod git_commit_parent;
/// Git objects, whole.
pub mod git_object;
/// What each commit reaches.
pub mod git_reach;
/// Branches, tags and all other references.
pub mod git_ref;
/// Pushes whose objects are not visible yet.
pub mod git_upload;
/// Apps on accounts.
pub mod installation;
/// Repositories that an installation was given one by one.
pub mod installation_repository;
/// Issues, pull requests among them.
pub mod issue;
/// Who is to take care of issues.
pub mod issue_assignee;
/// Comments in the conversations of issues.
pub mod issue_comment;
/// Issue fields of organizations.
pub mod issue_field;
/// Options of select issue fields.
pub mod issue_field_option;
/// Values of issues in issue fields.
pub mod issue_field_value;
/// Which labels issues have.
pub mod issue_label;
/// Labels of repositories.
pub mod label;
/// How many rows each long list has.
pub mod list_length;
/// Members of organizations.
pub mod membership;
/// Users who are to hear of a comment.
pub mod notification;
/// Comments of reviews that were not submitted yet.
pub mod pending_review_comment;
/// Projects of users and organizations.
pub mod project;
/// Fields of projects.
pub mod project_field;
/// Iterations of iteration fields.
pub mod project_field_iteration;
/// Options of single select fields.
pub mod project_field_option;
/// Issues, pull requests and drafts in projects.
pub mod project_item;
/// What items have in fields.
pub mod project_item_value;
/// Pull requests.
pub mod pull;
/// Reactions to comments.
pub mod reaction;
/// Repositories, beside their Git data.
pub mod repository;
/// When references of repositories last changed.
pub mod repository_push;
/// Reviews, which hold the comments.
pub mod review;
/// Comments on parts of a diff.
pub mod review_comment;
/// Values that the service makes once and keeps.
pub mod setting;
/// Access tokens, by their hashes.
pub mod token;
/// Repositories that a token was given one by one.
pub mod token_repository;
/// The versions of aggregates.
pub mod version;
/// What apps are sent by webhook, and what became of it.
pub mod webhook_delivery;
