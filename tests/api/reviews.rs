//! Reviews of pull requests, as GitHub's description has them. Creating is in
//! `creating.rs`, what only the author sees in `pending.rs`, submitting in
//! `submitting.rs`, everything that is done with a submitted review in `changing.rs`, and
//! what apps hear in `events.rs`.

mod changing;
mod creating;
mod events;
mod pending;
mod reading;
mod submitting;

use forgewright::app::Settings;
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};

const WORLD: &str = include_str!("review_comments/world.yaml");
/// The pull request of bob.
const REVIEWS: &str = "/repos/acme/gadgets/pulls/1/reviews";
/// The same in a private repository.
const WIDGETS: &str = "/repos/acme/widgets/pulls/1/reviews";
const COMMENTS: &str = "/repos/acme/gadgets/pulls/1/comments";

async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

fn review_path(review: &Value) -> String {
    format!("{REVIEWS}/{}", review["id"])
}

async fn put(service: &Service, token: &str, path: &str, body: Value) -> Answer {
    let body = Some(body.to_string());
    service.as_(token).send(Method::PUT, path, body).await
}

/// Reviews the pull request of bob.
async fn reviewed(service: &Service, token: &str, body: Value) -> Value {
    let answer = service.as_(token).post(REVIEWS, body).await;
    answer.expect(200).json()
}

/// A pending review with a comment on line 2 of README.md, and one on line 3 of src/lib.rs.
async fn begun(service: &Service, token: &str) -> Value {
    let body = json!({"body": "Thoughts", "comments": [
        {"path": "README.md", "line": 2, "body": "Why?"},
        {"path": "src/lib.rs", "line": 3, "body": "How, @carol?"},
    ]});
    reviewed(service, token, body).await
}

async fn submitted(service: &Service, token: &str, review: &Value, event: &str) -> Answer {
    let path = format!("{}/events", review_path(review));
    service
        .as_(token)
        .post(&path, json!({"event": event}))
        .await
}

async fn list(service: &Service, token: &str, path: &str) -> Vec<Value> {
    let answer = service.as_(token).get(path).await.expect(200);
    answer.json().as_array().unwrap().clone()
}

fn ids(rows: &[Value]) -> Vec<i64> {
    rows.iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

async fn head(service: &Service) -> String {
    let path = "/repos/acme/gadgets/git/ref/heads/topic";
    let answer = service.as_("alice").get(path).await.expect(200);
    answer.json()["object"]["sha"].as_str().unwrap().to_owned()
}

/// Moves the head of the pull request to where another branch is.
async fn move_to(service: &Service, branch: &str) -> String {
    let path = format!("/repos/acme/gadgets/git/ref/heads/{branch}");
    let answer = service.as_("alice").get(&path).await.expect(200);
    let sha = answer.json()["object"]["sha"].as_str().unwrap().to_owned();
    let body = json!({"sha": sha, "force": true});
    let path = "/repos/acme/gadgets/git/refs/heads/topic";
    service.as_("alice").patch(path, body).await.expect(200);
    sha
}
