//! The world file: one YAML document that says what exists before the first
//! request, because the API has no endpoint that makes users, organizations,
//! repositories, commits, pull requests, projects, apps, installations or tokens.
//!
//! Reading goes in three steps, each with its own files: text → tree with places
//! (`node.rs`), tree → types (`record.rs`, `scalar.rs`, `body.rs`, `file.rs`), types →
//! references, uniqueness and syntax (`check.rs` and its folder). Every step adds to
//! the same `findings.rs`, and a world is given out only when there are none. What is
//! given out is brought into the database by `load.rs` and its folder.
//! The rule that surprises: no step stops at the first problem; only text that is
//! not YAML ends the reading.

mod body;
mod check;
pub mod file;
mod findings;
pub mod load;
mod node;
mod record;
mod scalar;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;

pub use body::Body;
pub use check::{AccountKind, BodyRules, Draft, Known, SCOPES, TOKEN_PERMISSIONS};
pub use file::World;
pub use findings::{Finding, Findings};
pub use node::{At, Place};
pub use record::Entries;
pub use scalar::{Count, Positive, Timestamp};
