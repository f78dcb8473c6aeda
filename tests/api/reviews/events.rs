//! Webhook events about reviews. `tests/github/deliveries.mjs` validates the payloads
//! against GitHub's schemas.

use forge::app::Settings;
use serde_json::json;

use super::{WORLD, create_pending, create_review, put, review_path, submit};
use crate::harness::Service;
use crate::support::events::names;

/// A service with an app that subscribes to reviews and review comments.
async fn with_webhook() -> Service {
    let events = "events: [pull_request_review_comment]";
    assert!(WORLD.contains(events));
    let subscribed = "webhook: {url: \"http://127.0.0.1:9/hook\", secret: hush}, \
                     events: [pull_request_review, pull_request_review_comment]";
    Service::with(&WORLD.replace(events, subscribed), Settings::default()).await
}

const COMMENTED: &str = "pull_request_review_comment.created";
const SUBMITTED: &str = "pull_request_review.submitted";

#[tokio::test]
async fn submit_review_200_queues_events_for_the_review_and_each_comment() {
    let service = with_webhook().await;
    let review = create_pending(&service, "alice").await;
    put(
        &service,
        "alice",
        &review_path(&review),
        json!({"body": "x"}),
    )
    .await
    .expect(200);
    assert_eq!(names(&service.queued().await), Vec::<&str>::new());
    let answer = submit(&service, "alice", &review, "REQUEST_CHANGES").await;
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
async fn create_update_and_dismiss_review_200_queue_each_event_once() {
    let service = with_webhook().await;
    let body = json!({"event": "APPROVE", "body": "One", "comments": [
        {"path": "README.md", "line": 2, "body": "x"},
    ]});
    let review = create_review(&service, "alice", body).await;
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
