//! What the service keeps, and how it keeps it: the schema, transactions, what the
//! doctor finds, the cache, and many clients at once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod coherence;
mod database;
mod doctor;
mod migrations;
mod races;
mod sample_rows;
#[path = "../support/mod.rs"]
mod support;
