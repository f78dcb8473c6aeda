//! The answers of the server, on disk: each is a file, named by a hash of its address, that
//! appears whole or not at all. So an import that was interrupted goes on where it was, and one
//! that is repeated asks only for what has changed.
//!
//! A generation is one import from its beginning to its end. An answer of the current generation
//! is used as it is; an older one only if the server confirms it.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use url::Url;

use crate::client::{AnswerPage, MAX_BODY};

/// The folder of an import within its world.
pub const FOLDER: &str = ".import";

const STATE: &str = "state.json";
const ANSWERS: &str = "answers";
const LOCK: &str = "lock";

/// How the names of files and folders begin that are not complete yet.
pub const UNFINISHED: &str = "new-";

/// A header is longer than this only if something else wrote it.
const MAX_HEADER: u64 = 64 << 10;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{path}: {cause}")]
    Io { path: String, cause: io::Error },
    #[error("{0} is not empty and has no import; choose a new folder for --out")]
    NotAnImport(String),
    #[error("{path} has an import from {root}; choose another folder for --out")]
    OtherServer { path: String, root: String },
    #[error("another import is writing to {0}")]
    Busy(String),
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredImport {
    root: String,
    generation: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct AnswerHeader {
    url: String,
    generation: u64,
    length: usize,
    etag: Option<String>,
    next: Option<String>,
}

/// A stored answer.
pub struct Stored {
    pub page: AnswerPage,
    /// Whether the current import has read it.
    pub current: bool,
}

pub struct AnswerStore {
    folder: PathBuf,
    state: StoredImport,
    _lock: File,
}

impl AnswerStore {
    /// Opens or begins an import in `world`, the folder of a world.
    pub fn open(world: &Path, root: &str) -> Result<Self, StoreError> {
        let folder = world.join(FOLDER);
        if !folder.exists() && fs::read_dir(world).is_ok_and(|mut files| files.next().is_some()) {
            return Err(StoreError::NotAnImport(world.display().to_string()));
        }
        create(&folder.join(ANSWERS))?;
        let lock = lock(world, &folder)?;
        remove_unfinished(&folder);
        let path = folder.join(STATE);
        let stored = fs::read(&path).ok();
        let state = match stored.and_then(|text| serde_json::from_slice::<StoredImport>(&text).ok())
        {
            Some(state) if state.root == root => state,
            Some(state) => {
                return Err(StoreError::OtherServer {
                    path: world.display().to_string(),
                    root: state.root,
                });
            }
            None => {
                let state = StoredImport {
                    root: root.to_owned(),
                    generation: 1,
                };
                save(&folder, &state)?;
                state
            }
        };
        Ok(Self {
            folder,
            state,
            _lock: lock,
        })
    }

    /// The number of this import, the first being 1. One that was interrupted keeps its number.
    pub fn generation(&self) -> u64 {
        self.state.generation
    }

    /// A folder for what is not complete yet. It is on the file system of the world.
    pub fn scratch(&self) -> &Path {
        &self.folder
    }

    pub fn get(&self, url: &Url) -> Option<Stored> {
        let (header, mut file) = header(&self.path(url))?;
        if header.url != url.as_str() || header.length > MAX_BODY {
            return None;
        }
        let mut body = vec![0; header.length];
        file.read_exact(&mut body).ok()?;
        Some(Stored {
            current: header.generation == self.state.generation,
            page: AnswerPage {
                body: body.into(),
                etag: header.etag,
                next: header.next.and_then(|next| Url::parse(&next).ok()),
            },
        })
    }

    /// Stores an answer, or confirms one.
    pub fn put(&self, url: &Url, page: &AnswerPage) -> Result<(), StoreError> {
        let header = AnswerHeader {
            url: url.to_string(),
            generation: self.state.generation,
            length: page.body.len(),
            etag: page.etag.clone(),
            next: page.next.as_ref().map(Url::to_string),
        };
        let path = self.path(url);
        let write = || {
            let mut file = unfinished(&self.folder)?;
            serde_json::to_writer(&mut file, &header)?;
            file.write_all(b"\n")?;
            file.write_all(&page.body)?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|cause| failed(&path, cause))
    }

    /// Ends this generation, and removes answers that it did not use.
    pub fn finish(mut self) -> Result<(), StoreError> {
        let answers = self.folder.join(ANSWERS);
        let files = fs::read_dir(&answers).map_err(|cause| failed(&answers, cause))?;
        for file in files.filter_map(Result::ok) {
            let stored = header(&file.path()).map(|(header, _)| header.generation);
            if stored != Some(self.state.generation) {
                let _ = fs::remove_file(file.path());
            }
        }
        self.state.generation += 1;
        save(&self.folder, &self.state)
    }

    fn path(&self, url: &Url) -> PathBuf {
        let hash = hex::encode(Sha256::digest(url.as_str()));
        self.folder.join(ANSWERS).join(hash)
    }
}

fn header(path: &Path) -> Option<(AnswerHeader, BufReader<File>)> {
    let mut file = BufReader::new(File::open(path).ok()?);
    let mut line = Vec::new();
    file.by_ref()
        .take(MAX_HEADER)
        .read_until(b'\n', &mut line)
        .ok()?;
    Some((serde_json::from_slice(&line).ok()?, file))
}

fn save(folder: &Path, state: &StoredImport) -> Result<(), StoreError> {
    let text = serde_json::to_vec(state).unwrap_or_default();
    write_whole(folder, &folder.join(STATE), |file| file.write_all(&text))
}

/// Writes a file that appears whole or not at all, also if the machine loses power.
pub fn write_whole(
    scratch: &Path,
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), StoreError> {
    let write = || {
        let mut file = unfinished(scratch)?;
        write(file.as_file_mut())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        let parent = path.parent().unwrap_or(scratch);
        File::open(parent)?.sync_all()
    };
    write().map_err(|cause| failed(path, cause))
}

/// Removes what an import that was killed was writing.
fn remove_unfinished(folder: &Path) {
    let files = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    for file in files.filter(|file| file.file_name().to_string_lossy().starts_with(UNFINISHED)) {
        let path = file.path();
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
    }
}

fn lock(world: &Path, folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(|cause| failed(&path, cause))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Busy(world.display().to_string())),
        Err(TryLockError::Error(cause)) => Err(failed(&path, cause)),
    }
}

fn unfinished(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempfile_in(folder)
}

pub fn create(folder: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(folder).map_err(|cause| failed(folder, cause))
}

pub fn failed(path: &Path, cause: io::Error) -> StoreError {
    StoreError::Io {
        path: path.display().to_string(),
        cause,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    const ROOT: &str = "https://api.example";

    fn url(path: &str) -> Url {
        Url::parse(ROOT).unwrap().join(path).unwrap()
    }

    fn page(body: &'static str) -> AnswerPage {
        AnswerPage {
            body: Bytes::from_static(body.as_bytes()),
            etag: Some("\"e\"".into()),
            next: None,
        }
    }

    #[test]
    fn an_answer_is_current_until_its_import_ends() {
        let world = tempfile::tempdir().unwrap();
        let store = AnswerStore::open(world.path(), ROOT).unwrap();
        store.put(&url("a"), &page("[1]")).unwrap();
        drop(store);
        let store = AnswerStore::open(world.path(), ROOT).unwrap();
        let stored = store.get(&url("a")).unwrap();
        assert!(stored.current && store.generation() == 1);
        assert_eq!(&stored.page.body[..], b"[1]");
        store.finish().unwrap();
        let store = AnswerStore::open(world.path(), ROOT).unwrap();
        let stored = store.get(&url("a")).unwrap();
        assert!(!stored.current && store.generation() == 2);
        assert_eq!(stored.page.etag.as_deref(), Some("\"e\""));
        store.finish().unwrap();
        let store = AnswerStore::open(world.path(), ROOT).unwrap();
        assert!(
            store.get(&url("a")).is_none(),
            "an answer that was not used is kept"
        );
    }

    #[test]
    fn a_torn_answer_is_none() {
        let world = tempfile::tempdir().unwrap();
        let store = AnswerStore::open(world.path(), ROOT).unwrap();
        store.put(&url("a"), &page("[1,2,3]")).unwrap();
        let path = store.path(&url("a"));
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(
                store.get(&url("a")).is_none(),
                "{length} of {} bytes",
                whole.len()
            );
        }
    }

    #[test]
    fn a_folder_belongs_to_one_import_of_one_server() {
        let world = tempfile::tempdir().unwrap();
        let store = AnswerStore::open(world.path(), ROOT).unwrap();
        assert!(matches!(
            AnswerStore::open(world.path(), ROOT),
            Err(StoreError::Busy(_))
        ));
        drop(store);
        let other = AnswerStore::open(world.path(), "https://other.example");
        assert!(matches!(other, Err(StoreError::OtherServer { .. })));
        let foreign = tempfile::tempdir().unwrap();
        fs::write(foreign.path().join("notes"), "mine").unwrap();
        let refused = AnswerStore::open(foreign.path(), ROOT);
        assert!(matches!(refused, Err(StoreError::NotAnImport(_))));
        assert_eq!(fs::read_dir(foreign.path()).unwrap().count(), 1);
    }
}
