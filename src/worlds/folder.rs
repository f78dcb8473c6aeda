//! The storage of created worlds: a folder for this process, with a folder for each world. A
//! process locks its folder. The folder of a killed process is not locked, and is removed when
//! the next process creates its own.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

use storage::files::make_private_folder;

/// The file that a process locks.
const LOCK: &str = "lock";

/// The folder of a process, created when it is first needed.
#[derive(Debug)]
pub struct ProcessFolder {
    parent: PathBuf,
    created: Mutex<Option<Locked>>,
}

#[derive(Debug)]
struct Locked {
    path: PathBuf,
    _lock: File,
}

impl ProcessFolder {
    /// Below a folder that other processes may use as well. Removes the folders of killed
    /// processes.
    pub fn new(parent: PathBuf) -> Self {
        remove_abandoned(&parent);
        Self {
            parent,
            created: Mutex::default(),
        }
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> io::Result<PathBuf> {
        Ok(self.path()?.join(name))
    }

    /// A new folder in it. An earlier world of the same name may still be ending, so each has
    /// its own.
    pub fn world(&self, name: &str) -> io::Result<WorldFolder> {
        let folder = private_folder(&format!("world-{name}-"), &self.path()?)?;
        Ok(WorldFolder(folder.keep()))
    }

    fn path(&self) -> io::Result<PathBuf> {
        let mut created = self.created.lock().unwrap_or_else(PoisonError::into_inner);
        let created = match &mut *created {
            Some(created) => created,
            none => none.insert(make(&self.parent)?),
        };
        Ok(created.path.clone())
    }

    /// Removes it with everything in it.
    pub fn remove(&self) {
        let mut created = self.created.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(created) = created.take() {
            remove(&created.path);
        }
        // It stays while it holds the folders of other processes.
        let _ = fs::remove_dir(&self.parent);
    }
}

impl Drop for ProcessFolder {
    fn drop(&mut self) {
        self.remove();
    }
}

/// The folder of a world, removed when this is dropped.
#[derive(Debug)]
pub struct WorldFolder(PathBuf);

impl WorldFolder {
    pub fn database(&self) -> PathBuf {
        self.0.join("world.db")
    }

    pub fn remove(&self) {
        remove(&self.0);
    }
}

impl Drop for WorldFolder {
    fn drop(&mut self) {
        self.remove();
    }
}

fn make(parent: &Path) -> io::Result<Locked> {
    make_private_folder(parent)?;
    let folder = private_folder("process-", parent)?;
    let lock = File::create(folder.path().join(LOCK))?;
    lock.try_lock().map_err(io::Error::from)?;
    Ok(Locked {
        path: folder.keep(),
        _lock: lock,
    })
}

/// A new folder that only its owner can open.
fn private_folder(prefix: &str, parent: &Path) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.prefix(prefix).tempdir_in(parent)
}

/// Removes the folders of killed processes. Skips one without a lock: it is being created.
fn remove_abandoned(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let Ok(lock) = File::open(path.join(LOCK)) else {
            continue;
        };
        match lock.try_lock() {
            Ok(()) => remove(&path),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(cause)) => {
                tracing::warn!(path = %path.display(), %cause, "cannot check the lock of a folder");
            }
        }
    }
}

fn remove(path: &Path) {
    match fs::remove_dir_all(path) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => {
            tracing::warn!(path = %path.display(), %cause, "cannot remove the folder of a world");
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_and_the_folder_of_a_running_one_stays() {
        let parent = tempfile::tempdir().unwrap();
        let running = ProcessFolder::new(parent.path().to_owned());
        let file = running.file("demo.db").unwrap();
        fs::write(&file, "").unwrap();
        let killed = parent.path().join("process-killed");
        fs::create_dir_all(killed.join("world-a")).unwrap();
        fs::write(killed.join(LOCK), "").unwrap();
        ProcessFolder::new(parent.path().to_owned());
        assert!(file.exists());
        assert!(!killed.exists());
        drop(running);
        assert!(!file.exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_open_the_folders() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tempfile::tempdir().unwrap();
        let process = ProcessFolder::new(parent.path().to_owned());
        let world = process.world("a").unwrap();
        for folder in [&world.0, world.0.parent().unwrap()] {
            let mode = fs::metadata(folder).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{}", folder.display());
        }
    }

    #[test]
    fn a_world_of_the_same_name_has_its_own_folder() {
        let parent = tempfile::tempdir().unwrap();
        let process = ProcessFolder::new(parent.path().to_owned());
        let ending = process.world("a").unwrap();
        let next = process.world("a").unwrap();
        fs::write(next.database(), "").unwrap();
        ending.remove();
        drop(ending);
        assert!(next.database().exists());
    }
}
