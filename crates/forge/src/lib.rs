//! The forge: its rules, and the operations of the API.
//!
//! - Only `access` decides permissions, from one table.
//! - Every change is one transaction, begun by an operation of an area.

/// Access control: credentials and the permission table.
pub mod access;

/// State that every area shares.
pub mod app;

/// The operations, one folder for each area of the specification.
pub mod areas;

/// The authors of new commits and tags.
pub mod authorship;

/// Shared parts of comments on issues and on diffs.
pub mod comments;

/// Explanations of refused requests.
pub mod explain;

/// Injected faults.
pub mod faults;

/// Patterns for paths.
pub mod globs;

/// Issues, for all areas that create, change or show them.
pub mod issues;

/// The most recent requests of a world.
pub mod journal;

/// Rendering of user text to safe HTML.
pub mod markup;

/// Global node ids.
pub mod node_id;

/// The outbox: notifications and webhooks.
pub mod notify;

/// The origin of a change.
pub mod origin;

/// Shared parts of the project areas.
pub mod projects;

/// Pull requests, and their updates when branches change.
pub mod pulls;

/// Reactions to comments.
pub mod reactions;

/// Changes of references and their consequences.
pub mod refs;

/// Shared parts of reviews and review comments.
pub mod reviews;

/// Statuses and checks of commits.
pub mod statuses;

/// Issuing, listing and revoking tokens, for the operator.
pub mod tokens;

/// The parts of a world that the control API uses.
pub mod tools;

/// All URLs in responses.
pub mod urls;

/// Response views that several areas share.
pub mod views;
