//! `forgewright world import`, from one server to another: the second answers as the first does.
//! Nothing is lost if the first fails, or if the import is killed.

mod faults;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::process::{ServerProcess, assert_fails, forgewright};
use crate::support::setting;

const ALICE: &str = "ghp_import_alice_0123456789";
const MALLORY: &str = "ghp_import_mallory_0123456789";

const WORLD: &str = include_str!("import/origin.yaml");

/// A second way to sign in, which an import cannot know.
fn tokens() -> String {
    format!(
        "tokens:\n  - {{kind: classic, user: alice, scopes: [repo, project, \"read:org\"], value: {ALICE}}}\n  - {{kind: classic, user: mallory, scopes: [repo], value: {MALLORY}}}\n"
    )
}

/// A server with the world.
fn origin(folder: &Path) -> ServerProcess {
    std::fs::write(folder.join("origin.yaml"), format!("{WORLD}{}", tokens())).unwrap();
    let arguments = [
        "--world",
        "origin.yaml",
        "--data-dir",
        "origin",
        "--control",
        "on",
    ];
    ServerProcess::start(folder, &arguments)
}

fn import_command(
    folder: &Path,
    server: &ServerProcess,
    arguments: &[&str],
) -> std::process::Command {
    let mut command = forgewright(folder);
    command
        .args([
            "world",
            "import",
            "acme/gadgets",
            "--out",
            "imported",
            "--token-env",
            "FORGE_TOKEN",
        ])
        .args([
            "--from",
            &format!("http://{}", server.address),
            "--project",
            "acme/1",
        ])
        .args(arguments)
        .env("FORGE_TOKEN", ALICE)
        .env("PATH", setting("PATH").unwrap());
    command
}

#[track_caller]
fn printed(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr].concat();
    let text = String::from_utf8(both).unwrap();
    assert!(output.status.success(), "{text}");
    text
}

/// The read operations, on everything in the world.
fn reads() -> Vec<String> {
    let mut paths: Vec<String> = [
        "/orgs/acme",
        "/orgs/acme/issue-fields",
        "/orgs/acme/projectsV2/1",
        "/orgs/acme/projectsV2/1/fields",
        "/orgs/acme/projectsV2/1/items?fields=111,112,113",
        "/users/alice",
        "/users/mona",
        "/repos/acme/gadgets",
        "/repos/acme/gadgets/branches",
        "/repos/acme/gadgets/tags",
        "/repos/acme/gadgets/commits?sha=topic",
        "/repos/acme/gadgets/contents",
        "/repos/acme/gadgets/readme?ref=topic",
        "/repos/acme/gadgets/compare/main...topic",
        "/repos/acme/gadgets/git/matching-refs/heads",
        "/repos/acme/gadgets/git/matching-refs/tags",
        "/repos/acme/gadgets/git/matching-refs/pull",
        "/repos/acme/gadgets/labels",
        "/repos/acme/gadgets/issues?state=all",
        "/repos/acme/gadgets/issues/comments",
        "/repos/acme/gadgets/pulls?state=all",
        "/repos/acme/gadgets/pulls/comments",
        "/repos/acme/gadgets/commits/topic/statuses",
        "/repos/acme/gadgets/commits/topic/status",
        "/repos/acme/gadgets/commits/topic/check-runs?filter=all",
        "/repos/acme/gadgets/commits/topic/check-suites",
    ]
    .map(str::to_owned)
    .into();
    for number in 1..=5 {
        let issue = format!("/repos/acme/gadgets/issues/{number}");
        paths.push(format!("{issue}/comments"));
        paths.push(format!("{issue}/issue-field-values"));
        paths.push(format!("{issue}/labels"));
        paths.push(issue);
    }
    for number in 3..=5 {
        let pull = format!("/repos/acme/gadgets/pulls/{number}");
        for list in ["reviews", "comments", "files", "commits"] {
            paths.push(format!("{pull}/{list}"));
        }
        paths.push(pull);
    }
    paths
}

/// What a world file cannot give: the ids of options, and the times of check suites.
const DIFFERENT: [&str; 4] = [
    " options [] id",
    " value id",
    " check_suites [] created_at",
    " check_suites [] updated_at",
];

#[track_caller]
fn assert_same(one: &ServerProcess, other: &ServerProcess) {
    let mut differences = Vec::new();
    for path in reads() {
        let (status, text) = one.get(&path, Some(ALICE));
        assert_eq!(status, 200, "{path}: {text}");
        let (other_status, other_text) = other.get(&path, Some(ALICE));
        assert_eq!(other_status, 200, "{path}: {other_text}");
        let parsed = |text: &str, server: &ServerProcess| -> Value {
            serde_json::from_str(&text.replace(&server.address, "HOST")).unwrap()
        };
        let (left, right) = (parsed(&text, one), parsed(&other_text, other));
        compare(&path, &left, &right, &mut differences);
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

fn compare(path: &str, left: &Value, right: &Value, differences: &mut Vec<String>) {
    match (left, right) {
        (Value::Object(one), Value::Object(other)) => {
            let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for key in keys {
                let below = format!("{path} {key}");
                compare(
                    &below,
                    left.get(key).unwrap_or(&Value::Null),
                    right.get(key).unwrap_or(&Value::Null),
                    differences,
                );
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (one, other) in one.iter().zip(other) {
                compare(&format!("{path} []"), one, other, differences);
            }
        }
        _ if DIFFERENT.iter().any(|end| path.ends_with(end)) => {}
        _ if left != right => differences.push(format!("{path}: {left} became {right}")),
        _ => {}
    }
}

#[test]
fn an_imported_world_answers_as_the_original() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let first = origin(at);
    let output = import_command(at, &first, &[]).output().unwrap();
    let text = printed(&output);
    assert!(text.contains("Imported"), "{text}");
    assert!(
        text.contains("collaborators (404: the server does not have it, or not for this token)"),
        "{text}"
    );
    let world = at.join("imported/world.yaml");
    let file = std::fs::read_to_string(&world).unwrap();
    assert!(!file.contains(ALICE) && !text.contains(ALICE));
    assert_no_token(&at.join("imported"));
    // The server lists neither the members of an organization nor tokens.
    let members = "  login: acme\n  members: [{login: alice, role: admin}]\n";
    let file = file.replacen("  login: acme\n", members, 1);
    let tokens = tokens();
    let alice = tokens.lines().take(2).collect::<Vec<_>>().join("\n");
    std::fs::write(&world, format!("{file}{alice}\n")).unwrap();
    let second = ServerProcess::start(at, &["--world", "imported", "--data-dir", "second"]);
    assert_same(&first, &second);
}

#[track_caller]
fn assert_no_token(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => assert_no_token(&path),
            path => {
                let bytes = std::fs::read(&path).unwrap();
                let found = bytes
                    .windows(ALICE.len())
                    .any(|part| part == ALICE.as_bytes());
                assert!(!found, "{} has the token", path.display());
            }
        }
    }
}

/// The requests to the API that the server has answered; at most a page of its journal.
fn requests(server: &ServerProcess) -> Vec<Value> {
    let (_, text) = server.get("/_forgewright/worlds/main/journal?per_page=100", None);
    let entries: Value = serde_json::from_str(&text).unwrap();
    let entries = entries.as_array().unwrap().clone();
    let to_api = |entry: &Value| !entry["path"].as_str().unwrap_or_default().contains(".git/");
    entries.into_iter().filter(to_api).collect()
}

fn send(server: &ServerProcess, method: &str, path: &str, body: &Value) -> String {
    let body = body.to_string();
    server.send(
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            server.address,
            body.len()
        )
        .as_bytes(),
    )
}

#[test]
fn an_import_that_is_repeated_asks_only_whether_something_changed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let server = origin(at);
    printed(&import_command(at, &server, &[]).output().unwrap());
    let before = std::fs::read(at.join("imported/world.yaml")).unwrap();
    send(
        &server,
        "DELETE",
        "/_forgewright/worlds/main/journal",
        &json!({}),
    );
    printed(&import_command(at, &server, &[]).output().unwrap());
    let fetched: Vec<_> = requests(&server)
        .into_iter()
        .filter(|entry| entry["status"] == 200)
        .collect();
    assert_eq!(fetched, Vec::<Value>::new());
    let after = std::fs::read_to_string(at.join("imported/world.yaml")).unwrap();
    assert_eq!(
        String::from_utf8(before)
            .unwrap()
            .replace("gadgets.1.git", "gadgets.2.git"),
        after
    );
    let mirrors = std::fs::read_dir(at.join("imported/git/acme"))
        .unwrap()
        .count();
    assert_eq!(mirrors, 1);
}

#[test]
fn an_import_that_is_killed_continues_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let server = origin(at);
    let clean = tempfile::tempdir().unwrap();
    printed(&import_command(clean.path(), &server, &[]).output().unwrap());
    let whole = std::fs::read_to_string(clean.path().join("imported/world.yaml")).unwrap();
    let answers = at.join("imported/.import/answers");
    let count = || std::fs::read_dir(&answers).map_or(0, Iterator::count);
    // Each time, the import is killed when it has stored some more answers.
    for _ in 0..6 {
        let before = count();
        let mut child = import_command(at, &server, &[])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while count() < before + 5 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        child.wait().unwrap();
        if at.join("imported/world.yaml").exists() {
            break;
        }
    }
    let had = count();
    send(
        &server,
        "DELETE",
        "/_forgewright/worlds/main/journal",
        &json!({}),
    );
    let finished_before = at.join("imported/world.yaml").exists();
    printed(&import_command(at, &server, &[]).output().unwrap());
    let fetched = requests(&server)
        .into_iter()
        .filter(|entry| entry["status"] == 200)
        .count();
    if !finished_before {
        assert_eq!(fetched, count() - had, "it fetched answers that it had");
    }
    assert_eq!(
        std::fs::read_to_string(at.join("imported/world.yaml")).unwrap(),
        whole
    );
    let left = std::fs::read_dir(at.join("imported/.import"))
        .unwrap()
        .flatten();
    let left: Vec<_> = left
        .filter(|file| file.file_name().to_string_lossy().starts_with("new-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_token_that_sees_little_imports_what_it_sees() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let server = origin(at);
    let mut command = import_command(at, &server, &["--pulls", "1", "--since", "2026-01-07"]);
    let text = printed(&command.env("FORGE_TOKEN", MALLORY).output().unwrap());
    for line in [
        "members of an organization",
        "pull requests, 2 times (--pulls or --since excludes them)",
    ] {
        assert!(text.contains(line), "{line} is not in: {text}");
    }
    let checked = forgewright(at)
        .args(["world", "check", "imported"])
        .output()
        .unwrap();
    assert!(printed(&checked).contains("1 pull request, 1 issue"));
    let unknown = forgewright(at)
        .args([
            "world",
            "import",
            "acme/nothing",
            "--out",
            "other",
            "--from",
        ])
        .arg(format!("http://{}", server.address))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(text.contains("acme/nothing: 404"), "{text}");
    assert!(!at.join("other/world.yaml").exists());
}

#[test]
fn wrong_arguments_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = forgewright(folder.path());
        command
            .args(["world", "import"])
            .args(arguments)
            .output()
            .unwrap()
    };
    for (arguments, words) in [
        (&["../x", "--out", "x"][..], "expected OWNER/NAME"),
        (&["a/b", "--out", "x", "--from", "file:///etc"], "https://"),
        (
            &["a/b", "--out", "x", "--from", "https://t:s@h"],
            "--token-env",
        ),
        (
            &["a/b", "--out", "x", "--since", "soon"],
            "such as 2026-01-02",
        ),
        (&["a/b", "--out", "x", "--project", "acme"], "OWNER/NUMBER"),
    ] {
        assert_fails(&run(arguments), 2, &[words]);
    }
    let unset = run(&["a/b", "--out", "x", "--token-env", "NOWHERE"]);
    assert_fails(
        &unset,
        1,
        &["environment variable NOWHERE of --token-env is not set"],
    );
    std::fs::write(folder.path().join("notes"), "mine").unwrap();
    let foreign = run(&["a/b", "--out", ".", "--from", "http://127.0.0.1:1"]);
    assert_fails(&foreign, 1, &["is not empty and has no import"]);
}
