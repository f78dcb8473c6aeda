//! Reviews of pull requests: creating them (`creating.rs`), pending reviews, which only
//! their author sees (`pending.rs`), submitting (`submitting.rs`), reading (`reading.rs`),
//! updating and dismissing (`changing.rs`), and webhook events (`events.rs`).

mod changing;
mod creating;
mod events;
mod pending;
mod reading;
mod submitting;

use forge::app::Settings;
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};

const WORLD: &str = include_str!("review_comments/world.yaml");
/// The reviews of bob's pull request.
const REVIEWS: &str = "/repos/acme/gadgets/pulls/1/reviews";
/// The reviews of a pull request in a private repository.
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

/// Creates a review of bob's pull request, and returns it.
async fn create_review(service: &Service, token: &str, body: Value) -> Value {
    let answer = service.as_(token).post(REVIEWS, body).await;
    answer.expect(200).json()
}

/// Creates a pending review with a comment on line 2 of README.md, and one on line 3 of
/// src/lib.rs.
async fn create_pending(service: &Service, token: &str) -> Value {
    let body = json!({"body": "Thoughts", "comments": [
        {"path": "README.md", "line": 2, "body": "Why?"},
        {"path": "src/lib.rs", "line": 3, "body": "How, @carol?"},
    ]});
    create_review(service, token, body).await
}

async fn submit(service: &Service, token: &str, review: &Value, event: &str) -> Answer {
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

async fn head_sha(service: &Service) -> String {
    let path = "/repos/acme/gadgets/git/ref/heads/topic";
    let answer = service.as_("alice").get(path).await.expect(200);
    answer.json()["object"]["sha"].as_str().unwrap().to_owned()
}

/// Moves the head of the pull request to the commit of another branch.
async fn move_to(service: &Service, branch: &str) -> String {
    let path = format!("/repos/acme/gadgets/git/ref/heads/{branch}");
    let answer = service.as_("alice").get(&path).await.expect(200);
    let sha = answer.json()["object"]["sha"].as_str().unwrap().to_owned();
    let body = json!({"sha": sha, "force": true});
    let path = "/repos/acme/gadgets/git/refs/heads/topic";
    service.as_("alice").patch(path, body).await.expect(200);
    sha
}
