//! A pull request and its comments after `git` moves, deletes and restores its branch.

use poem::http::Method;
use serde_json::{Value, json};

use super::{Folder, GitServer};
use crate::support::events::{LISTENER, Queued, names};

const PULL: &str = "/repos/acme/gadgets/pulls/1";

/// A server with an app that receives all events, and a clone on the pull request's branch.
async fn start() -> (GitServer, Folder) {
    let server = GitServer::start().await;
    server.server.load("listener.yaml", LISTENER).await;
    let clone = server.clone_of("acme/gadgets");
    clone.git(&["checkout", "-q", "aside"]);
    (server, clone)
}

impl GitServer {
    async fn api(&self, method: Method, path: &str, body: Value) -> Value {
        let (status, body) = self.server.send(method, path, "alice-classic", body).await;
        assert!((200..300).contains(&status), "{path}: {status} {body}");
        body
    }

    async fn pull(&self) -> Value {
        self.api(Method::GET, PULL, Value::Null).await
    }

    /// Comments on a line at the current head of the pull request.
    async fn comment(&self, line: u32) -> Value {
        let commit = self.pull().await["head"]["sha"].clone();
        let body = json!({"body": "Why?", "commit_id": commit, "path": "NOTES.md", "line": line});
        self.api(Method::POST, &format!("{PULL}/comments"), body)
            .await["id"]
            .clone()
    }

    /// The line and the commit of a comment.
    async fn position(&self, comment: &Value) -> (Value, Value) {
        let path = format!("/repos/acme/gadgets/pulls/comments/{comment}");
        let mut comment = self.api(Method::GET, &path, Value::Null).await;
        (comment["line"].take(), comment["commit_id"].take())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forced_push_moves_a_pull_request_and_its_comments() {
    let (server, clone) = start().await;
    let old = clone.commit("NOTES.md", "one\ntwo\nthree\nfour\n");
    clone.git(&["push", "-q", "origin", "aside"]);
    let (kept, lost) = (server.comment(2).await, server.comment(4).await);
    let mut seen = 0;
    server.server.queued_since(&mut seen).await;

    clone.git(&["reset", "-q", "--hard", "origin/main"]);
    let new = clone.commit("NOTES.md", "zero\none\ntwo\nthree\nIV\n");
    clone.git(&["push", "-q", "--force", "origin", "aside"]);
    let events = server.server.queued_since(&mut seen).await;
    assert_eq!(names(&events), ["push", "pull_request.synchronize"]);
    for Queued { name, payload, .. } in &events {
        assert_eq!(payload["before"], old.as_str(), "{name}");
        assert_eq!(payload["after"], new.as_str(), "{name}");
    }
    let push = &events[0].payload;
    assert_eq!(push["forced"], true);
    assert_eq!(push["head_commit"]["id"], new.as_str());
    let commits = push["commits"].as_array().unwrap().iter();
    let commits: Vec<_> = commits
        .map(|commit| (&commit["id"], &commit["distinct"]))
        .collect();
    let main = clone.git(&["rev-parse", "origin/main"]);
    assert_eq!(
        commits,
        [(&json!(main), &json!(false)), (&json!(new), &json!(true))]
    );
    let pull = server.pull().await;
    assert_eq!(pull["head"]["sha"], new.as_str());
    assert_eq!(pull["commits"], 1);
    assert_eq!(server.position(&kept).await, (json!(3), json!(new)));
    assert_eq!(server.position(&lost).await, (Value::Null, json!(old)));

    clone.git(&["push", "-q", "--force", "origin", &format!("{old}:aside")]);
    assert_eq!(
        server.server.queued_since(&mut seen).await[0].payload["forced"],
        true
    );
    assert_eq!(server.position(&kept).await, (json!(2), json!(old)));
    assert_eq!(server.position(&lost).await, (json!(4), json!(old)));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleting_a_branch_closes_its_pull_request_and_restoring_it_allows_reopening() {
    let (server, clone) = start().await;
    let old = clone.commit("NOTES.md", "one\ntwo\n");
    clone.git(&["push", "-q", "origin", "aside"]);
    let comment = server.comment(2).await;
    let mut seen = 0;
    server.server.queued_since(&mut seen).await;

    clone.git(&["push", "-q", "--delete", "origin", "aside"]);
    let events = server.server.queued_since(&mut seen).await;
    assert_eq!(names(&events), ["delete", "push", "pull_request.closed"]);
    assert_eq!(events[1].payload["deleted"], true);
    let pull = server.pull().await;
    assert_eq!(
        (&pull["state"], &pull["merged"]),
        (&json!("closed"), &json!(false))
    );

    let new = clone.commit("NOTES.md", "zero\none\ntwo\n");
    clone.git(&["push", "-q", "origin", "aside"]);
    let events = server.server.queued_since(&mut seen).await;
    assert_eq!(names(&events), ["create", "push"]);
    let pull = server.pull().await;
    assert_eq!(
        (&pull["state"], &pull["head"]["sha"]),
        (&json!("closed"), &json!(old))
    );
    let pull = server
        .api(Method::PATCH, PULL, json!({"state": "open"}))
        .await;
    assert_eq!(pull["head"]["sha"], new.as_str());
    assert_eq!(
        names(&server.server.queued_since(&mut seen).await),
        ["pull_request.reopened"]
    );
    assert_eq!(server.position(&comment).await, (json!(3), json!(new)));
    server.stop().await;
}
