//! Commands check their input before they act: a command that fails a check changes nothing.

use std::fs;
use std::net::TcpListener;

use crate::support::process::{assert_fails, forgewright};

#[test]
fn a_refused_serve_does_not_create_the_demo() {
    let folder = tempfile::tempdir().unwrap();
    let serve = || {
        forgewright(folder.path())
            .args(["--listen", "0.0.0.0:0"])
            .output()
            .unwrap()
    };
    assert_fails(&serve(), 1, &["demo", "--allow-demo-tokens"]);
    assert!(!folder.path().join("data").exists());
    // `serve` would also load the demo into an empty database.
    let migrated = forgewright(folder.path()).arg("migrate").output().unwrap();
    assert!(migrated.status.success(), "{migrated:?}");
    assert_fails(&serve(), 1, &["demo", "--allow-demo-tokens"]);
    let listed = forgewright(folder.path())
        .args(["token", "list"])
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert_eq!(listed.lines().count(), 1, "{listed}");
}

#[test]
fn a_refused_serve_does_not_load_its_world() {
    let folder = tempfile::tempdir().unwrap();
    let key = world::load::DEMO_PUBLIC_KEY;
    let world = format!(
        "users: [{{login: own}}]\napps:\n  - slug: bot\n    owner: own\n    public_key: |\n      {}\n",
        key.trim().replace('\n', "\n      ")
    );
    fs::write(folder.path().join("world.yaml"), world).unwrap();
    for arguments in [
        ["--listen", "0.0.0.0:0", "--world", "world.yaml"],
        ["--listen", "127.0.0.1:0", "--world", "none.yaml"],
    ] {
        let output = forgewright(folder.path()).args(arguments).output().unwrap();
        assert_fails(&output, 1, &[]);
        assert!(!folder.path().join("data").exists(), "{arguments:?}");
    }
}

#[test]
fn a_server_that_cannot_listen_creates_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = forgewright(folder.path())
        .args(["--listen", &address])
        .output()
        .unwrap();
    assert_fails(&output, 1, &["cannot listen on", &address]);
    assert!(!folder.path().join("data").exists());
}

#[test]
fn the_database_of_another_program_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE account (x)").unwrap();
    drop(other);
    let before = fs::read(&path).unwrap();
    let url = format!("sqlite://{}", path.display());
    for command in [
        &["--listen", "127.0.0.1:0"][..],
        &["migrate"],
        &["token", "list"],
    ] {
        let output = forgewright(folder.path())
            .args(command)
            .args(["--database-url", &url])
            .output()
            .unwrap();
        assert_fails(&output, 1, &["other.db", "a database of another program"]);
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(!folder.path().join("other.db-wal").exists());
}

#[test]
fn commands_that_only_read_create_no_database() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["token", "list"][..],
        &["token", "revoke", "1"],
        &["notifications"],
        &["deliveries", "list"],
        &["deliveries", "redeliver", "1"],
        &["doctor"],
    ] {
        let output = forgewright(folder.path()).args(arguments).output().unwrap();
        assert_fails(&output, 1, &["there is no database at"]);
        assert!(!folder.path().join("data").exists(), "{arguments:?}");
    }
}
