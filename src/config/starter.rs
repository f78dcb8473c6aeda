//! Flags for programs that start the server: test runners, and the packages for them.

use clap::Args;

/// The options of the program that starts the server.
#[derive(Debug, Clone, Args)]
pub struct StarterConfig {
    /// Print one line of JSON when the server listens, with its URL, tokens and apps, instead of
    /// the greeting
    #[arg(long, env = "FORGEWRIGHT_ANNOUNCE")]
    pub announce: bool,

    /// Stop when standard input closes, as a pipe does when the program at its other end exits or
    /// is killed
    #[arg(long, env = "FORGEWRIGHT_EXIT_WITH_STDIN")]
    pub exit_with_stdin: bool,
}
