//! Shared support for the test binaries: private databases, servers in this process and in
//! separate processes, the API harness, the `git` program, and bounds on work.

#![allow(
    dead_code,
    unused_imports,
    reason = "each test binary uses only a part"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

pub mod database;
pub mod events;
pub mod git;
pub mod harness;
pub mod history;
pub mod postgres;
pub mod process;
pub mod processor_time;
pub mod queries;
pub mod server;
pub mod tables;

/// A setting of the tests, from the environment.
#[allow(
    clippy::disallowed_methods,
    reason = "tests are configured by the environment alone"
)]
pub fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
