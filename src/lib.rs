//! Forgewright: a stateful server for five areas of a forge's REST API.
//!
//! This crate serves the others over HTTP and from the command line. Rules that hold everywhere:
//!
//! - `contract` imports none of the others. The build compares it with `openapi/`.
//! - Only `forge::access` decides permissions, from one table.
//! - Every change is one transaction, begun by an operation of an area.
//! - Time, randomness and configuration are injected.

/// The command line.
pub mod cli;

/// Flags and environment variables.
pub mod config;

/// HTTP: routes, and the common handling of all requests and responses.
pub mod web;

/// Worlds that are served side by side.
pub mod worlds;

/// The operations of the control API.
pub mod control;

/// Checks of database invariants.
pub mod doctor;

/// Spans for an OpenTelemetry collector.
pub mod telemetry;

/// A server inside a test of a client.
pub mod testing;
