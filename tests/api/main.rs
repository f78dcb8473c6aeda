//! The API as a client meets it: the real router on a private, migrated
//! database, a clock that stands still, and the world of a small YAML file.
//! Each area has its file, whose tests are named `<operation>_<status>_<when>`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod apps;
mod failures;
mod harness;
mod installations;
mod lookups;
mod tokens;
