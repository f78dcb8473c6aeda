//! A world of many repositories, to measure how a change in one of them slows down reads of
//! others: 200 repositories with ten resources to read in each, and a read-only one with 2,000
//! references.

use std::fmt::Write;
use std::path::Path;

use super::http::{Request, record};
use super::options::Options;
use super::report::Report;
use super::server::{self, Program};
use super::world::CLASSIC;
use super::{neighbour, spread};

pub const CASES: [&str; 2] = [neighbour::NAME, spread::NAME];

pub const REPOSITORIES: usize = 200;

/// References to read in each repository; a list of comments is the tenth resource.
pub const KEYS: usize = 9;

/// References of the read-only repository.
pub const QUIET_KEYS: usize = 2000;

const COMMENTS: usize = 5;

fn load(options: &Options, folder: &Path, url: &str) {
    let path = folder.join("many.yaml");
    std::fs::write(&path, yaml()).unwrap();
    let path = path.display().to_string();
    server::command(options, &["world", "load", &path, "--database-url", url]);
}

/// Server processes on one database, each with its own log.
pub fn processes(options: &Options, folder: &Path, url: &str, count: usize) -> Vec<Program> {
    (0..count)
        .map(|number| {
            let folder = folder.join(number.to_string());
            std::fs::create_dir_all(&folder).unwrap();
            Program::forgewright(options, &folder, url)
        })
        .collect()
}

/// The commit that a branch of every repository points to.
pub fn commit(server: &Program, branch: &str) -> String {
    let path = format!("/repos/acme/quiet/git/ref/heads/{branch}");
    let found = record(&server.address, &Request::get(&path, CLASSIC)).body;
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    found["object"]["sha"].as_str().unwrap().to_owned()
}

/// Runs the selected cases on an empty database. `processes` share the load of `spread`.
pub fn run(options: &Options, report: &mut Report, url: &str, processes: usize) {
    let wanted = CASES.map(|name| options.wants(name));
    if !wanted.contains(&true) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    load(options, folder.path(), url);
    if wanted[0] {
        neighbour::run(options, report, folder.path(), url);
    }
    if wanted[1] {
        spread::run(options, report, folder.path(), url, processes);
    }
}

/// The title of a row, with the kind of database.
pub fn title(url: &str, case: &str) -> String {
    match url.split_once(':') {
        Some(("sqlite", _)) => case.to_owned(),
        _ => format!("postgres: {case}"),
    }
}

fn yaml() -> String {
    let mut text = format!(
        "users: [{{login: alice}}]
organizations: [{{login: acme, members: [{{login: alice, role: admin}}]}}]
tokens: [{{kind: classic, user: alice, scopes: [repo, workflow], value: {CLASSIC}}}]
repositories:
"
    );
    repository(&mut text, "quiet", QUIET_KEYS);
    for number in 1..=REPOSITORIES {
        repository(&mut text, &format!("many-{number}"), KEYS);
        pulls(&mut text);
    }
    text
}

/// Dates are fixed, so that a commit has the same SHA in every repository.
fn repository(text: &mut String, name: &str, keys: usize) {
    let refs: String = (1..=keys)
        .map(|key| format!(", refs/heads/key-{key}: c1"))
        .collect();
    let _ = write!(
        text,
        "  - full_name: acme/{name}
    visibility: private
    created_at: 2026-01-05T09:00:00Z
    git:
      commits:
        - {{id: c1, message: One, author: alice, date: 2026-01-05T10:00:00Z, files: {{a.txt: \"one\\n\"}}}}
        - {{id: c2, message: Two, author: alice, date: 2026-01-05T11:00:00Z, files: {{a.txt: \"two\\n\"}}}}
      refs: {{refs/heads/main: c1, refs/heads/topic: c2{refs}}}
"
    );
}

/// Pull request 1 is for reads, pull request 2 for writes.
fn pulls(text: &mut String) {
    let comments: String = (1..=COMMENTS)
        .map(|number| {
            format!(
                "{{author: alice, path: a.txt, line: 1, side: RIGHT, body: Comment {number}}}, "
            )
        })
        .collect();
    let _ = write!(
        text,
        "    pulls:
      - {{number: 1, title: Read, author: alice, base: main, head: topic, comments: [{comments}]}}
      - {{number: 2, title: Written, author: alice, base: main, head: topic}}
"
    );
}
