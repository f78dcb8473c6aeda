//! The API as a client meets it: the real router on a private, migrated
//! database, a clock that stands still, and the world of a small YAML file.
//! Each area has its file, whose tests are named `<operation>_<status>_<when>`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod access;
mod apps;
mod conditional;
mod contract;
mod coverage;
mod credentials;
mod documents;
mod failures;
mod git_refs;
mod headers;
mod installations;
mod issue_fields;
mod lookups;
mod project_fields;
mod rate_limits;
mod review_comments;
mod security;
mod shapes;
mod tokens;
mod versions;

#[path = "../parsers/mod.rs"]
mod parsers;
#[path = "../support/mod.rs"]
mod support;

use support::harness;
