//! Forgewright: a stateful server for five areas of a forge's REST API.
//!
//! A request passes through the modules in this order; the head of each module describes
//! it. Rules that hold everywhere:
//!
//! - `contract` imports nothing else, so that the build can compare it alone with
//!   `openapi/`.
//! - Only `access` decides permissions, from one table.
//! - Every change is one transaction, begun by an operation of an area.
//! - Time, randomness and configuration are injected.

/// The command line.
pub mod cli;

/// Flags and environment variables.
pub mod config;

/// State that every area shares.
pub mod app;

/// HTTP: routes, and the common handling of all requests and responses.
pub mod web;

/// Access control: credentials and the permission table.
pub mod access;

/// The operations, one folder for each area of the specification.
pub mod areas;

/// Response views that several areas share.
pub mod views;

/// Git objects, history and diffs, in our database.
pub mod git;

/// The origin of a change.
pub mod origin;

/// The authors of new commits and tags.
pub mod authorship;

/// Changes of references and their consequences.
pub mod refs;

/// Pull requests, and their updates when branches change.
pub mod pulls;

/// Shared parts of comments on issues and on diffs.
pub mod comments;

/// Reactions to comments.
pub mod reactions;

/// Statuses and checks of commits.
pub mod statuses;

/// Shared parts of reviews and review comments.
pub mod reviews;

/// Issues, for all areas that create, change or show them.
pub mod issues;

/// Shared parts of the project areas.
pub mod projects;

/// Files and folders that the operator names.
mod files;

/// Worlds that are served side by side.
pub mod worlds;

/// The operations of the control API.
pub mod control;

/// The most recent requests of a world.
pub mod journal;

/// Explanations of refused requests.
pub mod explain;

/// The outbox: notifications and webhooks.
pub mod notify;

/// The world file: data that no endpoint can create.
pub mod world;

/// Database access.
pub mod database;

/// Cached results with the versions they depend on.
pub mod cache;

/// The tables.
pub mod entities;

/// Checks of database invariants.
pub mod doctor;

/// The time.
pub mod clock;

/// Patterns for paths.
pub mod globs;

/// Injected faults.
pub mod faults;

/// Randomness.
pub mod entropy;

/// Spans for an OpenTelemetry collector.
pub mod telemetry;

/// Rate limits.
pub mod limits;

/// Concurrency limits for heavy work.
pub mod heavy;

/// Rendering of user text to safe HTML.
pub mod markup;

/// Issuing, listing and revoking tokens, for the operator.
pub mod tokens;

/// Global node ids.
pub mod node_id;

/// All URLs in responses.
pub mod urls;

/// A server inside a test of a client.
pub mod testing;
