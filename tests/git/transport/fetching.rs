//! Clones and fetches with `git`, in every version of the protocol.

use super::{GitServer, history};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_protocol_version_clones_and_fetches_the_same() {
    let server = GitServer::start().await;
    let origin = server.folder();
    history(&origin, 25);
    let push = server.url(Some("alice-classic"), "acme/empty.git");
    origin.git(&["push", "-q", &push, "--all"]);
    origin.git(&["push", "-q", &push, "--tags"]);
    let clones = ["0", "1", "2"].map(|version| {
        let clone = server.folder();
        let protocol = format!("protocol.version={version}");
        let url = server.url(None, "acme/empty");
        clone.git(&["-c", &protocol, "clone", "-q", "--mirror", &url, "."]);
        clone.fsck();
        assert_eq!(clone.objects(), origin.objects(), "version {version}");
        assert_eq!(clone.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
        (protocol, clone)
    });
    for number in 0..3 {
        origin.commit("src/new.txt", &format!("{number}\n"));
        origin.git(&["tag", "-a", &format!("n{number}"), "-m", "Next"]);
        origin.git(&["push", "-q", "--follow-tags", &push, "main"]);
        for (protocol, clone) in &clones {
            clone.git(&["-c", protocol, "fetch", "-q"]);
            clone.fsck();
            assert_eq!(clone.objects(), origin.objects(), "{protocol}");
        }
    }
    server.stop().await;
}

/// The server caches the pack of a clone for the next identical request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cached_pack_is_only_used_for_the_same_request() {
    let server = GitServer::start().await;
    let origin = server.folder();
    history(&origin, 10);
    let push = server.url(Some("alice-classic"), "acme/empty.git");
    origin.git(&["push", "-q", &push, "--all"]);
    let clone = |options: &[&str]| {
        let clone = server.folder();
        let url = server.url(None, "acme/empty");
        let command = ["clone", "-q", "--bare"];
        clone.git(&[&command[..], options, &[&url, "."]].concat());
        clone.fsck();
        let stored = ["cat-file", "--batch-all-objects", "--batch-check"];
        let objects = clone.git(&stored).lines().count();
        (clone, objects)
    };
    let (whole, all) = clone(&[]);
    assert_eq!((clone(&[]).1, whole.objects().len()), (all, all));
    let commits = clone(&["--filter=tree:0"]).1;
    let without_blobs = clone(&["--filter=blob:none"]).1;
    assert!(commits < without_blobs && without_blobs < all);
    let (main, _) = clone(&["--single-branch", "--branch", "main"]);
    assert_eq!(main.git(&["tag"]), "");
    origin.git(&["tag", "-a", "old", "-m", "Old", "main~3"]);
    origin.git(&["push", "-q", &push, "old"]);
    let (main, _) = clone(&["--single-branch", "--branch", "main"]);
    assert_eq!(main.git(&["tag"]), "old");
    assert_eq!(clone(&[]).1, all + 1);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fetch_transfers_only_what_is_new() {
    let server = GitServer::start().await;
    let first = server.clone_of("acme/gadgets");
    let second = server.clone_of("acme/gadgets");
    first.commit("docs/a/b/d.md", "new\n");
    first.git(&["push", "-q", "origin", "main"]);
    let output = second.attempt(&["fetch", "--progress", "origin"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    // A commit, four trees and a blob.
    assert!(stderr.contains("Enumerating objects: 6, done."), "{stderr}");
    second.fsck();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_with_many_local_commits_negotiates() {
    let server = GitServer::start().await;
    let clone = server.clone_of("acme/gadgets");
    for number in 0..40 {
        clone.commit("local.txt", &format!("{number}\n"));
    }
    let other = server.clone_of("acme/gadgets");
    other.commit("theirs.txt", "theirs\n");
    other.git(&["push", "-q", "origin", "main"]);
    for version in ["0", "2"] {
        let protocol = format!("protocol.version={version}");
        clone.git(&["-c", &protocol, "fetch", "-q", "origin"]);
        clone.fsck();
    }
    assert_eq!(
        clone.git(&["rev-parse", "origin/main"]),
        other.git(&["rev-parse", "main"])
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn references_are_listed_with_pull_request_heads_and_peeled_tags() {
    let server = GitServer::start().await;
    let folder = server.folder();
    let url = server.url(None, "acme/gadgets.git");
    let aside = server.tip("acme/gadgets", "heads/aside").await.unwrap();
    for version in ["0", "2"] {
        let protocol = format!("protocol.version={version}");
        let listed = folder.git(&["-c", &protocol, "ls-remote", "--symref", &url]);
        let names: Vec<&str> = listed
            .lines()
            .filter_map(|line| line.split('\t').nth(1))
            .collect();
        let expected = [
            "HEAD",
            "HEAD",
            "refs/heads/aside",
            "refs/heads/main",
            "refs/pull/1/head",
            "refs/tags/v1.0",
            "refs/tags/v1.0^{}",
        ];
        assert_eq!(names, expected, "version {version}");
        assert!(listed.starts_with("ref: refs/heads/main\tHEAD"));
        assert!(listed.contains(&format!("{aside}\trefs/pull/1/head")));
        let some = folder.git(&["-c", &protocol, "ls-remote", &url, "refs/heads/a*"]);
        assert_eq!(some, format!("{aside}\trefs/heads/aside"));
    }
    folder.git(&["init", "-q", "."]);
    folder.git(&["fetch", "-q", &url, "refs/pull/1/head"]);
    assert_eq!(folder.git(&["rev-parse", "FETCH_HEAD"]), aside);
    server.stop().await;
}

/// More than a megabyte of names in one push. The server sends such a list from a file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_list_of_references_is_complete() {
    let server = GitServer::start().await;
    let clone = server.clone_of("acme/gadgets");
    let main = clone.git(&["rev-parse", "HEAD"]);
    let long = "long".repeat(50);
    let names: Vec<String> = (1000..3400)
        .map(|number| format!("refs/tags/{long}/{long}{number}"))
        .collect();
    let lines: String = names
        .iter()
        .map(|name| format!("{main} {name}\n"))
        .collect();
    std::fs::write(clone.join(".git/packed-refs"), lines).unwrap();
    clone.git(&["push", "-q", "origin", "--tags"]);
    for version in ["0", "2"] {
        let protocol = format!("protocol.version={version}");
        let listed = clone.git(&["-c", &protocol, "ls-remote", "origin", "refs/tags/*"]);
        let listed: Vec<&str> = listed
            .lines()
            .filter_map(|line| line.strip_prefix(&main)?.strip_prefix('\t'))
            .filter(|name| name.contains("long"))
            .collect();
        assert!(listed == names, "{} are listed", listed.len());
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_object_of_the_repository_can_be_fetched() {
    let server = GitServer::start().await;
    let clone = server.clone_of("acme/gadgets");
    let tree = clone.git(&["rev-parse", "main^{tree}"]);
    let folder = server.folder();
    folder.git(&["init", "-q", "."]);
    let url = server.url(None, "acme/gadgets.git");
    for version in ["0", "2"] {
        let protocol = format!("protocol.version={version}");
        folder.git(&["-c", &protocol, "fetch", "-q", &url, &tree]);
    }
    assert_eq!(folder.git(&["cat-file", "-t", &tree]), "tree");
    let absent = "1234567890123456789012345678901234567890";
    for version in ["0", "2"] {
        let protocol = format!("protocol.version={version}");
        let stderr = folder.refused(&["-c", &protocol, "fetch", &url, absent]);
        assert!(
            stderr.contains(&format!("not our ref {absent}")),
            "{stderr}"
        );
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_repository_is_cloned_and_gets_its_default_branch_from_a_push() {
    let server = GitServer::start().await;
    for (version, repository) in [("0", "acme/empty"), ("2", "acme/blank")] {
        let clone = server.folder();
        let url = server.url(Some("alice-classic"), repository);
        let protocol = format!("protocol.version={version}");
        clone.git(&["-c", &protocol, "clone", "-q", &url, "."]);
        clone.git(&["checkout", "-q", "-b", "trunk"]);
        let sha = clone.commit("README.md", "# New\n");
        clone.git(&["push", "-q", "origin", "trunk"]);
        let (_, body) = server
            .server
            .get(&format!("/repos/{repository}"), "alice-classic")
            .await;
        assert_eq!(body["default_branch"], "trunk");
        assert_eq!(server.tip(repository, "heads/trunk").await, Some(sha));
        let again = server.clone_of(repository);
        assert_eq!(again.git(&["branch", "--show-current"]), "trunk");
    }
    server.stop().await;
}
