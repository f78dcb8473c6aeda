//! The files that a world refers to: repositories to import and key files. They are checked
//! before a load writes anything, all of them at once.

use std::path::PathBuf;

use super::key_file;
use super::source::WorldSource;
use crate::file::World;
use crate::findings::{Finding, Findings, one_line};
use crate::stored::StoredRows;
use crate::yaml::At;
use git::import;

/// Checks the repositories. Disks may be slow, so this happens before the load locks the
/// database.
pub fn repositories(world: &World, source: &WorldSource) -> Vec<Finding> {
    let histories = world
        .repositories
        .iter()
        .filter_map(|spec| spec.git.as_ref());
    histories
        .filter_map(|git| git.path.as_ref())
        .filter_map(|path| readable(source, path).err())
        .collect()
}

/// Checks the key files, and reports the findings about the repositories as well.
pub fn check(
    world: &World,
    source: &WorldSource,
    stored: &StoredRows,
    repositories: Vec<Finding>,
) -> Result<(), Findings> {
    let mut findings = Findings::of(&source.name);
    for finding in repositories {
        findings.push(finding);
    }
    for app in &world.apps {
        let has_key = |slug: &str| {
            let row = stored.app(slug);
            row.is_some_and(|row| !row.public_key.is_empty())
        };
        if app.public_key.is_some() || has_key(&app.slug.value) {
            continue;
        }
        let file_name = app.generate_key.as_ref();
        if let Some(Err(finding)) = file_name.map(|name| key_file::check(source, name)) {
            findings.push(finding);
        }
    }
    match findings.is_empty() {
        true => Ok(()),
        false => Err(findings.sorted()),
    }
}

/// The path of a repository on disk.
pub fn repository(source: &WorldSource, path: &At<String>) -> Result<PathBuf, Finding> {
    let folder = source.folder.as_ref().ok_or_else(|| {
        Finding::at(
            path.location,
            "`path` in a world that is not a file on disk",
        )
        .expected("`commits`")
    })?;
    Ok(folder.join(&path.value))
}

fn readable(source: &WorldSource, path: &At<String>) -> Result<(), Finding> {
    let at = repository(source, path)?;
    import::check(&at).map_err(|cause| Finding::at(path.location, one_line(&cause.to_string())))
}
