//! The commands that use the control API of a running server.

use std::path::Path;
use std::process::Output;

use crate::support::process::{ServerProcess, assert_fails, forgewright};

fn run(folder: &Path, server: &str, arguments: &[&str]) -> Output {
    let server = format!("http://{server}");
    let mut command = forgewright(folder);
    let command = command.args(arguments).args(["--server", &server]);
    command.output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_clock_of_a_running_server_is_shown_set_and_released() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path(), &[]);
    let clock = |arguments: &[&str]| stdout(&run(folder.path(), &server.address, arguments));
    assert!(!clock(&["clock"]).contains("system"));
    let set = clock(&["clock", "set", "2040-01-01T00:00:00Z"]);
    assert!(set.starts_with("2040-01-01T00:00:0"), "{set}");
    assert!(set.ends_with(" s ahead of the system\n"), "{set}");
    let frozen = clock(&["clock", "freeze"]);
    assert!(frozen.contains(", frozen, "), "{frozen}");
    let moved = clock(&["clock", "advance", "-3d"]);
    assert!(moved.starts_with("2039-12-29T00:00:0"), "{moved}");
    let path = "/orgs/acme/issue-fields";
    assert_eq!(server.get(path, Some("ghp_demo_alice_admin")).0, 200);
    let released = clock(&["clock", "release"]);
    assert!(!released.contains("system"), "{released}");
}

#[test]
fn a_failed_command_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path(), &["--control-token", "hush"]);
    let address = server.address.clone();
    let clock = &["clock", "show"][..];
    assert_fails(
        &run(folder.path(), &address, clock),
        1,
        &["--control-token"],
    );
    let with = ["clock", "show", "--control-token", "hush"];
    stdout(&run(folder.path(), &address, &with));
    let unknown_world = [
        "clock",
        "show",
        "--control-token",
        "hush",
        "--world",
        "nowhere",
    ];
    let output = run(folder.path(), &address, &unknown_world);
    assert_fails(&output, 1, &["There is no world named 'nowhere'"]);
    drop(server);
    for command in [clock, &["reset"], &["explain"]] {
        let output = run(folder.path(), &address, command);
        assert_fails(
            &output,
            1,
            &["no server answers at", "forgewright serve", "--server"],
        );
    }
    let off = ServerProcess::start(folder.path(), &["--control", "off"]);
    let output = run(folder.path(), &off.address, clock);
    assert_fails(&output, 1, &["control API", "off", "--control on"]);
    let (status, page) = off.get("/console/", None);
    assert_eq!(status, 404);
    assert_eq!(
        page,
        "The control API and the console are off. Start the server with --control on.\n"
    );
    drop(off);
    let world = folder.path().join("own.yaml");
    std::fs::write(&world, "users: [{login: zoe}]\n").unwrap();
    let world = ["--data-dir", "own", "--world", world.to_str().unwrap()];
    let proxied = ["--base-url", "https://forge.example"];
    let off = ServerProcess::start(folder.path(), &[&proxied[..], &world].concat());
    assert_fails(&run(folder.path(), &off.address, clock), 1, &["--control"]);
    drop(off);
    let on = ServerProcess::start(folder.path(), &world);
    stdout(&run(folder.path(), &on.address, clock));
    assert_eq!(on.get("/console/", None).0, 200);
}

#[test]
fn a_restarted_server_still_knows_the_loaded_world_and_the_demo_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let create = |server: &ServerProcess, body: &str| {
        let length = body.len();
        let head = "POST /_forgewright/worlds HTTP/1.1\r\nHost: localhost\r\nConnection: close";
        server.send(format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}").as_bytes())
    };
    let template = r#"{"name": "copy", "template": "main"}"#;
    let serve_once = |arguments: &[&str]| {
        let server = ServerProcess::start(folder.path(), arguments);
        assert_eq!(server.get("/readyz", None).0, 200);
        assert_eq!(server.stop("-TERM"), 0);
    };
    serve_once(&[]);
    let demo = ServerProcess::start(folder.path(), &[]);
    let created = create(&demo, template);
    assert!(created.starts_with("HTTP/1.1 201"), "{created}");
    assert!(created.contains("ghp_demo_alice_admin"), "{created}");
    drop(demo);

    std::fs::write(folder.path().join("own.yaml"), "users: [{login: zoe}]\n").unwrap();
    let data = ["--data-dir", "own"];
    let world = [&data[..], &["--world", "own.yaml"]].concat();
    serve_once(&world);
    let restarted = ServerProcess::start(folder.path(), &data);
    let created = create(&restarted, template);
    assert!(created.starts_with("HTTP/1.1 201"), "{created}");
    assert_eq!(restarted.get("/_worlds/copy/users/zoe", None).0, 200);
    drop(restarted);

    std::fs::remove_dir_all(folder.path().join("own/forgewright.db.snapshots")).unwrap();
    let forgetful = ServerProcess::start(folder.path(), &data);
    let refused = create(&forgetful, template);
    assert!(refused.starts_with("HTTP/1.1 422"), "{refused}");
    for words in ["--world", "copy_of"] {
        assert!(refused.contains(words), "{refused}");
    }
}

#[test]
fn an_invalid_time_duration_or_url_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, word) in [
        (&["clock", "set", "tomorrow"][..], "2026-03-10T09:30:00Z"),
        (&["clock", "advance", "1w"], "2h or 3d"),
        (
            &["clock", "--server", "localhost:8080"],
            "did you mean http://localhost:8080?",
        ),
    ] {
        let output = forgewright(folder.path()).args(arguments).output().unwrap();
        assert_fails(&output, 2, &[word]);
    }
}
