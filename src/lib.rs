//! Forgewright: five areas of a forge's REST API, with state.
//!
//! A request walks through the modules in this order; each opens with what lives
//! in it. The rules that hold everywhere:
//!
//! - `contract` knows nothing of the rest, so that the build can compare it alone
//!   with `openapi/`. Each operation is declared there, once.
//! - Who may do what is decided in `access`, from one table, and nowhere else.
//! - Every change is one transaction, begun by an operation of an area.
//! - The time, randomness and configuration are handed in, never reached for.

/// The command line.
pub mod cli;

/// Flags and environment variables.
pub mod config;

/// What every area holds.
pub mod app;

/// Routes, and what all requests and answers have in common.
pub mod web;

/// What clients see: operations, bodies, answers; the source of both documents.
pub mod contract;

/// Authentication and authorization: credentials, and the permission table.
pub mod access;

/// How: one folder for each area of the specification.
pub mod areas;

/// What more than one area shows: rows as the shapes of the contract.
pub mod views;

/// Git's objects, history and differences, in our database.
pub mod git;

/// What becomes of pull requests when their branch changes.
pub mod pulls;

/// What a change owes to others: notifications and webhooks.
pub mod notify;

/// The world file: data that no endpoint can make.
pub mod world;

/// The way to the database.
pub mod database;

/// Results computed from the database, each with the versions that it depends on.
pub mod cache;

/// The tables.
pub mod entities;

/// Checks of what must hold in the database.
pub mod doctor;

/// The time.
pub mod clock;

/// Randomness.
pub mod entropy;

/// Spans for an OpenTelemetry collector.
pub mod telemetry;

/// Rate limits.
pub mod limits;

/// Work that takes long, in fair turns.
pub mod heavy;

/// Text that users wrote, as safe HTML.
pub mod markup;

/// Tokens: their values and rows, and the operator's commands for them.
pub mod tokens;

/// Global ids.
pub mod node_id;

/// Every address that an answer names.
pub mod urls;

/// The documents as YAML; shared with the build script.
#[path = "../openapi/yaml.rs"]
pub mod openapi_yaml;
