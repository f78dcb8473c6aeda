//! Where made worlds are stored: a folder for this process, with a folder for each world.
//! A process locks its folder. What a killed process left behind is not locked, and is
//! removed when the next one makes its own.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The file that a process locks.
const LOCK: &str = "lock";

/// The folder of a process, which is made when it is first needed.
#[derive(Debug)]
pub struct ProcessFolder {
    above: PathBuf,
    made: Mutex<Option<Locked>>,
}

#[derive(Debug)]
struct Locked {
    path: PathBuf,
    _lock: File,
}

impl ProcessFolder {
    /// Below a folder that other processes may use as well. Removes what is left of those
    /// that were killed.
    pub fn new(above: PathBuf) -> Self {
        remove_abandoned(&above);
        Self {
            above,
            made: Mutex::default(),
        }
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> io::Result<PathBuf> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let made = match &mut *made {
            Some(made) => made,
            none => none.insert(make(&self.above)?),
        };
        Ok(made.path.join(name))
    }

    /// A new folder in it.
    pub fn world(self: &Arc<Self>, name: &str) -> io::Result<WorldFolder> {
        let path = self.file(&format!("world-{name}"))?;
        make_private(&path)?;
        Ok(WorldFolder(path))
    }

    /// Removes it with everything in it.
    pub fn remove(&self) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = made.take() {
            remove(&made.path);
        }
        // It stays while it holds the folders of other processes.
        let _ = fs::remove_dir(&self.above);
    }
}

impl Drop for ProcessFolder {
    fn drop(&mut self) {
        self.remove();
    }
}

/// The folder of a world, which goes with its owner.
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

fn make(above: &Path) -> io::Result<Locked> {
    fs::create_dir_all(above)?;
    let folder = tempfile::Builder::new()
        .prefix("process-")
        .tempdir_in(above)?;
    let lock = File::create(folder.path().join(LOCK))?;
    lock.try_lock().map_err(io::Error::from)?;
    Ok(Locked {
        path: folder.keep(),
        _lock: lock,
    })
}

fn make_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// A folder whose lock does not exist yet is being made.
fn remove_abandoned(above: &Path) {
    let entries = fs::read_dir(above).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let Ok(lock) = File::open(path.join(LOCK)) else {
            continue;
        };
        match lock.try_lock() {
            Ok(()) => remove(&path),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(cause)) => {
                tracing::warn!(path = %path.display(), %cause, "cannot tell whose folder it is");
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
        let above = tempfile::tempdir().unwrap();
        let running = ProcessFolder::new(above.path().to_owned());
        let file = running.file("demo.db").unwrap();
        fs::write(&file, "").unwrap();
        let killed = above.path().join("process-killed");
        fs::create_dir_all(killed.join("world-a")).unwrap();
        fs::write(killed.join(LOCK), "").unwrap();
        ProcessFolder::new(above.path().to_owned());
        assert!(file.exists());
        assert!(!killed.exists());
        drop(running);
        assert!(!file.exists());
    }
}
