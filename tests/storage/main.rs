//! The database: migrations, transactions, the doctor's checks, cache coherence, and concurrent
//! clients.

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
mod schema;
#[path = "../support/mod.rs"]
mod support;
