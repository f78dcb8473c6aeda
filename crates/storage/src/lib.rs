//! What is stored, and what bounds the work on it: the tables, connections and transactions,
//! versions and the cache, permits for heavy work, rate limits, the time and randomness. Knows no
//! HTTP and no Git.

/// Cached results with the versions they depend on.
pub mod cache;

/// The time.
pub mod clock;

/// Database access.
pub mod database;

/// The tables.
pub mod entities;

/// Randomness.
pub mod entropy;

/// Files and folders that the operator names.
pub mod files;

/// Concurrency limits for heavy work.
pub mod heavy;

/// Rate limits.
pub mod limits;
