//! The API as a client sees it: the real router on a private database, with a fixed clock and
//! a small world. Each area has a file; its tests are named `<operation>_<status>_<when>`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod access;
mod apps;
mod checks;
mod commits;
mod conditional;
mod contents;
mod contract;
mod control;
mod coverage;
mod credentials;
mod documents;
mod events;
mod failures;
mod git_objects;
mod git_refs;
mod graphql;
mod headers;
mod installations;
mod issue_comments;
mod issue_field_values;
mod issue_fields;
mod issues;
mod labels;
mod lookups;
mod project_fields;
mod project_items;
mod pull_lifecycle;
mod pulls;
mod rate_limits;
mod reactions;
mod review_comments;
mod reviews;
mod root;
mod security;
mod shapes;
mod statuses;
mod tokens;
mod versions;

#[path = "../parsers/mod.rs"]
mod parsers;
#[path = "../support/mod.rs"]
mod support;

use support::harness;
