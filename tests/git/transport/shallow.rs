//! Shallow and partial clones.

use super::{Folder, GitServer, history};

async fn origin() -> (GitServer, Folder) {
    let server = GitServer::start().await;
    let origin = server.folder();
    history(&origin, 20);
    let push = server.url(Some("alice-classic"), "acme/empty.git");
    origin.git(&["push", "-q", &push, "--all"]);
    origin.git(&["push", "-q", &push, "--tags"]);
    (server, origin)
}

fn count(folder: &Folder) -> usize {
    folder
        .git(&["rev-list", "--count", "HEAD"])
        .parse()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shallow_clone_is_deepened_to_the_whole_history() {
    let (server, origin) = origin().await;
    let url = server.url(None, "acme/empty");
    // The responses of `git` itself to the same requests.
    let local = format!("file://{}", origin.path().display());
    for version in ["0", "1", "2"] {
        let protocol = format!("protocol.version={version}");
        let (ours, theirs) = (server.folder(), server.folder());
        for (folder, url) in [(&ours, &url), (&theirs, &local)] {
            folder.git(&[
                "-c",
                &protocol,
                "clone",
                "-q",
                "--depth=2",
                "--no-local",
                url,
                ".",
            ]);
        }
        assert_eq!(ours.objects(), theirs.objects(), "version {version}");
        for step in [
            &["fetch", "-q", "--depth=4"][..],
            &["fetch", "-q", "--deepen=3"],
            &["fetch", "-q", "--depth=3"],
            &["fetch", "-q", "--unshallow"],
        ] {
            let arguments: Vec<&str> = ["-c", &protocol].iter().chain(step).copied().collect();
            ours.git(&arguments);
            theirs.git(&arguments);
            ours.fsck();
            assert_eq!(count(&ours), count(&theirs), "version {version}: {step:?}");
        }
        assert_eq!(count(&ours), count(&origin));
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shallow_history_can_end_at_a_date_or_a_reference() {
    let server = GitServer::start().await;
    let url = server.url(None, "acme/gadgets");
    for version in ["0", "2"] {
        let protocol = format!("protocol.version={version}");
        for condition in ["--shallow-since=2026-03-01", "--shallow-exclude=v1.0"] {
            let clone = server.folder();
            clone.git(&["-c", &protocol, "clone", "-q", condition, &url, "."]);
            clone.fsck();
            assert_eq!(count(&clone), 1, "version {version}: {condition}");
        }
        let clone = server.folder();
        let never = "--shallow-since=2030-01-01";
        let stderr = clone.refused(&["-c", &protocol, "clone", never, &url, "."]);
        assert!(
            stderr.contains("no commits selected for shallow requests"),
            "{stderr}"
        );
        let stderr = clone.refused(&["-c", &protocol, "clone", "--shallow-exclude=x", &url, "."]);
        assert!(stderr.contains("ambiguous deepen-not: x"), "{stderr}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_push_from_a_shallow_clone_is_accepted() {
    let (server, _origin) = origin().await;
    let clone = server.folder();
    let url = server.url(Some("alice-classic"), "acme/empty");
    clone.git(&["clone", "-q", "--depth=1", &url, "."]);
    let sha = clone.commit("shallow.txt", "from a shallow clone\n");
    clone.git(&["push", "-q", "origin", "main"]);
    assert_eq!(server.tip("acme/empty", "heads/main").await, Some(sha));
    server.clone_of("acme/empty").fsck();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_partial_clone_fetches_missing_objects_on_demand() {
    let (server, origin) = origin().await;
    let url = server.url(None, "acme/empty");
    for filter in ["blob:none", "blob:limit=3", "tree:0"] {
        let clone = server.folder();
        let filtered = format!("--filter={filter}");
        clone.git(&["clone", "-q", "--no-checkout", &filtered, &url, "."]);
        let here = clone.git(&["rev-list", "--objects", "--all", "--missing=print"]);
        let absent = here.lines().filter(|line| line.starts_with('?')).count();
        assert!(absent > 0, "{filter} omitted nothing");
        clone.git(&["checkout", "-q", "main"]);
        assert_eq!(clone.git(&["status", "--porcelain"]), "");
        clone.git(&["log", "-p", "--all"]);
        clone.fsck();
        assert_eq!(clone.objects().len(), origin.objects().len(), "{filter}");
    }
    let folder = server.folder();
    let output = folder.attempt(&["clone", "--filter=sparse:oid=main", &url, "x"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("not supported"), "{stderr}");
    server.stop().await;
}
