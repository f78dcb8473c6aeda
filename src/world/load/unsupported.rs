//! What a file may say and loading cannot bring in yet. It is refused, never dropped.

use crate::world::file::World;
use crate::world::findings::{Finding, Findings};

pub fn refuse(file: &str, world: &World) -> Result<(), Findings> {
    let mut findings = Findings::of(file);
    for repository in &world.repositories {
        for comment in repository.pulls.iter().flat_map(|pull| &pull.comments) {
            findings.push(Finding::at(comment.place, "comments are not supported yet"));
        }
    }
    match findings.is_empty() {
        true => Ok(()),
        false => Err(findings.sorted()),
    }
}
