//! A pull request from its first commit to its merge and after: commits are made, branches
//! move and disappear, and everything that stands on them follows, in the same request.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use forgewright::app::Settings;
use forgewright::entities::webhook_delivery;
use poem::http::Method;
use sea_orm::{EntityTrait, QueryOrder, QuerySelect};
use serde_json::{Value, json};

use crate::harness::Service;

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
apps:
  - slug: listener
    name: Listener
    owner: acme
    permissions: {contents: read, pull_requests: read}
    events: [push, create, delete, pull_request]
    webhook: {url: "http://127.0.0.1:9/", secret: hush}
installations:
  - {app: listener, account: acme}
tokens:
  - {kind: classic, user: alice, scopes: [repo], value: alice-token}
  - {kind: classic, user: bob, scopes: [repo], value: bob-token}
"#;

async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

/// The events that were queued, in their order.
async fn events(service: &Service) -> Vec<String> {
    let rows: Vec<(String, Option<String>)> = webhook_delivery::Entity::find()
        .select_only()
        .columns([
            webhook_delivery::Column::Event,
            webhook_delivery::Column::Action,
        ])
        .order_by_asc(webhook_delivery::Column::Id)
        .into_tuple()
        .all(service.app.db.reads())
        .await
        .unwrap();
    let named = rows.into_iter().map(|(event, action)| match action {
        None => event,
        Some(action) => format!("{event} {action}"),
    });
    named.collect()
}

async fn new_events(service: &Service, seen: &mut usize) -> Vec<String> {
    let all = events(service).await;
    let new = all[*seen..].to_vec();
    *seen = all.len();
    new
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
    let told = new_events(&service, &mut seen).await;
    assert_eq!(told, ["create", "push", "push", "pull_request opened"]);
    let comment = comment(&service).await;

    let head = write(&service, "topic", "zero\none\n2\nthree\nfour\n").await;
    let told = new_events(&service, &mut seen).await;
    assert_eq!(told, ["push", "pull_request synchronize"]);
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
    let mut seen = events(&service).await.len();
    let (main, topic) = (tip(&service, "main").await, tip(&service, "topic").await);
    let merge = format!("{ROBOTS}/pulls/1/merge");
    let alice = service.as_("alice-token");
    let merged = alice.send(Method::PUT, &merge, Some("{}".to_owned())).await;
    let merged = merged.expect(200).json();
    assert_eq!(tip(&service, "main").await, merged["sha"].as_str().unwrap());
    let told = new_events(&service, &mut seen).await;
    assert_eq!(told, ["push", "pull_request closed"]);

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
    let mut seen = events(&service).await.len();
    let branch = format!("{ROBOTS}/git/refs/heads/topic");
    service.as_("bob-token").delete(&branch).await.expect(204);
    let told = new_events(&service, &mut seen).await;
    assert_eq!(told, ["delete", "push", "pull_request closed"]);
    assert_eq!(pull(&service).await["state"], "closed");

    let reopen = json!({"state": "open"});
    let path = format!("{ROBOTS}/pulls/1");
    let refused = service.as_("bob-token").patch(&path, reopen.clone()).await;
    refused.expect(422);
    create_branch(&service, "topic", &topic).await;
    seen = events(&service).await.len();
    service
        .as_("bob-token")
        .patch(&path, reopen)
        .await
        .expect(200);
    let told = new_events(&service, &mut seen).await;
    assert_eq!(told, ["pull_request reopened"]);
}
