//! Features for programs that start the server: `--announce`, `--exit-with-stdin`, `health`,
//! the version, and errors about certificates.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::process::{ServerProcess, assert_fails, forgewright};

const WORLD: &str = "
users: [{login: alice}]
apps: [{slug: helper, owner: alice, client_id: Iv1.helper}]
tokens:
  - {kind: classic, user: alice, value: known, description: for a test}
  - {kind: classic, user: alice}
";

#[test]
fn a_server_announces_itself_and_exits_when_standard_input_closes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("world.yaml"), WORLD).unwrap();
    let mut child = forgewright(folder.path())
        .args(["serve", "--announce", "--exit-with-stdin"])
        .args(["--listen", "127.0.0.1:0", "--world", "world.yaml"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    lines.read_line(&mut line).unwrap();
    let announced: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(announced["version"], env!("CARGO_PKG_VERSION"));
    let known = &announced["tokens"][0];
    assert_eq!(known["value"], "known");
    assert_eq!(known["kind"], "classic");
    assert_eq!(known["holder"], "alice");
    assert_eq!(known["description"], "for a test");
    let generated = announced["tokens"][1]["value"].as_str().unwrap();
    assert!(generated.starts_with("ghp_"), "{generated}");
    assert_eq!(announced["apps"][0]["slug"], "helper");
    assert_eq!(announced["apps"][0]["client_id"], "Iv1.helper");
    let address = announced["url"].as_str().unwrap();
    let address = address.strip_prefix("http://").unwrap().to_owned();
    let health = forgewright(folder.path())
        .args(["health", "--listen", &address])
        .output();
    assert!(health.unwrap().status.success());
    drop(child.stdin.take());
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < Duration::from_secs(60), "still running");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(child.wait().unwrap().success());
    let health = forgewright(folder.path())
        .args(["health", "--listen", &address])
        .output();
    assert_fails(&health.unwrap(), 1, &["no response from 127.0.0.1:"]);
}

#[test]
fn a_server_without_exit_with_stdin_keeps_running_when_standard_input_closes() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = ServerProcess::start(folder.path(), &[]);
    drop(server.child.stdin.take());
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(server.get("/readyz", None).0, 200);
    assert_eq!(server.stop("-TERM"), 0);
}

#[test]
fn an_unusable_certificate_is_rejected_before_the_database_is_created() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("empty.pem"), "").unwrap();
    let serve = |arguments: &[&str]| {
        let mut command = forgewright(folder.path());
        command.args(["--listen", "127.0.0.1:0"]).args(arguments);
        command.output().unwrap()
    };
    let empty = ["--tls-cert", "empty.pem", "--tls-key", "empty.pem"];
    assert_fails(&serve(&empty), 1, &["empty.pem has no certificate in PEM"]);
    let missing = ["--tls-cert", "none.pem", "--tls-key", "empty.pem"];
    assert_fails(&serve(&missing), 1, &["cannot read none.pem"]);
    assert_fails(&serve(&["--tls-cert", "empty.pem"]), 2, &["--tls-key"]);
    let both = ["--tls-dev", "--tls-cert", "a", "--tls-key", "b"];
    assert_fails(&serve(&both), 2, &["--tls-dev"]);
    assert!(!folder.path().join("data").exists());
}

#[test]
fn the_version_has_the_package_version_and_optionally_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    let output = forgewright(folder.path()).arg("--version").output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let expected = concat!("forgewright ", env!("CARGO_PKG_VERSION"));
    let rest = text.trim_end().strip_prefix(expected).unwrap();
    let commit = rest
        .strip_prefix(" (")
        .and_then(|rest| rest.strip_suffix(')'));
    let is_hash = |hash: &str| hash.len() == 10 && hash.bytes().all(|b| b.is_ascii_hexdigit());
    assert!(rest.is_empty() || commit.is_some_and(is_hash), "{text}");
}
