//! What apps hear of reviews. That payloads fit GitHub's schemas is in
//! `tests/github/deliveries.mjs`.

use forgewright::app::Settings;
use serde_json::json;

use super::{WORLD, begun, put, review_path, reviewed, submitted};
use crate::harness::Service;
use crate::support::events::names;

/// A service with an app that listens.
async fn hooked() -> Service {
    let events = "events: [pull_request_review_comment]";
    assert!(WORLD.contains(events));
    let listening = "webhook: {url: \"http://127.0.0.1:9/hook\", secret: hush}, \
                     events: [pull_request_review, pull_request_review_comment]";
    Service::with(&WORLD.replace(events, listening), Settings::default()).await
}

const COMMENTED: &str = "pull_request_review_comment.created";
const SUBMITTED: &str = "pull_request_review.submitted";

#[tokio::test]
async fn submit_review_200_tells_apps_of_the_review_and_of_each_comment() {
    let service = hooked().await;
    let review = begun(&service, "alice").await;
    put(
        &service,
        "alice",
        &review_path(&review),
        json!({"body": "x"}),
    )
    .await
    .expect(200);
    assert_eq!(names(&service.queued().await), Vec::<&str>::new());
    let answer = submitted(&service, "alice", &review, "REQUEST_CHANGES").await;
    let mut review = answer.expect(200).json();
    let queued = service.queued().await;
    assert_eq!(names(&queued), [COMMENTED, COMMENTED, SUBMITTED]);
    assert_eq!(queued[0].payload["comment"]["body"], "Why?");
    assert_eq!(queued[1].payload["comment"]["body"], "How, @carol?");
    let payload = &queued[2].payload;
    review["state"] = json!("changes_requested");
    review["user"]
        .as_object_mut()
        .unwrap()
        .remove("user_view_type");
    assert_eq!(payload["review"], review);
    assert_eq!(payload["pull_request"]["number"], 1);
    assert_eq!(payload["sender"]["login"], "alice");
    assert_eq!(payload["installation"]["id"], 7001);
}

#[tokio::test]
async fn create_update_and_dismiss_review_200_tell_apps_once_each() {
    let service = hooked().await;
    let body = json!({"event": "APPROVE", "body": "One", "comments": [
        {"path": "README.md", "line": 2, "body": "x"},
    ]});
    let review = reviewed(&service, "alice", body).await;
    let path = review_path(&review);
    for text in ["Two", "Two"] {
        put(&service, "alice", &path, json!({"body": text}))
            .await
            .expect(200);
    }
    let dismissals = format!("{path}/dismissals");
    let body = json!({"message": "Settled"});
    put(&service, "alice", &dismissals, body.clone())
        .await
        .expect(200);
    put(&service, "alice", &dismissals, body).await.expect(422);
    let queued = service.queued().await;
    let expected = [
        COMMENTED,
        SUBMITTED,
        "pull_request_review.edited",
        "pull_request_review.dismissed",
    ];
    assert_eq!(names(&queued), expected);
    assert_eq!(
        queued[2].payload["changes"],
        json!({"body": {"from": "One"}})
    );
    assert_eq!(queued[2].payload["review"]["body"], "Two");
    assert_eq!(queued[3].payload["review"]["state"], "dismissed");
}
