//! A server that is killed during a push has stored all of it or nothing.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{Folder, history};
use crate::support::process::{ServerProcess, forgewright};

/// Milliseconds from the start of the push to the kill.
const KILL_DELAYS: [u64; 6] = [50, 150, 300, 600, 1200, 2400];

fn url(server: &ServerProcess) -> String {
    let address = &server.address;
    format!("http://x:ghp_demo_alice_admin@{address}/acme/gadgets.git")
}

fn push(origin: &Folder, server: &ServerProcess) -> Child {
    Command::new("git")
        .args([
            "push",
            "--quiet",
            &url(server),
            "main:refs/heads/pushed",
            "--tags",
        ])
        .current_dir(origin.path())
        .env("GIT_TERMINAL_PROMPT", "0")
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn an_interrupted_push_is_stored_completely_or_not_at_all() {
    let origin = Folder(tempfile::tempdir().unwrap());
    history(&origin, 30);
    std::fs::write(origin.join("large.bin"), vec![5; 4 << 20]).unwrap();
    let tip = origin.commit("last.txt", "the last\n");
    let mut completed = 0;
    for delay in KILL_DELAYS {
        let data = tempfile::tempdir().unwrap();
        let mut server = ServerProcess::start(data.path(), &[]);
        let mut pushing = push(&origin, &server);
        std::thread::sleep(Duration::from_millis(delay));
        server.child.kill().unwrap();
        let acknowledged = pushing.wait().unwrap().success();
        drop(server);
        let checked = forgewright(data.path()).arg("doctor").output().unwrap();
        assert!(
            checked.status.success(),
            "{}",
            String::from_utf8_lossy(&checked.stdout)
        );
        let server = ServerProcess::start(data.path(), &[]);
        let clone = Folder(tempfile::tempdir().unwrap());
        clone.git(&["clone", "-q", "--mirror", &url(&server), "."]);
        clone.fsck();
        let (kept, found) = {
            let output = clone.attempt(&["rev-parse", "--verify", "-q", "refs/heads/pushed"]);
            (
                output.status.success(),
                String::from_utf8_lossy(&output.stdout).trim().to_owned(),
            )
        };
        let tags = clone.git(&["tag", "--list", "v5"]);
        assert_eq!(kept, !tags.is_empty(), "only part of a push was stored");
        assert!(kept || !acknowledged, "an acknowledged push was lost");
        if kept {
            assert_eq!(found, tip);
            completed += 1;
        }
        let again = push(&origin, &server).wait().unwrap();
        assert!(again.success(), "the push cannot be repeated");
    }
    assert!(completed < KILL_DELAYS.len(), "no push was interrupted");
}
