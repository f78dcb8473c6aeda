//! `forgewright serve`: starting, restarting, stopping, errors and the log.

use crate::support::process::{ServerProcess, assert_fails, forgewright, remaining_stderr};

#[test]
fn the_first_start_creates_a_demo_world_and_the_second_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let first = ServerProcess::start(folder.path(), &[]);
    assert!(
        first.greeting.contains("ghp_demo_alice_admin"),
        "{}",
        first.greeting
    );
    for words in [
        "curl -H",
        "/console/\n",
        "/docs/\n",
        "forgewright explain --server http://",
    ] {
        assert!(first.greeting.contains(words), "{}", first.greeting);
    }
    let (status, _) = first.get("/orgs/acme/issue-fields", Some("ghp_demo_alice_admin"));
    assert_eq!(status, 200);
    assert_eq!(first.get("/readyz", None).0, 200);
    assert_eq!(first.stop("-TERM"), 0);
    let second = ServerProcess::start(folder.path(), &[]);
    let (status, _) = second.get("/orgs/acme/issue-fields", Some("ghp_demo_alice_admin"));
    assert_eq!(status, 200);
    assert_eq!(second.stop("-INT"), 0);
}

#[test]
fn the_greeting_of_a_world_of_ones_own_names_the_console_and_its_tokens() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own.yaml"), "users: [{login: zoe}]\n").unwrap();
    let own = ["--data-dir", "own", "--world", "own.yaml"];
    let start = |more: &[&str]| ServerProcess::start(folder.path(), &[&own[..], more].concat());
    let on = start(&[]);
    for words in [
        "/console/\n",
        "forgewright token list --data-dir 'own'",
        "forgewright explain",
    ] {
        assert!(on.greeting.contains(words), "{}", on.greeting);
    }
    assert_eq!(on.get("/readyz", None).0, 200);
    assert_eq!(on.stop("-TERM"), 0);
    let off = start(&["--control", "off"]);
    assert!(off.greeting.contains("--control on"), "{}", off.greeting);
    assert!(!off.greeting.contains("explain"), "{}", off.greeting);
}

#[test]
fn the_demo_app_signs_with_the_key_in_the_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path(), &[]);
    let key = "data/demo-app.pem";
    assert!(server.greeting.contains(key), "{}", server.greeting);
    let sign = |key: &str| {
        forgewright(folder.path())
            .args(["token", "sign", "--app", "6001", "--key", key])
            .output()
            .unwrap()
    };
    let jwt = String::from_utf8(sign(key).stdout).unwrap();
    let (status, app) = server.get("/app", Some(jwt.trim()));
    assert_eq!(status, 200, "{app}");
    assert!(app.contains("\"ci-bot\""), "{app}");
    let (status, _) = server.get("/users/alice/installation", Some(jwt.trim()));
    assert_eq!(status, 200);
    std::fs::write(folder.path().join("data/other.pem"), "no key").unwrap();
    assert_fails(&sign("data/other.pem"), 1, &["not a private RSA key"]);
    assert_fails(&sign("data/forgewright.db"), 1, &["it is too large"]);
    assert_fails(&sign("data/none.pem"), 1, &["data/none.pem", "cannot read"]);
}

#[test]
fn a_world_with_the_demo_key_is_not_served_to_other_machines() {
    let folder = tempfile::tempdir().unwrap();
    let key = world::load::DEMO_PUBLIC_KEY;
    let world = format!(
        "users: [{{login: own}}]\napps:\n  - slug: bot\n    owner: own\n    public_key: |\n      {}\n",
        key.trim().replace('\n', "\n      ")
    );
    std::fs::write(folder.path().join("world.yaml"), world).unwrap();
    let output = forgewright(folder.path())
        .args(["--listen", "0.0.0.0:0", "--world", "world.yaml"])
        .output()
        .unwrap();
    assert_fails(&output, 1, &["demo", "--allow-demo-tokens"]);
}

#[test]
fn the_demo_tokens_are_not_served_to_other_machines() {
    let folder = tempfile::tempdir().unwrap();
    let output = forgewright(folder.path())
        .args(["--listen", "0.0.0.0:0"])
        .output()
        .unwrap();
    assert_fails(&output, 1, &["demo", "--allow-demo-tokens"]);
}

#[test]
fn the_error_for_a_port_in_use_names_the_address() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path(), &[]);
    let other = tempfile::tempdir().unwrap();
    let output = forgewright(other.path())
        .args(["--listen", &server.address])
        .output()
        .unwrap();
    assert_fails(
        &output,
        1,
        &["cannot listen on", &server.address, "--listen"],
    );
}

#[test]
fn invalid_options_get_an_error_that_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| forgewright(folder.path()).args(arguments).output().unwrap();
    assert_fails(
        &run(&["--data-dir", "/proc/nowhere"]),
        1,
        &["/proc/nowhere"],
    );
    assert_fails(
        &run(&["--database-url", "mysql://x"]),
        1,
        &["sqlite://", "postgres://"],
    );
    assert_fails(
        &run(&["--database-url", "postgres://nobody@127.0.0.1:1/x"]),
        1,
        &["cannot reach PostgreSQL", "127.0.0.1:1"],
    );
    assert_fails(&run(&["--world", "missing.yaml"]), 1, &["missing.yaml"]);
    assert_fails(&run(&["--no-such-flag"]), 2, &["--no-such-flag", "--help"]);
    assert_fails(&run(&["--listen", "nowhere"]), 2, &["--listen"]);
    assert_fails(
        &run(&["--base-url", "forge.example"]),
        2,
        &["--base-url", "scheme"],
    );
    assert_fails(
        &run(&["--rate-limits", "maybe"]),
        2,
        &["--rate-limits", "on", "off"],
    );
}

#[test]
fn a_file_that_is_no_database_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    std::fs::write(&path, "these are notes, and not a database at all, you see").unwrap();
    let url = format!("sqlite://{}", path.display());
    let output = forgewright(folder.path())
        .args(["--database-url", &url])
        .output()
        .unwrap();
    assert_fails(&output, 1, &["notes.db", "not a SQLite database"]);
    assert!(
        std::fs::read_to_string(&path)
            .unwrap()
            .starts_with("these are notes")
    );
}

#[test]
fn checking_a_world_creates_no_file_and_loading_is_idempotent() {
    let folder = tempfile::tempdir().unwrap();
    let world = folder.path().join("world.yaml");
    std::fs::write(&world, "users:\n  - {login: zoe, nmae: Zoe}\n").unwrap();
    let run = |arguments: &[&str]| forgewright(folder.path()).args(arguments).output().unwrap();
    let output = run(&["world", "check", "world.yaml"]);
    assert_fails(
        &output,
        1,
        &["world.yaml:2:", "nmae", "did you mean `name`?"],
    );
    assert!(
        !folder.path().join("data").exists(),
        "`world check` created a file"
    );
    assert_fails(
        &run(&["world", "load", "world.yaml"]),
        1,
        &["world.yaml:2:", "nmae"],
    );
    std::fs::write(&world, "users:\n  - {login: zoe, name: Zoe}\n").unwrap();
    let first = run(&["world", "load", "world.yaml"]);
    assert!(
        first.status.success(),
        "{}",
        String::from_utf8_lossy(&first.stderr)
    );
    let output = String::from_utf8_lossy(&first.stdout).into_owned();
    assert!(output.contains("Added 1"), "{output}");
    let again = run(&["world", "load", "world.yaml"]);
    assert!(String::from_utf8_lossy(&again.stdout).contains("Nothing to do"));
}

#[test]
fn the_log_has_a_line_for_each_request_and_never_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = ServerProcess::start(folder.path(), &["--log", "json"]);
    server.get("/orgs/acme/issue-fields", Some("ghp_demo_alice_admin"));
    server.get("/orgs/acme/issue-fields", Some("ghp_demo_wrong_token"));
    server.signal("-TERM");
    let log = remaining_stderr(&mut server.child);
    let line = log
        .lines()
        .find(|line| line.contains("list_issue_fields"))
        .unwrap();
    let entry: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(entry["method"], "GET");
    assert_eq!(entry["route"], "/orgs/{org}/issue-fields");
    assert_eq!(entry["status"], 200);
    assert_eq!(entry["caller"], "classic");
    assert_eq!(entry["login"], "alice");
    assert!(entry["request_id"].is_string() && entry["micros"].is_u64());
    assert!(!log.contains("ghp_demo"), "a token is in the log");
}

#[test]
fn a_debug_log_has_the_durations_of_the_parts_of_a_request() {
    let folder = tempfile::tempdir().unwrap();
    // Creating the database would log too much at this level, and nobody reads the pipe.
    ServerProcess::start(folder.path(), &[]).stop("-TERM");
    let arguments = ["--log", "json", "--log-level", "forgewright=debug"];
    let mut server = ServerProcess::start(folder.path(), &arguments);
    server.get(
        "/repos/acme/widgets/pulls/1/comments",
        Some("ghp_demo_alice_admin"),
    );
    server.signal("-TERM");
    let log = remaining_stderr(&mut server.child);
    let closed = |name: &str| {
        let entries = log
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        let mut closed = entries.filter(|entry: &serde_json::Value| {
            let outermost = entry["spans"][0]["name"].as_str().unwrap_or(name);
            // A lookup that requests share may end after the first of them.
            entry["span"]["name"] == name && (outermost == "request" || name == "access")
        });
        let closed = closed.find(|entry| entry["message"] == "close");
        closed.unwrap_or_else(|| panic!("no span `{name}` in a request: {log}"))
    };
    let request = closed("request");
    assert_eq!(request["span"]["operation"], "list_pull_review_comments");
    assert_eq!(request["span"]["cache"], "miss");
    assert_eq!(request["span"]["status"], 200);
    for inner in ["access", "query"] {
        let entry = closed(inner);
        assert!(entry["time.busy"].is_string(), "{entry}");
    }
    let sql = closed("query")["span"]["sql"].to_string();
    assert!(sql.contains("SELECT"), "{sql}");
}
