//! Pushes with `git`.

use super::{GitServer, history};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn branches_are_created_moved_forced_and_deleted() {
    let server = GitServer::start().await;
    let clone = server.clone_of("acme/gadgets");
    clone.git(&["checkout", "-q", "-b", "topic"]);
    let first = clone.commit("topic.txt", "one\n");
    clone.git(&["push", "-q", "origin", "topic"]);
    assert_eq!(server.tip("acme/gadgets", "heads/topic").await, Some(first));
    let second = clone.commit("topic.txt", "two\n");
    clone.git(&["push", "-q", "origin", "topic"]);
    assert_eq!(
        server.tip("acme/gadgets", "heads/topic").await,
        Some(second)
    );
    clone.git(&["commit", "-q", "--amend", "-m", "Another"]);
    let stderr = clone.refused(&["push", "origin", "topic"]);
    assert!(stderr.contains("non-fast-forward"), "{stderr}");
    clone.git(&["push", "-q", "--force", "origin", "topic"]);
    let third = clone.git(&["rev-parse", "HEAD"]);
    assert_eq!(server.tip("acme/gadgets", "heads/topic").await, Some(third));
    server.clone_of("acme/gadgets").fsck();
    clone.git(&["push", "-q", "--delete", "origin", "topic"]);
    assert_eq!(server.tip("acme/gadgets", "heads/topic").await, None);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tags_and_notes_are_pushed() {
    let server = GitServer::start().await;
    let clone = server.clone_of("acme/gadgets");
    clone.git(&["tag", "light"]);
    clone.git(&["tag", "-a", "heavy", "-m", "Annotated"]);
    clone.git(&["tag", "-a", "heavier", "-m", "Of a tag", "heavy"]);
    clone.git(&["notes", "add", "-m", "A note"]);
    clone.git(&["push", "-q", "origin", "--tags", "refs/notes/commits"]);
    let again = server.clone_of("acme/gadgets");
    again.fsck();
    for tag in ["light", "heavy", "heavier"] {
        let of = |folder: &super::Folder| folder.git(&["rev-parse", tag]);
        assert_eq!(of(&again), of(&clone));
    }
    assert!(server.tip("acme/gadgets", "notes/commits").await.is_some());
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_history_is_pushed_and_cloned_without_loss() {
    let server = GitServer::start().await;
    let origin = server.folder();
    history(&origin, 40);
    std::fs::write(origin.join("large.bin"), vec![7; 3 << 20]).unwrap();
    origin.commit("small.txt", "beside a large one\n");
    let push = server.url(Some("alice-classic"), "acme/blank.git");
    origin.git(&["push", "-q", &push, "--mirror"]);
    let clone = server.folder();
    clone.git(&["clone", "-q", "--mirror", &push, "."]);
    clone.fsck();
    assert_eq!(clone.objects(), origin.objects());
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_push_moves_the_head_of_a_pull_request() {
    let server = GitServer::start().await;
    let clone = server.clone_of("acme/gadgets");
    clone.git(&["checkout", "-q", "aside"]);
    let sha = clone.commit("NOTES.md", "more\n");
    clone.git(&["push", "-q", "origin", "aside"]);
    let (status, body) = server
        .server
        .get("/repos/acme/gadgets/pulls/1", "alice-classic")
        .await;
    assert_eq!(
        (status, body["head"]["sha"].as_str()),
        (200, Some(&sha[..]))
    );
    let listed = clone.git(&["ls-remote", "origin", "refs/pull/1/head"]);
    assert_eq!(listed, format!("{sha}\trefs/pull/1/head"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_app_pushes_with_its_token_and_concurrent_pushes_succeed() {
    let server = GitServer::start().await;
    let folders: Vec<_> = (0..4)
        .map(|number| {
            let folder = server.folder();
            let url = server.url(Some("ci-bot-token"), "acme/gadgets.git");
            folder.git(&["clone", "-q", &url, "."]);
            folder.git(&["checkout", "-q", "-b", &format!("bot{number}")]);
            folder.commit("bot.txt", &format!("{number}\n"));
            folder
        })
        .collect();
    std::thread::scope(|scope| {
        for folder in &folders {
            scope.spawn(|| folder.git(&["push", "-q", "origin", "HEAD"]));
        }
    });
    for (number, folder) in folders.iter().enumerate() {
        let tip = server
            .tip("acme/gadgets", &format!("heads/bot{number}"))
            .await;
        assert_eq!(tip, Some(folder.git(&["rev-parse", "HEAD"])));
    }
    server.clone_of("acme/gadgets").fsck();
    server.stop().await;
}
