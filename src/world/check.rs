//! Says everything that is wrong with a world file, and gives out only worlds with
//! which nothing is wrong. It asks what exists already (`Known`) and writes nothing.
//! The rule that surprises: what the file names again and the database has is no
//! conflict, because loading a file twice changes nothing.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use super::file::World;
use super::findings::{Finding, Findings};
use super::node::{self, Place};
use super::record::FromNode;
use index::Index;

pub use vocabulary::{NO_PERMISSION, SCOPES, TOKEN_PERMISSIONS};

mod accounts;
mod apps;
mod history;
mod ids;
mod index;
mod names;
mod paths;
mod public_key;
mod pulls;
mod repositories;
mod tokens;
mod unique;
mod vocabulary;

/// A world larger than this is a mistake: real repositories come in by `git.path`.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountKind {
    User,
    Organization,
}

/// What exists already, outside the file. Logins and full names are compared
/// without regard to case.
pub trait Known {
    fn account(&self, login: &str) -> Option<AccountKind>;
    fn repository(&self, full_name: &str) -> bool;
    fn app(&self, slug: &str) -> bool;
    fn installation(&self, app: &str, account: &str) -> bool;
}

/// What is wrong with a request body, in sentences that name its fields.
pub type BodyRule = fn(&Value) -> Vec<String>;

/// The validators that requests pass, for the items that mean request bodies.
#[derive(Clone, Copy)]
pub struct BodyRules {
    pub issue_field: BodyRule,
    pub organization_project_field: BodyRule,
    pub user_project_field: BodyRule,
    /// Not asked about replies, whose only field is `body`.
    pub review_comment: BodyRule,
}

/// A file that has been read and not yet held against what exists.
pub struct Draft {
    world: Option<World>,
    findings: Findings,
    /// A section under a wrong key is not read, and then every reference into it
    /// would be reported as well.
    complete: bool,
}

impl Draft {
    /// Reads a text. `name` is what its findings call the file.
    pub fn read(name: &str, text: &str) -> Result<Self, Findings> {
        let tree = node::parse(text).map_err(|finding| Findings::one(name, finding))?;
        if tree.is_null() {
            let finding = Finding::at(Place::START, "an empty file")
                .expected("a mapping with keys such as `users` and `repositories`");
            return Err(Findings::one(name, finding));
        }
        let mut findings = Findings::of(name);
        // Files are kept as bytes, and everything else as text.
        for place in tree.texts_with_nul("files") {
            findings.push(Finding::at(place, "a NUL character").expected("text without it"));
        }
        Ok(Self {
            world: World::from_node(&tree, "the file", &mut findings),
            findings,
            complete: !tree.has_other_keys(World::KEYS),
        })
    }

    /// What could be read of it, whether or not it is right.
    pub fn world(&self) -> Option<&World> {
        self.world.as_ref()
    }

    /// The world, if nothing is wrong with it; `clashes` are what the database
    /// alone can find.
    pub fn finish(
        mut self,
        known: &dyn Known,
        rules: &BodyRules,
        clashes: Vec<Finding>,
    ) -> Result<World, Findings> {
        if let Some(world) = self.world.as_ref().filter(|_| self.complete) {
            inspect(world, known, rules, &mut self.findings);
            clashes
                .into_iter()
                .for_each(|clash| self.findings.push(clash));
        }
        match self.world {
            Some(world) if self.findings.is_empty() => Ok(world),
            _ => Err(self.findings.sorted()),
        }
    }
}

/// What is probably not meant, although nothing is wrong with it.
pub fn warnings(world: &World, file: &str) -> Findings {
    let mut findings = Findings::of(file);
    apps::warn(world, &mut findings);
    findings.sorted()
}

fn inspect(world: &World, known: &dyn Known, rules: &BodyRules, findings: &mut Findings) {
    if let Some(version) = world
        .version
        .as_ref()
        .filter(|version| version.value.0 != 1)
    {
        findings.push(
            Finding::at(version.place, "unknown version of the format")
                .expected("`1`")
                .found(format!("`{}`", version.value.0)),
        );
    }
    let index = Index::of(world, known);
    ids::check(world, findings);
    accounts::check(world, &index, rules, findings);
    repositories::check(world, &index, rules, findings);
    apps::check(world, &index, findings);
    tokens::check(world, &index, findings);
}

/// The text of a file.
pub fn read_file(path: &Path) -> Result<String, Findings> {
    read(path).map_err(|finding| Findings::one(&path.display().to_string(), finding))
}

fn read(path: &Path) -> Result<String, Finding> {
    let unreadable = |error: std::io::Error| {
        Finding::at(Place::START, format!("the file cannot be read: {error}"))
    };
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Finding::at(Place::START, "the file is too large")
            .expected(format!("at most {} MiB", MAX_BYTES / 1024 / 1024)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(error.as_bytes().get(..valid).unwrap_or_default());
        let line = before.split('\n').next_back().unwrap_or_default();
        let place = Place {
            line: before.matches('\n').count() as u64 + 1,
            column: line.chars().count() as u64 + 1,
        };
        Finding::at(place, "a byte that is not text").expected("UTF-8")
    })
}
