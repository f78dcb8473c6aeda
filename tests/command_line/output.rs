//! The output and the log of the server and its commands.

use std::process::Stdio;

use crate::support::process::{ServerProcess, forgewright, remaining_stderr};

/// As in `token list | head`.
#[test]
fn a_command_exits_silently_when_its_output_pipe_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    ServerProcess::start(folder.path(), &[]).stop("-TERM");
    for arguments in [
        &["token", "list"][..],
        &["notifications"],
        &["deliveries", "list"],
        &["doctor"],
        &["world", "check", "world.yaml"],
    ] {
        std::fs::write(folder.path().join("world.yaml"), "users: [{login: zoe}]").unwrap();
        let mut child = forgewright(folder.path())
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let errors = remaining_stderr(&mut child);
        assert_eq!(errors, "", "{arguments:?}");
        assert!(child.wait().unwrap().success(), "{arguments:?}");
    }
}

#[test]
fn the_log_never_contains_the_text_of_a_comment() {
    let folder = tempfile::tempdir().unwrap();
    ServerProcess::start(folder.path(), &[]).stop("-TERM");
    let mut server = ServerProcess::start(folder.path(), &["--log-level", "trace"]);
    let log = server.child.stderr.take().unwrap();
    let log = std::thread::spawn(move || std::io::read_to_string(log).unwrap());
    let commit = "8eab163a70f05830af308d28304b3508f0118432";
    let body = format!(
        "{{\"body\": \"<b>xylophone</b> *xylophone*\", \"commit_id\": \"{commit}\", \
          \"path\": \"README.md\", \"line\": 2}}"
    );
    let request = format!(
        "POST /repos/acme/gadgets/pulls/1/comments HTTP/1.1\r\nHost: localhost\r\n\
         Connection: close\r\nAuthorization: Bearer ghp_demo_alice_admin\r\n\
         Accept: application/vnd.github.full+json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let response = server.send(request.as_bytes());
    assert!(response.starts_with("HTTP/1.1 201 "), "{response}");
    assert!(response.contains("<b>xylophone</b>"), "{response}");
    server.signal("-TERM");
    let log = log.join().unwrap();
    assert!(log.contains("create_review_comment"), "{log}");
    let line = log.lines().find(|line| line.contains("xylophone"));
    assert_eq!(line, None);
}
