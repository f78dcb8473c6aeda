//! What real repositories take: the size of the database against that of their packs, and
//! the time of an import against that of `git index-pack`, which checks the same objects
//! and stores nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::options::Options;

pub fn run(options: &Options, repositories: &[PathBuf]) {
    println!("repository, pack, database/pack, import, import/index-pack");
    for repository in repositories {
        let repository = fs::canonicalize(repository).unwrap();
        let packs = packs(&repository);
        let pack_bytes: u64 = packs.iter().map(|pack| size(pack)).sum();
        let mut imports = Vec::new();
        let mut indexings = Vec::new();
        let mut database_bytes = 0;
        for _ in 0..options.rounds {
            let (took, bytes) = import(&options.server, &repository);
            imports.push(took);
            database_bytes = bytes;
            indexings.push(packs.iter().map(|pack| index(pack)).sum());
        }
        let (import, indexing) = (median(&mut imports), median(&mut indexings));
        println!(
            "{}, {:.1} MB, {:.2}, {:.1} s, {:.1}",
            repository.display(),
            pack_bytes as f64 / 1e6,
            database_bytes as f64 / pack_bytes as f64,
            import.as_secs_f64(),
            import.as_secs_f64() / indexing.as_secs_f64(),
        );
    }
}

fn packs(repository: &Path) -> Vec<PathBuf> {
    let folder = fs::read_dir(repository.join("objects/pack")).expect("a bare repository");
    let files = folder.map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|ending| ending == "pack"))
        .collect()
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

/// Imports into a new SQLite database; returns the time, and the bytes of the database.
fn import(server: &Path, repository: &Path) -> (Duration, u64) {
    let folder = tempfile::tempdir().unwrap();
    let world = folder.path().join("world.yaml");
    let text = format!(
        "users: [{{login: acme}}]\nrepositories:\n  - full_name: acme/real\n    git: {{path: {repository:?}}}\n"
    );
    fs::write(&world, text).unwrap();
    let database = folder.path().join("real.db");
    let started = Instant::now();
    let done = Command::new(server)
        .args(["world", "load", "--database-url"])
        .arg(format!("sqlite://{}", database.display()))
        .arg(&world)
        .stdout(Stdio::null())
        .status();
    assert!(done.unwrap().success(), "the import failed");
    (started.elapsed(), size(&database))
}

fn index(pack: &Path) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let started = Instant::now();
    let done = Command::new("git")
        .args(["index-pack", "--strict", "-o"])
        .arg(folder.path().join("pack.idx"))
        .arg(pack)
        .stdout(Stdio::null())
        .status();
    assert!(done.unwrap().success(), "git index-pack failed");
    started.elapsed()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
