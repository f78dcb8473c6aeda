//! Comments on issues and pull requests: creating (`creating.rs`), getting, updating and
//! deleting one (`changing.rs`), lists (`listing.rs`), and webhook events (`events.rs`).

mod changing;
mod creating;
mod events;
mod listing;

use forge::app::Settings;
use serde_json::{Value, json};

use crate::harness::Service;

const WORLD: &str = include_str!("issue_comments/world.yaml");
const ISSUES: &str = "/repos/acme/gadgets/issues";

/// The comments of the pull request.
const ON_PULL: &str = "/repos/acme/gadgets/issues/1/comments";

/// The comments of the issue that `start` creates.
const ON_ISSUE: &str = "/repos/acme/gadgets/issues/2/comments";

/// A service with an issue and a pull request.
async fn start() -> Service {
    start_with(Settings::default()).await
}

async fn start_with(settings: Settings) -> Service {
    let service = Service::with(WORLD, settings).await;
    let issue = json!({"title": "The handle squeaks"});
    service
        .as_("bob-classic")
        .post(ISSUES, issue)
        .await
        .expect(201);
    service
}

async fn create_comment(service: &Service, token: &str, path: &str, body: &str) -> Value {
    let answer = service.as_(token).post(path, json!({"body": body})).await;
    answer.expect(201).json()
}

fn comment_path(comment: &Value) -> String {
    format!("{ISSUES}/comments/{}", comment["id"])
}
