//! Commands read regular files only: they would wait for the writer of a named pipe.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::process::forgewright;

/// A command that waits longer waits forever.
const TIMEOUT: Duration = Duration::from_secs(60);

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut child = forgewright(folder)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > TIMEOUT {
            child.kill().unwrap();
            panic!("{arguments:?} waits");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

#[test]
fn no_command_waits_for_a_named_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let world = "users: [{login: own}]
apps: [{slug: bot, name: Bot, owner: own, generate_key: pipe}]
";
    std::fs::write(folder.path().join("world.yaml"), world).unwrap();
    let listen = "--listen=127.0.0.1:0";
    let database = "--database-url=sqlite://pipe";
    for arguments in [
        &["world", "load", "pipe"][..],
        &["world", "check", "pipe"],
        &["world", "check", "world.yaml"],
        &["world", "load", "world.yaml"],
        &["world", "load", "/dev/zero"],
        &[listen, "--world", "pipe"],
        &[listen, "--tls-cert", "pipe", "--tls-key", "pipe"],
        &["token", "sign", "--app", "1", "--key", "pipe"],
        &["restore", "pipe", "--data-dir", "new"],
        &["backup", "copy.db", database],
        &["doctor", database],
        &["migrate", database],
        &[listen, database],
    ] {
        let output = run(folder.path(), arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
        let name = if text.contains("/dev/zero") {
            "/dev/zero"
        } else {
            "pipe"
        };
        assert!(
            text.contains(name) && !text.contains("panicked"),
            "{arguments:?}: {text}"
        );
    }
    assert!(!folder.path().join("new").exists());
    assert!(!folder.path().join("copy.db").exists());
}
