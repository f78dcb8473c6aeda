//! Pushes that are rejected, completely or in part. Rejected parts leave no rows behind.

use super::{Folder, GitServer};

/// Runs a push that must fail and must not write any rows; returns its error output.
async fn refused(server: &GitServer, folder: &Folder, arguments: &[&str]) -> String {
    let before = server.rows().await;
    let stderr = folder.refused(arguments);
    assert_eq!(
        server.rows().await,
        before,
        "{arguments:?} changed the number of rows"
    );
    stderr
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_names_and_deletions_get_gits_error_messages() {
    let server = GitServer::start().await;
    let clone = server.clone_of("acme/gadgets");
    clone.commit("new.txt", "new\n");
    for (refspec, words) in [
        ("HEAD:refs/pull/7/head", "deny updating a hidden ref"),
        (
            ":refs/heads/main",
            "refusing to delete the current branch: refs/heads/main",
        ),
        (
            "HEAD^{tree}:refs/heads/tree",
            "trying to write non-commit object",
        ),
        ("HEAD:refs/heads/main/below", "directory file conflict"),
    ] {
        let stderr = refused(&server, &clone, &["push", "origin", refspec]).await;
        assert!(stderr.contains(words), "{refspec}: {stderr}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reference_that_another_push_moved_is_not_overwritten() {
    let server = GitServer::start().await;
    let clone = server.clone_of("acme/gadgets");
    let behind = server.clone_of("acme/gadgets");
    clone.commit("new.txt", "new\n");
    clone.git(&["push", "-q", "origin", "main"]);
    // The second client still has the old references.
    let old = behind.git(&["rev-parse", "origin/main"]);
    let new = behind.commit("other.txt", "other\n");
    let zero = "0".repeat(40);
    for (old, name, words) in [
        (
            &old,
            "refs/heads/main",
            "cannot lock ref 'refs/heads/main': is at",
        ),
        (&zero, "refs/heads/main", "reference already exists"),
        (
            &old,
            "refs/heads/absent",
            "unable to resolve reference 'refs/heads/absent'",
        ),
    ] {
        let commands = [(&old[..], &new[..], name)];
        let report = server.raw_push(&behind, &commands, "report-status").await;
        assert!(report.contains(&format!("ng {name} ")), "{report}");
        assert!(report.contains(words), "{report}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn valid_parts_of_a_push_are_accepted_unless_it_is_atomic() {
    let server = GitServer::start().await;
    let clone = server.clone_of("acme/gadgets");
    let sha = clone.commit("new.txt", "new\n");
    let both = ["HEAD:refs/heads/good", "HEAD:refs/pull/9/head"];
    let stderr = refused(
        &server,
        &clone,
        &["push", "--atomic", "origin", both[0], both[1]],
    )
    .await;
    assert!(stderr.contains("atomic push failure"), "{stderr}");
    assert!(stderr.contains("deny updating a hidden ref"), "{stderr}");
    let stderr = clone.refused(&["push", "origin", both[0], both[1]]);
    assert!(stderr.contains("[new branch]"), "{stderr}");
    assert!(stderr.contains("deny updating a hidden ref"), "{stderr}");
    assert_eq!(server.tip("acme/gadgets", "heads/good").await, Some(sha));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workflow_files_require_the_workflow_permission() {
    let server = GitServer::start().await;
    let clone = server.clone_of("acme/gadgets");
    let sha = clone.commit(".github/workflows/ci.yml", "on: push\n");
    for (token, words) in [
        (
            "alice-no-workflow",
            "refusing to allow a Personal Access Token",
        ),
        ("ci-bot-token", "refusing to allow a GitHub App"),
    ] {
        let url = server.url(Some(token), "acme/gadgets.git");
        let stderr = refused(&server, &clone, &["push", &url, "main"]).await;
        assert!(stderr.contains(words), "{stderr}");
    }
    clone.git(&["push", "-q", "origin", "main"]);
    assert_eq!(server.tip("acme/gadgets", "heads/main").await, Some(sha));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missing_and_malformed_objects_are_rejected() {
    let server = GitServer::start().await;
    let clone = server.clone_of("acme/gadgets");
    let before = server.rows().await;
    let parent = clone.commit("a.txt", "a\n");
    let new = clone.commit("b.txt", "b\n");
    let zero = "0".repeat(40);
    // A pack with only the last commit.
    let only = clone.pack(&format!("{new}\n"));
    let command = [(&zero[..], &new[..], "refs/heads/torn")];
    let report = server.raw_push_with(&command, "report-status", &only).await;
    assert!(report.contains("unpack ok") && report.contains("missing necessary objects"));
    // An object that does not exist.
    let report = server
        .raw_push_with(
            &[(&zero, &parent, "refs/heads/torn")],
            "report-status",
            &only,
        )
        .await;
    assert!(report.contains("missing necessary objects"), "{report}");
    // Bytes that are not a pack, and a truncated pack.
    for pack in [
        &b"no pack at all, but long enough"[..],
        &only[..only.len() / 2],
        b"",
    ] {
        let report = server.raw_push_with(&command, "report-status", pack).await;
        assert!(!report.contains("unpack ok"), "{report}");
        assert!(
            report.contains("ng refs/heads/torn unpacker error"),
            "{report}"
        );
    }
    let mut damaged = only.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    let report = server
        .raw_push_with(&command, "report-status", &damaged)
        .await;
    assert!(report.contains("unpacker error"), "{report}");
    assert_eq!(server.rows().await, before);
    server.stop().await;
}
