//! Compares Git over HTTP with `git http-backend`, which serves the same repository from a pack
//! with a bitmap: full clones, pushes of 10,000 objects and of everything, lists of references,
//! and the server's peak memory for each.

mod backend;
pub mod history;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use sea_orm::sqlx::sqlite::SqliteConnectOptions;
use sea_orm::sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};

use super::load::{Load, lua, median};
use super::options::Options;
use super::report::Report;
use super::server::{self, Program};
use super::world::CLASSIC;

/// How many commits one push has.
const PUSHED: u64 = 10_000 / history::OBJECTS;

/// How many references the smaller of two repositories has.
const FEW: u64 = 1000;

/// Both servers and their URLs.
struct Bench<'a> {
    options: &'a Options,
    folder: &'a Path,
    server: Program,
    /// The base URL of our repositories, and that of `git http-backend`.
    urls: [String; 2],
    commits: u64,
}

pub fn run(options: &Options, commits: u64, refs: u64) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let source = source(commits);
    let theirs = folder.join("theirs");
    let bare = theirs.join("alice");
    for name in ["large", "empty", "many"] {
        let path = bare.join(format!("{name}.git"));
        let (path, from) = (path.display().to_string(), source.display().to_string());
        match name {
            "empty" => history::run(&["init", "-q", "--bare", "-b", "main", &path]),
            _ => history::run(&["clone", "-q", "--mirror", &from, &path]),
        }
    }
    let mut report = Report::default();
    let url = database(options, &mut report, folder, &source);
    for (name, count) in [("few", FEW), ("many", refs)] {
        fill(&folder.join("bench.db"), name, count);
    }
    pack_refs(&bare.join("many.git"), refs);
    let server = Program::forgewright(options, folder, &url);
    let bench = Bench {
        options,
        folder,
        urls: [
            format!("http://{}/alice", server.address),
            format!("http://{}/alice", backend::serve(&theirs)),
        ],
        server,
        commits,
    };
    report.row("git: memory idle", vec![("MB", bench.server.resident())]);
    type Measurement = fn(&Bench<'_>, &mut Report, &Path);
    let all: [(&str, Measurement); 4] = [
        ("clone", clones),
        ("push", pushes),
        ("push-all", push_all),
        ("ls-refs", lists),
    ];
    for (name, measure) in all {
        if options.wants(name) {
            measure(&bench, &mut report, &source);
        }
    }
    report.write(&options.json);
}

/// The repository for the measurements, created once and cached.
fn source(commits: u64) -> PathBuf {
    let cache = std::env::current_dir().unwrap().join("target/git");
    std::fs::create_dir_all(&cache).unwrap();
    let path = cache.join(format!("{commits}.git"));
    if !path.exists() {
        let unfinished = cache.join("making.git");
        let _ = std::fs::remove_dir_all(&unfinished);
        history::make(&unfinished, commits);
        history::repack(&unfinished);
        std::fs::rename(&unfinished, &path).unwrap();
    }
    path
}

/// A database with the repository, an empty repository, and two for references.
fn database(options: &Options, report: &mut Report, folder: &Path, source: &Path) -> String {
    let world = folder.join("world.yaml");
    let small =
        "git: {commits: [{id: c, message: One, files: {a: b}}], refs: {refs/heads/main: c}}";
    let text = format!(
        "users: [{{login: alice}}]
repositories:
  - {{full_name: alice/large, git: {{path: {source:?}}}}}
  - {{full_name: alice/empty}}
  - {{full_name: alice/few, {small}}}
  - {{full_name: alice/many, {small}}}
tokens: [{{kind: classic, user: alice, scopes: [repo, workflow], value: {CLASSIC}}}]
"
    );
    std::fs::write(&world, text).unwrap();
    let url = format!("sqlite://{}/bench.db", folder.display());
    let started = Instant::now();
    let world = world.display().to_string();
    server::command(options, &["world", "load", &world, "--database-url", &url]);
    report.row("git: import", vec![("s", started.elapsed().as_secs_f64())]);
    url
}

/// Gives a repository many branches at the same commit.
#[tokio::main(flavor = "current_thread")]
async fn fill(file: &Path, repository: &str, count: u64) {
    let options = SqliteConnectOptions::new().filename(file);
    let mut connection = options.connect().await.unwrap();
    let refs = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
         INSERT INTO git_ref (repository_id, name, sha, kind, updated_at)
         SELECT repository_id, printf('refs/heads/bulk/%07d', i), sha, kind, updated_at
         FROM git_ref CROSS JOIN n
         WHERE repository_id = (SELECT id FROM repository WHERE name = '{repository}')
           AND name = 'refs/heads/main'"
    );
    connection.execute(AssertSqlSafe(refs)).await.unwrap();
    connection.close().await.unwrap();
}

/// Does the same in a repository on disk.
fn pack_refs(repository: &Path, count: u64) {
    let main = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["rev-parse", "main"])
        .output()
        .unwrap();
    let sha = String::from_utf8(main.stdout).unwrap();
    let sha = sha.trim();
    let mut text = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
    for number in 1..=count {
        text += &format!("{sha} refs/heads/bulk/{number:07}\n");
    }
    text += &format!("{sha} refs/heads/main\n");
    std::fs::write(repository.join("packed-refs"), text).unwrap();
}

impl Bench<'_> {
    /// Runs a Git command against each server in interleaved rounds. Returns the median
    /// durations in seconds.
    fn compare(&self, rounds: usize, git: impl Fn(usize, &str) -> Command) -> [f64; 2] {
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..rounds {
            for (url, times) in self.urls.iter().zip(&mut times) {
                let mut command = git(round, url);
                let started = Instant::now();
                let status = command.stdout(Stdio::null()).status().unwrap();
                assert!(status.success(), "{command:?}");
                times.push(started.elapsed().as_secs_f64());
            }
        }
        times.map(median)
    }

    fn git(&self) -> Command {
        let mut command = Command::new("git");
        let token = format!("http.extraHeader=Authorization: token {CLASSIC}");
        command.args(["-c", &token]).current_dir(self.folder);
        command
    }

    fn report(&self, report: &mut Report, name: &str, [ours, theirs]: [f64; 2]) {
        let figures = vec![
            ("s", ours),
            ("http-backend s", theirs),
            ("of its rate", theirs / ours),
            ("peak MB", self.server.peak()),
        ];
        report.row(format!("git: {name}"), figures);
    }
}

fn clones(bench: &Bench<'_>, report: &mut Report, _: &Path) {
    let clone = |_: usize, url: &str| {
        let _ = std::fs::remove_dir_all(bench.folder.join("clone"));
        let mut git = bench.git();
        git.args([
            "clone",
            "-q",
            "--bare",
            &format!("{url}/large.git"),
            "clone",
        ]);
        git
    };
    bench.server.reset_peak();
    let first = bench.compare(1, clone);
    bench.report(report, "first clone", first);
    bench.server.reset_peak();
    let times = bench.compare(bench.options.rounds, clone);
    bench.report(report, "clone", times);
}

/// Pushes a branch with new commits in each round.
fn pushes(bench: &Bench<'_>, report: &mut Report, source: &Path) {
    let work = bench.folder.join("work.git");
    let (from, to) = (source.display().to_string(), work.display().to_string());
    history::run(&["clone", "-q", "--mirror", &from, &to]);
    for round in 0..bench.options.rounds as u64 {
        let first = bench.commits + round * PUSHED;
        let branch = format!("round-{round}");
        history::add(&work, &branch, Some("main"), first..first + PUSHED);
    }
    bench.server.reset_peak();
    let times = bench.compare(bench.options.rounds, |round, url| {
        let mut git = bench.git();
        git.current_dir(&work).args(["push", "-q"]);
        git.arg(format!("{url}/large.git"))
            .arg(format!("round-{round}"));
        git
    });
    bench.report(report, "push of 10,000 objects", times);
}

/// Pushes everything, once.
fn push_all(bench: &Bench<'_>, report: &mut Report, source: &Path) {
    bench.server.reset_peak();
    let times = bench.compare(1, |_, url| {
        let mut git = bench.git();
        git.current_dir(source).args(["push", "-q"]);
        git.arg(format!("{url}/empty.git")).arg("main");
        git
    });
    bench.report(report, "push of everything", times);
}

/// Lists the same ten references out of few and out of many, and all of many.
fn lists(bench: &Bench<'_>, report: &mut Report, _: &Path) {
    let mut rates = [Vec::new(), Vec::new()];
    for _ in 0..bench.options.rounds {
        for (name, rates) in ["few", "many"].iter().zip(&mut rates) {
            rates.push(list(bench, name));
        }
    }
    let [few, many] = rates.map(median);
    let figures = vec![("few", few), ("many", many), ("cost ratio", few / many)];
    report.row("git: ls-refs with a prefix", figures);
    for version in ["0", "2"] {
        bench.server.reset_peak();
        let times = bench.compare(bench.options.rounds, |_, url| {
            let mut git = bench.git();
            git.args(["-c", &format!("protocol.version={version}"), "ls-remote"]);
            git.arg(format!("{url}/many.git"));
            git
        });
        bench.report(report, &format!("all references, version {version}"), times);
    }
}

/// How many lists of ten references the server returns per second.
fn list(bench: &Bench<'_>, repository: &str) -> f64 {
    let mut body = String::new();
    let line = |text: &str| format!("{:04x}{text}\n", text.len() + 5);
    body += &line("command=ls-refs");
    body += "0001";
    body += &line("peel");
    body += &line("ref-prefix refs/heads/bulk/000042");
    body += "0000";
    let script = bench.folder.join("ls-refs.lua");
    let request = format!(
        "return wrk.format(\"POST\", \"/alice/{repository}.git/git-upload-pack\", nil, [==[{body}]==])"
    );
    std::fs::write(&script, lua(&request, "")).unwrap();
    let load = Load {
        address: &bench.server.address,
        path: "/",
        headers: vec![
            format!("Authorization: token {CLASSIC}"),
            "Git-Protocol: version=2".to_owned(),
            "Content-Type: application/x-git-upload-pack-request".to_owned(),
        ],
        script: Some(&script),
    };
    load.run(bench.options, bench.options.seconds).rate
}
