//! The output of the commands that show or list something.

use crate::support::process::forgewright;

fn output(folder: &std::path::Path, arguments: &[&str]) -> String {
    let output = forgewright(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn errors(folder: &std::path::Path, arguments: &[&str]) -> String {
    let output = forgewright(folder).args(arguments).output().unwrap();
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

const WORLD: &str = "users: [{login: alice, id: 41}]
organizations: [{login: acme, id: 42, members: [{login: alice, role: admin}]}]
repositories:
  - full_name: acme/gadgets
    id: 43
    git:
      commits:
        - {id: one, message: One, files: {f: \"1\\n\"}}
        - {id: two, message: Two, parents: [one], files: {f: \"2\\n\"}}
      refs: {refs/heads/main: one, refs/heads/topic: two}
    pulls: [{number: 1, id: 44, title: Change f, author: alice, base: main, head: topic}]
projects: [{owner: acme, number: 3, id: 45, title: Roadmap}]
apps: [{slug: bot, id: 46, owner: acme, events: [push, milestone]}]
installations: [{app: bot, account: acme, id: 47}]
tokens: [{kind: classic, user: alice, scopes: [repo], value: ghp_known_value_9876}]
";

#[test]
fn a_world_is_checked_loaded_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("world.yaml");
    std::fs::write(&file, WORLD).unwrap();
    let file = file.to_str().unwrap();
    let checked = output(folder.path(), &["world", "check", file]);
    assert!(
        checked.contains("the event `milestone` is never sent"),
        "{checked}"
    );
    assert!(
        checked.ends_with(
            "OK: 1 user, 1 organization, 1 repository, 1 pull request, 1 project, 1 app, \
             1 installation, 1 token\n"
        ),
        "{checked}"
    );
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "a check creates no database");
    let loaded = output(folder.path(), &["world", "load", file]);
    assert!(loaded.contains("acme/gadgets"), "{loaded}");
    let shown = output(folder.path(), &["world", "show"]);
    for line in [
        "41  alice  user",
        "42  acme  organization",
        "43  acme/gadgets",
        "44  acme/gadgets#1  Change f",
        "45  acme, number 3  Roadmap",
        "46  bot",
        "47  bot on acme",
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    assert!(shown.contains("9876") && !shown.contains("ghp_known_value"));
    let first = output(folder.path(), &["world", "show", "--limit", "1"]);
    assert!(first.contains("see --limit"), "{first}");
}

#[test]
fn deliveries_are_listed_and_redelivered() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("world.yaml");
    std::fs::write(&file, WORLD).unwrap();
    output(folder.path(), &["world", "load", file.to_str().unwrap()]);
    let database = folder.path().join("data/forgewright.db");
    let database = rusqlite::Connection::open(database).unwrap();
    let row = "INSERT INTO webhook_delivery (id, guid, app_id, event, action, payload, created_at,
            attempts, next_attempt_at, delivered_at, status_code, status, error)
        VALUES (7, 'g', 46, 'pull_request', 'closed', '{}', 1, 1, 1, 1, 502, 'failed', 'Oops')";
    database.execute(row, []).unwrap();
    let again = output(folder.path(), &["deliveries", "redeliver", "7"]);
    assert!(
        again.starts_with("Queued. A running server sends it"),
        "{again}"
    );
    let again = output(folder.path(), &["deliveries", "redeliver", "7"]);
    assert!(again.starts_with("It is already queued"), "{again}");
    let listed = output(folder.path(), &["deliveries", "list", "--app", "bot"]);
    let lines: Vec<_> = listed.lines().collect();
    assert_eq!(lines.len(), 2, "{listed}");
    assert!(
        lines[0].ends_with("pull_request.closed  failed: Oops"),
        "{listed}"
    );
    assert!(lines[1].ends_with("pending (redelivery)"), "{listed}");
    assert_eq!(
        output(folder.path(), &["deliveries", "list", "--app", "other"]),
        ""
    );
    let error = errors(folder.path(), &["deliveries", "redeliver", "9"]);
    assert!(error.contains("there is no delivery 9"), "{error}");
}

#[test]
fn completions_and_manual_pages_cover_every_command() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = output(folder.path(), &["completions", shell]);
        assert!(script.contains("notifications"), "{shell}");
    }
    output(folder.path(), &["man", "pages"]);
    for page in [
        "forgewright.1",
        "forgewright-serve.1",
        "forgewright-world-show.1",
    ] {
        let text = std::fs::read_to_string(folder.path().join("pages").join(page)).unwrap();
        assert!(text.contains(".SH NAME"), "{page}");
    }
}

#[test]
fn an_invalid_option_value_gets_an_error_with_the_expected_values() {
    let folder = tempfile::tempdir().unwrap();
    let level = errors(folder.path(), &["doctor", "--log-level", "verbose"]);
    assert!(level.contains("expected off, error, warn, info"), "{level}");
    let address = errors(folder.path(), &["serve", "--listen", "8080"]);
    assert!(address.contains("such as 127.0.0.1:8080"), "{address}");
}

#[test]
fn the_error_for_a_file_that_is_no_database_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let text = "just a text, and long enough to be read as the head of a file ".repeat(100);
    std::fs::write(folder.path().join("copy.db"), &text).unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    let restored = errors(folder.path(), &["restore", "copy.db", "--data-dir", "new"]);
    std::fs::write(folder.path().join("data/forgewright.db"), &text).unwrap();
    let doctor = errors(folder.path(), &["doctor"]);
    for error in [restored, doctor] {
        assert!(error.contains("is not a SQLite database"), "{error}");
        for layer in ["Query Error", "code:", "returned from"] {
            assert!(!error.contains(layer), "{error}");
        }
    }
}
