//! Writes a world file item by item, so that nothing but the current item is in memory. The file
//! gets its name when it is complete, and only its owner can read it.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use serde_saphyr::{SerializerOptions, ser_options};
use tempfile::NamedTempFile;

use super::records::World;
use crate::check::MAX_BYTES;
use crate::yaml::MAX_NODES;

/// Why a world file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("cannot write {}: {cause}", .path.display())]
    Io { path: PathBuf, cause: io::Error },
    #[error("cannot write the world: {0}")]
    Value(String),
    /// The reader would refuse the file.
    #[error(
        "the world is too large for one file: at most {} MiB and {MAX_NODES} values",
        MAX_BYTES / 1024 / 1024
    )]
    TooLarge,
}

/// Writes a whole world. `path` must not exist.
pub fn write(path: &Path, world: &World) -> Result<(), WriteError> {
    let mut file = WorldFile::create(path)?;
    file.list("users", &world.users)?;
    file.list("organizations", &world.organizations)?;
    file.list("repositories", &world.repositories)?;
    file.list("projects", &world.projects)?;
    file.list("apps", &world.apps)?;
    file.list("installations", &world.installations)?;
    file.list("tokens", &world.tokens)?;
    file.finish()
}

/// A world file in the making. Without `finish`, nothing is left of it.
#[derive(Debug)]
pub struct WorldFile {
    path: PathBuf,
    out: BufWriter<NamedTempFile>,
    /// The lists around the next item, outermost first.
    lists: Vec<OpenList>,
    bytes: u64,
    nodes: usize,
}

#[derive(Debug)]
struct OpenList {
    key: &'static str,
    /// Whether its key is in the file; that of an empty list is left out.
    written: bool,
}

impl WorldFile {
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let out = NamedTempFile::new_in(folder).map_err(|cause| failed(path, cause))?;
        let mut file = Self {
            path: path.to_owned(),
            out: BufWriter::new(out),
            lists: Vec::new(),
            bytes: 0,
            nodes: 1,
        };
        file.append("version: 1\n", 2)?;
        Ok(file)
    }

    /// Begins a list: a section of the world, or a key of the last item.
    pub fn open(&mut self, key: &'static str) {
        self.lists.push(OpenList {
            key,
            written: false,
        });
    }

    /// Ends the list that was begun last.
    pub fn close(&mut self) {
        self.lists.pop();
    }

    /// Writes an item of the list that was begun last.
    pub fn item<T: Serialize>(&mut self, item: &T) -> Result<(), WriteError> {
        let invalid = |error: &dyn std::fmt::Display| WriteError::Value(error.to_string());
        let value = serde_json::to_value(item).map_err(|error| invalid(&error))?;
        let yaml = serde_saphyr::to_string_with_options(&value, options());
        let yaml = yaml.map_err(|error| invalid(&error))?;
        let mut text = String::with_capacity(yaml.len() + yaml.len() / 8);
        let mut added = nodes(&value);
        for (depth, list) in self.lists.iter_mut().enumerate() {
            if !list.written {
                list.written = true;
                added += 2;
                indent(&mut text, depth);
                let _ = writeln!(text, "{}:", list.key);
            }
        }
        let depth = self.lists.len().saturating_sub(1);
        for (line, start) in yaml
            .split_inclusive('\n')
            .zip(["- "].into_iter().chain(std::iter::repeat("  ")))
        {
            indent(&mut text, depth);
            text.push_str(start);
            text.push_str(line);
        }
        self.append(&text, added)
    }

    /// Writes a complete list.
    pub fn list<T: Serialize>(&mut self, key: &'static str, items: &[T]) -> Result<(), WriteError> {
        self.open(key);
        for item in items {
            self.item(item)?;
        }
        self.close();
        Ok(())
    }

    /// Gives the file its name, once it is on disk.
    pub fn finish(self) -> Result<(), WriteError> {
        let path = self.path;
        let file = self.out.into_inner();
        let file = file.map_err(|error| failed(&path, error.into_error()))?;
        let synced = file.as_file().sync_all();
        synced.map_err(|cause| failed(&path, cause))?;
        let named = file.persist_noclobber(&path);
        named.map_err(|error| failed(&path, error.error))?;
        Ok(())
    }

    fn append(&mut self, text: &str, nodes: usize) -> Result<(), WriteError> {
        self.bytes += text.len() as u64;
        self.nodes += nodes;
        if self.bytes > MAX_BYTES || self.nodes > MAX_NODES {
            return Err(WriteError::TooLarge);
        }
        let written = self.out.write_all(text.as_bytes());
        written.map_err(|cause| failed(&self.path, cause))
    }
}

/// Lists are not indented below their keys.
fn indent(text: &mut String, depth: usize) {
    text.extend(std::iter::repeat_n("  ", depth));
}

/// As the reader counts them.
fn nodes(value: &Value) -> usize {
    let mut count = 0;
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        count += 1;
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(entries) => {
                count += entries.len();
                rest.extend(entries.values());
            }
            _ => {}
        }
    }
    count
}

/// Texts of several lines are blocks. Long lines are not folded.
fn options() -> SerializerOptions {
    ser_options! { folded_wrap_chars: usize::MAX }
}

fn failed(path: &Path, cause: io::Error) -> WriteError {
    let path = path.to_owned();
    WriteError::Io { path, cause }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeMap;

    use serde_saphyr::Budget;
    use serde_saphyr::budget::{EnforcingPolicy, check_yaml_budget};

    use super::*;
    use crate::written::{GivenFieldValue, Issue, Repository};

    #[test]
    fn values_are_counted_as_by_the_reader() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("world.yaml");
        let mut file = WorldFile::create(&path).unwrap();
        file.open("repositories");
        let names = GivenFieldValue::Names(vec!["a: b\n".to_owned(), String::new()]);
        for _ in 0..2 {
            let topics = vec!["a".to_owned(), "1".to_owned()];
            let repository = Repository {
                topics,
                ..Repository::default()
            };
            file.item(&repository).unwrap();
            let issue = Issue {
                field_values: BTreeMap::from([("a".to_owned(), names.clone())]),
                ..Issue::default()
            };
            file.list("issues", &[issue.clone(), issue]).unwrap();
        }
        let counted = file.nodes;
        file.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let policy = EnforcingPolicy::AllContent;
        let report = check_yaml_budget(&text, Budget::default(), policy).unwrap();
        assert_eq!(counted, report.nodes);
    }

    #[test]
    fn a_world_that_the_reader_would_refuse_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("world.yaml");
        let item = Repository::default();
        let mut long = WorldFile::create(&path).unwrap();
        long.open("repositories");
        long.item(&item).unwrap();
        let (bytes, nodes) = (long.bytes, long.nodes);
        long.item(&item).unwrap();
        let (bytes, nodes) = (long.bytes - bytes, long.nodes - nodes);
        long.bytes = MAX_BYTES - bytes;
        long.nodes = MAX_NODES - nodes;
        long.item(&item).unwrap();
        long.bytes = MAX_BYTES - bytes + 1;
        assert!(matches!(long.item(&item), Err(WriteError::TooLarge)));
        long.bytes = 0;
        long.nodes = MAX_NODES - nodes + 1;
        assert!(matches!(long.item(&item), Err(WriteError::TooLarge)));
        drop(long);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
