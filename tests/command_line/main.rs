//! The binary as a user runs it: the output, the files and the errors of each command.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod backup;
mod checks;
mod control;
mod export;
mod import;
mod malformed;
#[cfg(target_os = "linux")]
mod memory;
mod output;
mod pages;
mod pipes;
mod printed;
mod serve;
mod starter;
#[path = "../support/mod.rs"]
mod support;
mod telemetry;
