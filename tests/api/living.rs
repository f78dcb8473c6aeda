//! A pull request from its first commit to its merge and after: commits are made, branches
//! move and disappear, and everything that stands on them follows, in the same request.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use forgewright::app::Settings;
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

/// Writes README.md on a branch, and returns the commit.
async fn write(service: &Service, branch: &str, text: &str) -> String {
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

async fn pull(service: &Service) -> Value {
    let path = format!("{ROBOTS}/pulls/1");
    service
        .as_("alice-token")
        .get(&path)
        .await
        .expect(200)
        .json()
}

/// A branch of bob's with a commit, and a pull request for it.
async fn open(service: &Service) {
    create_branch(service, "topic", &tip(service, "main").await).await;
    write(service, "topic", "one\n2\nthree\nfour\n").await;
    let body = json!({"title": "Use a digit", "head": "topic", "base": "main"});
    let path = format!("{ROBOTS}/pulls");
    let opened = service.as_("bob-token").post(&path, body).await;
    assert_eq!(opened.expect(201).json()["number"], 1);
}

async fn comment(service: &Service) -> Value {
    let body = json!({
        "body": "Why?", "commit_id": tip(service, "topic").await, "path": "README.md", "line": 2,
    });
    let path = format!("{ROBOTS}/pulls/1/comments");
    let made = service.as_("alice-token").post(&path, body).await;
    made.expect(201).json()
}

async fn comment_now(service: &Service, comment: &Value) -> Value {
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
    open(&service).await;
    let told = service.queued_since(&mut seen).await;
    assert_eq!(
        names(&told),
        ["create", "push", "push", "pull_request.opened"]
    );
    let comment = comment(&service).await;

    let head = write(&service, "topic", "zero\none\n2\nthree\nfour\n").await;
    let told = service.queued_since(&mut seen).await;
    assert_eq!(names(&told), ["push", "pull_request.synchronize"]);
    let now = pull(&service).await;
    assert_eq!(now["head"]["sha"], head.as_str());
    assert_eq!(
        (&now["commits"], &now["mergeable"]),
        (&json!(2), &json!(true))
    );
    assert_eq!(comment_now(&service, &comment).await["line"], 3);

    write(&service, "topic", "zero\none\nII\nthree\nfour\n").await;
    assert_eq!(comment_now(&service, &comment).await["line"], Value::Null);

    write(&service, "main", "one\ntoo\nthree\nfour\n").await;
    let now = pull(&service).await;
    assert_eq!(now["mergeable"], false, "both sides changed the line");
    assert_eq!(now["mergeable_state"], "dirty");
}

#[tokio::test]
async fn a_merge_moves_the_base_and_makes_its_author_a_contributor() {
    let service = start().await;
    open(&service).await;
    let mut seen = service.deliveries().await.len();
    let (main, topic) = (tip(&service, "main").await, tip(&service, "topic").await);
    let merge = format!("{ROBOTS}/pulls/1/merge");
    let alice = service.as_("alice-token");
    let merged = alice.send(Method::PUT, &merge, Some("{}".to_owned())).await;
    let merged = merged.expect(200).json();
    assert_eq!(tip(&service, "main").await, merged["sha"].as_str().unwrap());
    let told = service.queued_since(&mut seen).await;
    assert_eq!(names(&told), ["push", "pull_request.closed"]);

    let now = pull(&service).await;
    assert_eq!(
        (&now["merged"], &now["state"]),
        (&json!(true), &json!("closed"))
    );
    assert_eq!(now["merged_by"]["login"], "alice");
    assert_eq!(now["merge_commit_sha"], merged["sha"]);
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
async fn a_branch_that_goes_closes_its_pull_request_which_may_come_back_with_it() {
    let service = start().await;
    open(&service).await;
    let topic = tip(&service, "topic").await;
    let mut seen = service.deliveries().await.len();
    let branch = format!("{ROBOTS}/git/refs/heads/topic");
    service.as_("bob-token").delete(&branch).await.expect(204);
    let told = service.queued_since(&mut seen).await;
    assert_eq!(names(&told), ["delete", "push", "pull_request.closed"]);
    assert_eq!(pull(&service).await["state"], "closed");

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
    let told = service.queued_since(&mut seen).await;
    assert_eq!(names(&told), ["pull_request.reopened"]);
}

/// A branch `first` on main, a branch `second` on top of it, and a pull request from the one
/// to the other. Returns comments: on the new file, and on a line of the old one that
/// `first` wrote.
async fn stack(service: &Service) -> [Value; 2] {
    create_branch(service, "first", &tip(service, "main").await).await;
    write(service, "first", "one\ntwo\nthree\nFOUR\n").await;
    create_branch(service, "second", &tip(service, "first").await).await;
    let head = write(service, "second", "one\ntwo\n3\n4\n").await;
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
        let made = alice.post(&path, comment.take()).await;
        *comment = made.expect(201).json();
    }
    comments
}

/// Where a comment is now: its line, and its position in the diff.
async fn place(service: &Service, comment: &Value) -> (Value, Value) {
    let mut now = comment_now(service, comment).await;
    (now["line"].take(), now["position"].take())
}

#[tokio::test]
async fn another_base_places_comments_again() {
    let service = start().await;
    let [right, left] = stack(&service).await;
    assert_eq!(place(&service, &right).await, (json!(4), json!(6)));
    assert_eq!(place(&service, &left).await, (json!(4), json!(4)));
    let path = format!("{ROBOTS}/pulls/1");
    let alice = service.as_("alice-token");
    let body = json!({"base": "main"});
    alice.patch(&path, body).await.expect(200);
    assert_eq!(place(&service, &right).await, (json!(4), json!(6)));
    assert_eq!(place(&service, &left).await, (Value::Null, Value::Null));
    let body = json!({"base": "first"});
    alice.patch(&path, body).await.expect(200);
    assert_eq!(place(&service, &left).await, (json!(4), json!(4)));
}

#[tokio::test]
async fn a_base_that_was_squashed_and_goes_places_comments_again() {
    let service = start().await;
    let [right, left] = stack(&service).await;
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
    let told = service.queued_since(&mut seen).await;
    assert_eq!(names(&told), ["delete", "push", "pull_request.edited"]);
    assert_eq!(pull(&service).await["base"]["ref"], "main");
    assert_eq!(place(&service, &right).await, (json!(4), json!(6)));
    assert_eq!(place(&service, &left).await, (Value::Null, Value::Null));
}

/// The payload of the last push that was queued.
async fn last_push(service: &Service) -> Value {
    let mut queued = service.queued().await.into_iter();
    queued.rfind(|event| event.name == "push").unwrap().payload
}

#[tokio::test]
async fn whoever_commits_has_one_address_by_which_they_are_known() {
    let service = start().await;
    open(&service).await;
    let path = "/users/bob";
    let bob = service.as_("bob-token").get(path).await.expect(200).json();
    let address = format!("{}+bob@users.noreply.invalid", bob["id"]);
    let push = last_push(&service).await;
    let written = &push["commits"][0];
    for who in [&written["author"], &written["committer"], &push["pusher"]] {
        assert_eq!(who["email"], address.as_str(), "{who}");
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
    assert_eq!(squashed["author"]["email"], address.as_str());
    assert_eq!(squashed["committer"]["username"], "bob");
    let message = squashed["message"].as_str().unwrap();
    assert!(!message.contains("Co-authored-by"), "{message}");
}
