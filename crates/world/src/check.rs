//! Reports everything that is wrong with a world file, and returns only worlds without
//! findings. It reads the existing rows (`StoredRows`) and writes nothing.
//! Note: an item that the database already has is not a conflict, because loading a file twice
//! changes nothing.

use std::io::ErrorKind;
use std::path::Path;

use super::file::World;
use super::findings::{Finding, Findings};
use super::ids;
use super::record::{FromYaml, Record};
use super::references::references;
use super::stored::StoredRows;
use super::yaml::{self, Location};
use index::Index;
use storage::files::read_regular;

mod accounts;
mod apps;
mod history;
mod index;
mod issues;
mod items;
mod names;
mod paths;
mod pulls;
mod reports;
mod repositories;
mod unique;

/// A world larger than this is a mistake: real repositories come in by `git.path`.
pub const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A parsed file that is not yet compared with the database.
pub struct ParsedWorld {
    world: Option<World>,
    findings: Findings,
    /// A section under a wrong key is not read, and then every reference into it
    /// would be reported as well.
    complete: bool,
}

impl ParsedWorld {
    /// Parses a text. Findings use `name` for the file.
    pub fn read(name: &str, text: &str) -> Result<Self, Findings> {
        let tree = yaml::parse(text).map_err(|finding| Findings::one(name, finding))?;
        if tree.is_null() {
            let finding = Finding::at(Location::START, "the file is empty")
                .expected("a mapping with keys such as `users` and `repositories`");
            return Err(Findings::one(name, finding));
        }
        let mut findings = Findings::of(name);
        // Files are stored as bytes, and everything else as text.
        for location in tree.texts_with_nul("files") {
            findings.report(location, "a NUL character", "text without NUL");
        }
        let mut keys = tree.entries().iter().map(|(name, _)| name.value.as_str());
        Ok(Self {
            world: World::from_yaml(&tree, "the file", &mut findings),
            findings,
            complete: keys.all(|key| World::FIELDS.contains(&key)),
        })
    }

    /// The parts that could be read, whether or not they are valid.
    pub fn world(&self) -> Option<&World> {
        self.world.as_ref()
    }

    /// The world, if it is valid.
    pub fn checked(mut self, stored: &StoredRows) -> Result<World, Findings> {
        if let Some(world) = self.world.as_ref().filter(|_| self.complete) {
            check(world, stored, &mut self.findings);
        }
        match self.world {
            Some(world) if self.findings.is_empty() => Ok(world),
            _ => Err(self.findings.sorted()),
        }
    }
}

/// Valid but probably mistaken entries.
pub fn warnings(world: &World, file: &str) -> Findings {
    let mut findings = Findings::of(file);
    apps::warn(world, &mut findings);
    findings.sorted()
}

fn check(world: &World, stored: &StoredRows, findings: &mut Findings) {
    let version = world.version.as_ref();
    if let Some(version) = version.filter(|version| version.value.0 != 1) {
        findings.push(
            Finding::at(version.location, "unknown version of the format")
                .expected("`1`")
                .found(format!("`{}`", version.value.0)),
        );
    }
    let index = Index::of(world, stored);
    for reference in references(world) {
        index.resolve(reference, findings);
    }
    ids::check(world, stored, findings);
    accounts::check(world, &index, findings);
    repositories::check(world, &index, findings);
    apps::check(world, stored, findings);
    apps::check_tokens(world, &index, findings);
}

/// The text of a file.
pub fn read_file(path: &Path) -> Result<String, Findings> {
    read(path).map_err(|finding| Findings::one(&path.display().to_string(), finding))
}

fn read(path: &Path) -> Result<String, Finding> {
    let bytes = read_regular(path, MAX_BYTES).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => Finding::at(Location::START, "the file is too large")
            .expected(format!("at most {} MiB", MAX_BYTES / 1024 / 1024)),
        _ => Finding::at(Location::START, format!("cannot read the file: {error}")),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(error.as_bytes().get(..valid).unwrap_or_default());
        let line = before.split('\n').next_back().unwrap_or_default();
        let location = Location {
            line: before.matches('\n').count() as u64 + 1,
            column: line.chars().count() as u64 + 1,
        };
        Finding::at(location, "invalid UTF-8").expected("a file in UTF-8")
    })
}
