//! Inspects the files of a repository before libgit2 opens them. A repository may be
//! untrusted: reading a named pipe would block forever, and symlinks, alternates and
//! includes would lead to foreign files.

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The paths that libgit2 reads.
const READ: [&str; 8] = [
    "HEAD",
    "config",
    "config.worktree",
    "info",
    "objects",
    "packed-refs",
    "refs",
    "shallow",
];

/// The largest configuration file in bytes.
const LARGEST_CONFIG: u64 = 1024 * 1024;

/// Returns the folder of the Git data, if it is safe to open.
pub(super) fn survey(path: &Path) -> Result<PathBuf, String> {
    let folder = git_folder(path)?;
    for name in READ {
        only_files_and_folders(&folder, &folder.join(name))?;
    }
    if folder.join("commondir").exists() {
        return Err(ELSEWHERE.to_owned());
    }
    if folder.join("objects/info/alternates").exists() {
        return Err(
            "objects/info/alternates refers to objects outside of it, which are not read; run \
             `git repack -a -d` there and remove that file"
                .to_owned(),
        );
    }
    for name in ["config", "config.worktree"] {
        if includes_others(&folder.join(name)).map_err(|error| format!("{name}: {error}"))? {
            return Err(format!(
                "its {name} includes other files, which are not read; copy their settings into it"
            ));
        }
    }
    Ok(folder)
}

const ELSEWHERE: &str =
    "its Git data is elsewhere: it is a worktree or a submodule; name its main repository";

/// The `.git` folder of a repository with a worktree, or the bare repository itself.
fn git_folder(path: &Path) -> Result<PathBuf, String> {
    let inner = path.join(".git");
    match fs::symlink_metadata(&inner) {
        Err(_) => Ok(path.to_owned()),
        Ok(metadata) if metadata.is_dir() => Ok(inner),
        Ok(_) => Err(ELSEWHERE.to_owned()),
    }
}

fn only_files_and_folders(top: &Path, path: &Path) -> Result<(), String> {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    let mut pending = vec![(path.to_owned(), metadata.file_type())];
    while let Some((path, kind)) = pending.pop() {
        if kind.is_dir() {
            let entries = folder(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            pending.extend(entries);
        } else if !kind.is_file() {
            let name = path.strip_prefix(top).unwrap_or(&path).display();
            return Err(format!(
                "{name} is {}; only files and folders are read",
                describe(kind)
            ));
        }
    }
    Ok(())
}

fn folder(path: &Path) -> io::Result<Vec<(PathBuf, FileType)>> {
    fs::read_dir(path)?
        .map(|entry| {
            let entry = entry?;
            Ok((entry.path(), entry.file_type()?))
        })
        .collect()
}

fn describe(kind: FileType) -> &'static str {
    match kind.is_symlink() {
        true => "a link",
        false => "a pipe or a device",
    }
}

/// Whether a configuration includes other files.
fn includes_others(path: &Path) -> io::Result<bool> {
    if !path.exists() {
        return Ok(false);
    }
    let mut text = Vec::new();
    let file = File::open(path)?;
    if file.take(LARGEST_CONFIG + 1).read_to_end(&mut text)? as u64 > LARGEST_CONFIG {
        return Err(io::Error::other("it is larger than 1 MiB"));
    }
    let text = String::from_utf8_lossy(&text).to_ascii_lowercase();
    let mut lines = text.lines().map(str::trim_start);
    Ok(lines.any(|line| !line.starts_with(['#', ';']) && line.contains("[include")))
}
