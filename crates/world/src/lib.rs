//! The world file: one YAML document that describes the data that exists before the first
//! request. The API has no endpoints to create users, organizations, repositories, commits,
//! pull requests, projects, apps, installations or tokens.
//!
//! Reading has three steps: text → tree with locations (`yaml.rs`), tree → types
//! (`record.rs`, `scalar.rs`, `body.rs`, `file.rs`), types → references, uniqueness and
//! syntax (`check.rs`, `references.rs`, `ids.rs`). Every step adds to the same
//! `findings.rs`, and only a world without findings is loaded (`load.rs`).
//! Note: no step stops at the first problem; only text that is not YAML ends the reading.

mod body;
mod check;
/// What exists in a world.
pub mod contents;
pub mod file;
mod findings;
mod ids;
pub mod load;
mod record;
mod references;
mod scalar;
mod stored;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
/// A world file to write.
pub mod written;
mod yaml;

pub use body::RequestBody;
pub use file::World;
pub use findings::{Finding, Findings};
pub use record::Entries;
pub use scalar::{Count, DateTime, Positive};
pub use yaml::{At, Location};
