//! Comments on issues and pull requests. What is done with one comment is in `creating.rs` and
//! `changing.rs`, lists are in `listing.rs`, and what apps hear in `events.rs`.

mod changing;
mod creating;
mod events;
mod listing;

use forgewright::app::Settings;
use serde_json::{Value, json};

use crate::harness::Service;

const WORLD: &str = include_str!("issue_comments/world.yaml");
const GADGETS: &str = "/repos/acme/gadgets/issues";

/// On the pull request.
const ON_PULL: &str = "/repos/acme/gadgets/issues/1/comments";

/// On the issue that `start` makes.
const ON_ISSUE: &str = "/repos/acme/gadgets/issues/2/comments";

/// A service with an issue beside the pull request.
async fn start() -> Service {
    start_with(Settings::default()).await
}

async fn start_with(settings: Settings) -> Service {
    let service = Service::with(WORLD, settings).await;
    let issue = json!({"title": "The handle squeaks"});
    service
        .as_("bob-classic")
        .post(GADGETS, issue)
        .await
        .expect(201);
    service
}

async fn commented(service: &Service, token: &str, path: &str, body: &str) -> Value {
    let answer = service.as_(token).post(path, json!({"body": body})).await;
    answer.expect(201).json()
}

fn comment_path(comment: &Value) -> String {
    format!("{GADGETS}/comments/{}", comment["id"])
}
