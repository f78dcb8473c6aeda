//! A pull request from its first commit until after its merge: a request that changes a
//! branch also updates the pull requests of the branch and their comments.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use forge::app::Settings;
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::Service;
use crate::support::events::{LISTENER, names};

const ROBOTS: &str = "/repos/acme/robots";

const WORLD: &str = r#"
users:
  - {login: alice}
  - {login: bob}
organizations:
  - {login: acme, base_permission: write, members: [{login: alice, role: admin}]}
repositories:
  - full_name: acme/robots
    visibility: public
    collaborators: [{login: bob, permission: write}]
    git:
      commits:
        - {id: first, message: Begin, author: alice, files: {README.md: "one\ntwo\nthree\nfour\n"}}
      refs: {refs/heads/main: first}
tokens:
  - {kind: classic, user: alice, scopes: [repo], value: alice-token}
  - {kind: classic, user: bob, scopes: [repo], value: bob-token}
"#;

async fn start() -> Service {
    Service::with(&format!("{WORLD}{LISTENER}"), Settings::default()).await
}

/// Commits README.md to a branch, and returns the SHA of the commit.
async fn commit_readme(service: &Service, branch: &str, text: &str) -> String {
    let path = format!("{ROBOTS}/contents/README.md");
    let file = service
        .as_("bob-token")
        .get(&format!("{path}?ref={branch}"))
        .await;
    let body = json!({
        "message": format!("Write {text:?}"), "content": STANDARD.encode(text),
        "branch": branch, "sha": file.expect(200).json()["sha"],
    });
    let written = service
        .as_("bob-token")
        .send(Method::PUT, &path, Some(body.to_string()))
        .await;
    let commit = written.expect(200).json()["commit"]["sha"].clone();
    commit.as_str().unwrap().to_owned()
}

async fn tip(service: &Service, branch: &str) -> String {
    let path = format!("{ROBOTS}/git/ref/heads/{branch}");
    let found = service.as_("bob-token").get(&path).await.expect(200).json();
    found["object"]["sha"].as_str().unwrap().to_owned()
}

async fn create_branch(service: &Service, branch: &str, sha: &str) {
    let body = json!({"ref": format!("refs/heads/{branch}"), "sha": sha});
    let path = format!("{ROBOTS}/git/refs");
    service.as_("bob-token").post(&path, body).await.expect(201);
}

async fn get_pull(service: &Service) -> Value {
    let path = format!("{ROBOTS}/pulls/1");
    service
        .as_("alice-token")
        .get(&path)
        .await
        .expect(200)
        .json()
}

/// Creates a branch with a commit, and opens a pull request for it, all as bob.
async fn open_pull(service: &Service) {
    create_branch(service, "topic", &tip(service, "main").await).await;
    commit_readme(service, "topic", "one\n2\nthree\nfour\n").await;
    let body = json!({"title": "Use a digit", "head": "topic", "base": "main"});
    let path = format!("{ROBOTS}/pulls");
    let opened = service.as_("bob-token").post(&path, body).await;
    assert_eq!(opened.expect(201).json()["number"], 1);
}

async fn create_comment(service: &Service) -> Value {
    let body = json!({
        "body": "Why?", "commit_id": tip(service, "topic").await, "path": "README.md", "line": 2,
    });
    let path = format!("{ROBOTS}/pulls/1/comments");
    let created = service.as_("alice-token").post(&path, body).await;
    created.expect(201).json()
}

async fn get_comment(service: &Service, comment: &Value) -> Value {
    let path = format!("{ROBOTS}/pulls/comments/{}", comment["id"]);
    service
        .as_("alice-token")
        .get(&path)
        .await
        .expect(200)
        .json()
}

#[tokio::test]
async fn a_commit_on_the_branch_moves_the_pull_request_and_its_comments() {
    let service = start().await;
    let mut seen = 0;
    open_pull(&service).await;
    let queued = service.queued_since(&mut seen).await;
    assert_eq!(
        names(&queued),
        ["create", "push", "push", "pull_request.opened"]
    );
    let comment = create_comment(&service).await;

    let head = commit_readme(&service, "topic", "zero\none\n2\nthree\nfour\n").await;
    let queued = service.queued_since(&mut seen).await;
    assert_eq!(names(&queued), ["push", "pull_request.synchronize"]);
    let pull = get_pull(&service).await;
    assert_eq!(pull["head"]["sha"], head.as_str());
    assert_eq!(
        (&pull["commits"], &pull["mergeable"]),
        (&json!(2), &json!(true))
    );
    assert_eq!(get_comment(&service, &comment).await["line"], 3);

    commit_readme(&service, "topic", "zero\none\nII\nthree\nfour\n").await;
    assert_eq!(get_comment(&service, &comment).await["line"], Value::Null);

    commit_readme(&service, "main", "one\ntoo\nthree\nfour\n").await;
    let pull = get_pull(&service).await;
    assert_eq!(pull["mergeable"], false, "both sides changed the line");
    assert_eq!(pull["mergeable_state"], "dirty");
}

#[tokio::test]
async fn a_merge_moves_the_base_and_closes_the_pull_request() {
    let service = start().await;
    open_pull(&service).await;
    let mut seen = service.deliveries().await.len();
    let (main, topic) = (tip(&service, "main").await, tip(&service, "topic").await);
    let merge = format!("{ROBOTS}/pulls/1/merge");
    let alice = service.as_("alice-token");
    let merged = alice.send(Method::PUT, &merge, Some("{}".to_owned())).await;
    let merged = merged.expect(200).json();
    assert_eq!(tip(&service, "main").await, merged["sha"].as_str().unwrap());
    let queued = service.queued_since(&mut seen).await;
    assert_eq!(names(&queued), ["push", "pull_request.closed"]);

    let pull = get_pull(&service).await;
    assert_eq!(
        (&pull["merged"], &pull["state"]),
        (&json!(true), &json!("closed"))
    );
    assert_eq!(pull["merged_by"]["login"], "alice");
    assert_eq!(pull["merge_commit_sha"], merged["sha"]);
    let path = format!("{ROBOTS}/git/commits/{}", merged["sha"].as_str().unwrap());
    let commit = service.as_("bob-token").get(&path).await.expect(200).json();
    let parents: Vec<_> = commit["parents"].as_array().unwrap().iter().collect();
    assert_eq!(parents.len(), 2);
    assert_eq!(
        (&parents[0]["sha"], &parents[1]["sha"]),
        (&json!(main), &json!(topic))
    );
    service.as_("alice-token").get(&merge).await.expect(204);
}

#[tokio::test]
async fn deleting_a_branch_closes_its_pull_request_and_restoring_it_allows_reopening() {
    let service = start().await;
    open_pull(&service).await;
    let topic = tip(&service, "topic").await;
    let mut seen = service.deliveries().await.len();
    let branch = format!("{ROBOTS}/git/refs/heads/topic");
    service.as_("bob-token").delete(&branch).await.expect(204);
    let queued = service.queued_since(&mut seen).await;
    assert_eq!(names(&queued), ["delete", "push", "pull_request.closed"]);
    assert_eq!(get_pull(&service).await["state"], "closed");

    let reopen = json!({"state": "open"});
    let path = format!("{ROBOTS}/pulls/1");
    let refused = service.as_("bob-token").patch(&path, reopen.clone()).await;
    refused.expect(422);
    create_branch(&service, "topic", &topic).await;
    seen = service.deliveries().await.len();
    service
        .as_("bob-token")
        .patch(&path, reopen)
        .await
        .expect(200);
    let queued = service.queued_since(&mut seen).await;
    assert_eq!(names(&queued), ["pull_request.reopened"]);
}

/// Creates a branch `first` on main, a branch `second` on top of it, and a pull request
/// from `second` to `first`. Returns two comments: one on the new version of the file, and
/// one on a line of the old version that `first` wrote.
async fn open_stacked_pull(service: &Service) -> [Value; 2] {
    create_branch(service, "first", &tip(service, "main").await).await;
    commit_readme(service, "first", "one\ntwo\nthree\nFOUR\n").await;
    create_branch(service, "second", &tip(service, "first").await).await;
    let head = commit_readme(service, "second", "one\ntwo\n3\n4\n").await;
    let body = json!({"title": "Use digits", "head": "second", "base": "first"});
    let alice = service.as_("alice-token");
    let path = format!("{ROBOTS}/pulls");
    let opened = alice.post(&path, body).await.expect(201).json();
    let number = opened["number"].as_i64().unwrap();
    let path = format!("{ROBOTS}/pulls/{number}/comments");
    let mut comments = [("RIGHT", 4), ("LEFT", 4)].map(|(side, line)| {
        json!({
            "body": "Why?", "commit_id": head, "path": "README.md", "side": side, "line": line,
        })
    });
    for comment in &mut comments {
        let created = alice.post(&path, comment.take()).await;
        *comment = created.expect(201).json();
    }
    comments
}

/// The current line of a comment, and its position in the diff.
async fn line_and_position(service: &Service, comment: &Value) -> (Value, Value) {
    let mut current = get_comment(service, comment).await;
    (current["line"].take(), current["position"].take())
}

#[tokio::test]
async fn changing_the_base_relocates_comments() {
    let service = start().await;
    let [right, left] = open_stacked_pull(&service).await;
    assert_eq!(
        line_and_position(&service, &right).await,
        (json!(4), json!(6))
    );
    assert_eq!(
        line_and_position(&service, &left).await,
        (json!(4), json!(4))
    );
    let path = format!("{ROBOTS}/pulls/1");
    let alice = service.as_("alice-token");
    let body = json!({"base": "main"});
    alice.patch(&path, body).await.expect(200);
    assert_eq!(
        line_and_position(&service, &right).await,
        (json!(4), json!(6))
    );
    assert_eq!(
        line_and_position(&service, &left).await,
        (Value::Null, Value::Null)
    );
    let body = json!({"base": "first"});
    alice.patch(&path, body).await.expect(200);
    assert_eq!(
        line_and_position(&service, &left).await,
        (json!(4), json!(4))
    );
}

#[tokio::test]
async fn deleting_a_squashed_base_relocates_comments() {
    let service = start().await;
    let [right, left] = open_stacked_pull(&service).await;
    let alice = service.as_("alice-token");
    let body = json!({"title": "Shout", "head": "first", "base": "main"});
    let path = format!("{ROBOTS}/pulls");
    alice.post(&path, body).await.expect(201);
    let squash = json!({"merge_method": "squash"}).to_string();
    let path = format!("{path}/2/merge");
    alice
        .send(Method::PUT, &path, Some(squash))
        .await
        .expect(200);
    let mut seen = service.deliveries().await.len();
    let branch = format!("{ROBOTS}/git/refs/heads/first");
    alice.delete(&branch).await.expect(204);
    let queued = service.queued_since(&mut seen).await;
    assert_eq!(names(&queued), ["delete", "push", "pull_request.edited"]);
    assert_eq!(get_pull(&service).await["base"]["ref"], "main");
    assert_eq!(
        line_and_position(&service, &right).await,
        (json!(4), json!(6))
    );
    assert_eq!(
        line_and_position(&service, &left).await,
        (Value::Null, Value::Null)
    );
}

/// The payload of the last queued push event.
async fn last_push(service: &Service) -> Value {
    let mut queued = service.queued().await.into_iter();
    queued.rfind(|event| event.name == "push").unwrap().payload
}

#[tokio::test]
async fn a_user_has_the_same_email_address_in_every_commit() {
    let service = start().await;
    open_pull(&service).await;
    let path = "/users/bob";
    let bob = service.as_("bob-token").get(path).await.expect(200).json();
    let email = format!("{}+bob@users.noreply.invalid", bob["id"]);
    let push = last_push(&service).await;
    let written = &push["commits"][0];
    for person in [&written["author"], &written["committer"], &push["pusher"]] {
        assert_eq!(person["email"], email.as_str(), "{person}");
    }
    assert_eq!(written["author"]["username"], "bob");

    let squash = json!({"merge_method": "squash"}).to_string();
    let merge = format!("{ROBOTS}/pulls/1/merge");
    let bob = service.as_("bob-token");
    bob.send(Method::PUT, &merge, Some(squash))
        .await
        .expect(200);
    let push = last_push(&service).await;
    let squashed = &push["head_commit"];
    assert_eq!(squashed["author"]["email"], email.as_str());
    assert_eq!(squashed["committer"]["username"], "bob");
    let message = squashed["message"].as_str().unwrap();
    assert!(!message.contains("Co-authored-by"), "{message}");
}
