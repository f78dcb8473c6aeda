//! Generated repositories with many commits. Each commit changes a line of one of a thousand
//! files, so it adds a blob and two trees.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The number of folders, files per folder, and lines per file.
const FOLDERS: u64 = 32;
const FILES: u64 = 32;
const LINES: u64 = 20;

/// The objects that a commit adds: itself, two trees and a blob.
pub const OBJECTS: u64 = 4;

/// Creates a bare repository with this number of commits on `main`.
pub fn make(path: &Path, commits: u64) -> PathBuf {
    let path = path.to_owned();
    let name = path.display().to_string();
    run(&["init", "-q", "--bare", "-b", "main", &name]);
    add(&path, "main", None, 0..commits);
    path
}

/// Adds commits to a branch that starts at another branch.
pub fn add(path: &Path, branch: &str, from: Option<&str>, numbers: std::ops::Range<u64>) {
    let mut import = Command::new("git")
        .arg("-C")
        .arg(path)
        .args(["fast-import", "--quiet", "--force"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stream = BufWriter::new(import.stdin.take().unwrap());
    let first = numbers.start;
    for number in numbers {
        let from = from.filter(|_| number == first);
        commit(&mut stream, branch, from, number).unwrap();
    }
    drop(stream);
    assert!(import.wait().unwrap().success(), "git fast-import");
}

fn commit(
    stream: &mut impl Write,
    branch: &str,
    from: Option<&str>,
    number: u64,
) -> io::Result<()> {
    let (folder, file) = (number * 7 % FOLDERS, number / FOLDERS % FILES);
    let message = format!("Change {number} of file {file} in folder {folder}\n");
    let content: String = (0..LINES).map(|at| line(number, at)).collect();
    let (seconds, length) = (1_700_000_000 + number, message.len());
    write!(
        stream,
        "commit refs/heads/{branch}\ncommitter A <a@b.c> {seconds} +0000\ndata {length}\n{message}"
    )?;
    if let Some(from) = from {
        writeln!(stream, "from refs/heads/{from}^0")?;
    }
    let length = content.len();
    writeln!(
        stream,
        "M 644 inline d{folder}/f{file}.rs\ndata {length}\n{content}"
    )
}

/// A line of a file after a commit, as the last commit that changed it wrote it.
fn line(number: u64, at: u64) -> String {
    let files = FOLDERS * FILES;
    let turn = number / files;
    let since = (turn + LINES - at) % LINES;
    match turn.checked_sub(since) {
        Some(changed) => {
            let last = changed * files + number % files;
            format!(
                "let value_{at} = update({last}, {});\n",
                last * last % 99_991
            )
        }
        None => format!("let value_{at} = compute({}, {at});\n", number % files),
    }
}

/// Packs a repository as a server would: one pack, with a bitmap.
pub fn repack(path: &Path) {
    let name = path.display().to_string();
    run(&["-C", &name, "repack", "-q", "-a", "-d", "-b"]);
}

/// Runs Git and waits for it.
pub fn run(arguments: &[&str]) {
    let status = Command::new("git").args(arguments).status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "git {arguments:?}"
    );
}
