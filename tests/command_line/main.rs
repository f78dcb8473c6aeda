//! The binary as a person runs it: what each command prints, writes and refuses.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod asking;
mod backup;
mod checks;
mod export;
mod malformed;
#[cfg(target_os = "linux")]
mod memory;
mod output;
mod printed;
mod serve;
mod starter;
#[path = "../support/mod.rs"]
mod support;
mod telemetry;
