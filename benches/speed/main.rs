//! Measures how fast the server is, relative to two baselines in the same run: a bare poem
//! server and a bare Node server that serve the same bytes from memory. `just bench` runs it;
//! `just bench --help` lists the options.
//!
//! Absolute figures depend on the machine, so the rounds of the compared programs are
//! interleaved, and the report has the ratio of the medians. Nothing here passes or fails.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark that cannot measure panics with the reason"
)]

mod cases;
mod ceiling;
mod everyday;
mod git;
mod growth;
mod http;
mod import;
mod load;
mod many;
mod neighbour;
mod options;
mod postgres;
mod report;
mod server;
mod spread;
mod world;
mod worlds;

use clap::Parser;

use options::{Command, Options};
use report::Report;

fn main() {
    let options = Options::parse();
    match &options.command {
        Some(Command::Ceiling { responses }) => ceiling::serve(responses),
        Some(Command::Everyday { against }) => everyday::run(&options, against.as_deref()),
        Some(Command::Git { commits, refs }) => git::run(&options, *commits, *refs),
        Some(Command::Growth { scale }) => growth::run(&options, scale),
        Some(Command::Import { repositories }) => import::run(&options, repositories),
        Some(Command::Postgres) => postgres::run(&options),
        Some(Command::Worlds) => worlds::run(&options),
        None => {
            let mut report = Report::default();
            if options.wants_other_than(&many::CASES) {
                cases::run(&options, &mut report);
            }
            let folder = tempfile::tempdir().unwrap();
            let file = format!("sqlite://{}/many.db", folder.path().display());
            many::run(&options, &mut report, &file, 1);
            report.write(&options.json);
        }
    }
}
