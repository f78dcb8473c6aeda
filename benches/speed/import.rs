//! The cost of importing real repositories: the size of the database compared with that of
//! their packs, and the time compared with `git index-pack`, which reads the same objects and
//! stores nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::options::Options;
use super::report::Report;

/// The results for one repository, or for all together.
#[derive(Default)]
struct Figures {
    pack_bytes: u64,
    database_bytes: u64,
    import: Duration,
    indexing: Duration,
}

pub fn run(options: &Options, repositories: &[PathBuf]) {
    let mut report = Report::default();
    let mut all = Figures::default();
    for repository in repositories {
        let repository = fs::canonicalize(repository).unwrap();
        let figures = measure(options, &repository);
        all.pack_bytes += figures.pack_bytes;
        all.database_bytes += figures.database_bytes;
        all.import += figures.import;
        all.indexing += figures.indexing;
        figures.add_to(&mut report, &repository.display().to_string());
    }
    all.add_to(&mut report, "all");
    report.write(&options.json);
}

fn measure(options: &Options, repository: &Path) -> Figures {
    let packs = packs(repository);
    let mut imports = Vec::new();
    let mut indexings = Vec::new();
    let mut database_bytes = 0;
    for _ in 0..options.rounds {
        let (took, bytes) = import(&options.server, repository);
        imports.push(took);
        database_bytes = bytes;
        indexings.push(packs.iter().map(|pack| index(pack)).sum());
    }
    Figures {
        pack_bytes: packs.iter().map(|pack| size(pack)).sum(),
        database_bytes,
        import: median(&mut imports),
        indexing: median(&mut indexings),
    }
}

impl Figures {
    fn add_to(&self, report: &mut Report, name: &str) {
        let (import, indexing) = (self.import.as_secs_f64(), self.indexing.as_secs_f64());
        let figures = vec![
            ("pack MB", self.pack_bytes as f64 / 1e6),
            ("database MB", self.database_bytes as f64 / 1e6),
            (
                "of the pack",
                self.database_bytes as f64 / self.pack_bytes as f64,
            ),
            ("import s", import),
            ("index-pack s", indexing),
            ("of index-pack", import / indexing),
        ];
        report.row(format!("import: {name}"), figures);
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

/// Imports into a new SQLite database; returns the time and the size of the database in bytes.
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
        .args(["index-pack", "-o"])
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
