//! What a file may say and loading cannot bring in yet. It is refused, never dropped.

use crate::world::file::World;
use crate::world::findings::{Finding, Findings};

pub fn refuse(file: &str, world: &World) -> Result<(), Findings> {
    let mut findings = Findings::of(file);
    let fields = world
        .organizations
        .iter()
        .flat_map(|item| &item.issue_fields);
    for field in fields {
        findings.push(Finding::at(
            field.body.place(),
            "issue fields are not supported yet",
        ));
    }
    for field in world.projects.iter().flat_map(|item| &item.fields) {
        findings.push(Finding::at(
            field.body.place(),
            "project fields are not supported yet",
        ));
    }
    for repository in &world.repositories {
        if let Some(git) = &repository.git {
            findings.push(Finding::at(git.place, "Git data is not supported yet"));
        }
        for pull in &repository.pulls {
            findings.push(Finding::at(
                pull.place,
                "pull requests are not supported yet",
            ));
        }
    }
    match findings.is_empty() {
        true => Ok(()),
        false => Err(findings.sorted()),
    }
}
