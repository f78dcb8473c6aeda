//! Review comments on pull requests: creating them (`creating.rs`), replies (`threads.rs`),
//! and getting, updating and deleting one (`changing.rs`). Their lines in the diff are in
//! `placing.rs` and `following.rs`, lists in `listing.rs` and `long_lists.rs`, query plans
//! in `plans.rs`, media types in `texts.rs`, limits in `limits.rs`, diffs that are too
//! large in `large_diffs.rs`, notifications in `events.rs`, and webhooks in `webhooks.rs`
//! and `deliveries.rs`.

mod changing;
mod creating;
mod deliveries;
mod events;
mod following;
mod large_diffs;
mod limits;
mod listing;
mod long_lists;
mod placing;
mod plans;
pub mod receiver;
mod texts;
mod threads;
mod webhooks;

use forge::app::Settings;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};

const WORLD: &str = include_str!("review_comments/world.yaml");
const COMMENTS: &str = "/repos/acme/gadgets/pulls/1/comments";
const WIDGETS: &str = "/repos/acme/widgets/pulls/1/comments";

async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

fn comment_path(id: &Value) -> String {
    format!("/repos/acme/gadgets/pulls/comments/{id}")
}

/// The commit that a branch of acme/gadgets points at.
async fn sha(service: &Service, branch: &str) -> String {
    sha_in(service, "gadgets", branch).await
}

async fn sha_in(service: &Service, repository: &str, branch: &str) -> String {
    let path = format!("/repos/acme/{repository}/git/ref/heads/{branch}");
    let answer = service.as_("alice").get(&path).await.expect(200);
    answer.json()["object"]["sha"].as_str().unwrap().to_owned()
}

/// Creates a comment on line 2 of README.md, and returns it.
async fn create_comment(service: &Service, token: &str, body: &str) -> Value {
    let head = sha(service, "topic").await;
    let body = json!({"body": body, "commit_id": head, "path": "README.md", "line": 2});
    let answer = service.as_(token).post(COMMENTS, body).await;
    answer.expect(201).json()
}

async fn create_reply(service: &Service, token: &str, root: &Value, body: &str) -> Value {
    let path = format!("{COMMENTS}/{}/replies", root["id"]);
    let answer = service.as_(token).post(&path, json!({"body": body})).await;
    answer.expect(201).json()
}

/// The code, the field and the message of each error of a 422.
fn errors(answer: &Answer) -> Vec<(String, String, Option<String>)> {
    assert_eq!(answer.message(), "Validation Failed", "{}", answer.text);
    let body = answer.json();
    let errors = body["errors"].as_array().unwrap().iter();
    errors
        .map(|error| {
            assert_eq!(error["resource"], "PullRequestReviewComment");
            let text = |key: &str| error[key].as_str().unwrap().to_owned();
            let message = error["message"].as_str().map(str::to_owned);
            (text("code"), text("field"), message)
        })
        .collect()
}
