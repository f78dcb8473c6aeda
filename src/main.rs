//! The binary: parse the command line, start the runtime, dispatch.

use std::process::ExitCode;

use clap::Parser;
use forgewright::cli::{self, Cli};

/// Responses consist of many small strings; this allocator is a third faster for them than
/// the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    cli::run(Cli::parse()).await
}
