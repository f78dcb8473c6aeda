//! The command line of the benchmark.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Measures the release server against a bare poem server and a bare Node server
#[derive(Debug, Clone, Parser)]
pub struct Options {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The names of cases to run, separated by commas; all by default
    #[arg(long, value_delimiter = ',', global = true)]
    pub cases: Vec<String>,

    /// Rounds; each measures every program once, and the report compares medians
    #[arg(long, default_value_t = 5, global = true)]
    pub rounds: usize,

    /// Seconds of load per round and program
    #[arg(long, default_value_t = 4, global = true)]
    pub seconds: u64,

    /// Concurrent persistent connections
    #[arg(long, default_value_t = 64, global = true)]
    pub connections: usize,

    /// The server binary; the release build by default
    #[arg(long, default_value = env!("CARGO_BIN_EXE_forgewright"), global = true)]
    pub server: PathBuf,

    /// Additional options for the server, separated by spaces
    #[arg(long, default_value = "", allow_hyphen_values = true, global = true)]
    pub server_options: String,

    /// The database of the server, to measure another disk or PostgreSQL
    #[arg(long, global = true)]
    pub database_url: Option<String>,

    /// Skip the bare Node server
    #[arg(long, global = true)]
    pub without_node: bool,

    /// Also write the figures here, as JSON
    #[arg(long, default_value = "target/speed.json", global = true)]
    pub json: PathBuf,

    /// Cargo passes this flag; it has no effect
    #[arg(long, hide = true, global = true)]
    pub bench: bool,
}

#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Compare a small database with a large one
    Growth {
        /// The size: 1 is a million comments, 200,000 references and 100,000 commits
        #[arg(long, default_value_t = 1.0)]
        scale: f64,
    },
    /// Compare clones, pushes and lists of references with `git http-backend`
    Git {
        /// Commits in the repository
        #[arg(long, default_value_t = 100_000)]
        commits: u64,

        /// References in the repository with many references
        #[arg(long, default_value_t = 200_000)]
        refs: u64,
    },
    /// Processor time of requests to the demo world, as people run the server
    Everyday {
        /// Another binary to compare with, such as the one of the release before
        #[arg(long)]
        against: Option<PathBuf>,
    },
    /// Import repositories and compare the database with their packs
    Import {
        /// Bare repositories with packs
        #[arg(required = true)]
        repositories: Vec<PathBuf>,
    },
    /// Compare the server on PostgreSQL with pgbench on the same PostgreSQL
    Postgres,
    /// Create, reset and delete worlds
    Worlds,
    /// The bare poem server; the benchmark starts it itself
    #[command(hide = true)]
    Ceiling { responses: PathBuf },
}

impl Options {
    pub fn wants(&self, case: &str) -> bool {
        self.cases.is_empty() || self.cases.iter().any(|name| name == case)
    }

    pub fn wants_other_than(&self, cases: &[&str]) -> bool {
        let mut named = self.cases.iter();
        self.cases.is_empty() || named.any(|name| !cases.contains(&name.as_str()))
    }
}
