//! Help texts: examples, completions and manual pages.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use super::print::{self, say};
use super::{Cli, Failure};

/// The most common first steps.
pub const EXAMPLES: &str = "Examples:
  forgewright                                       serve the demo world on 127.0.0.1:8080
  forgewright serve --world world.yaml              serve your own world
  forgewright world check world.yaml                validate a world file
  forgewright world show                            list what exists, with ids
  forgewright token issue classic --user alice --scope repo
  forgewright doctor                                check the database for damage
  forgewright completions bash > /etc/bash_completion.d/forgewright";

pub fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "forgewright", &mut script);
    print::all(format_args!("{}", String::from_utf8_lossy(&script)))
}

/// Writes manual pages, named as Git's are: `forgewright-world-load.1`.
pub fn manual(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(Failure::of)?;
    clap_mangen::generate_to(Cli::command(), folder).map_err(Failure::of)?;
    say!("Wrote the manual pages to {}.", folder.display())
}
