//! What apps hear of reviews. That payloads fit GitHub's schemas is in
//! `tests/github/deliveries.mjs`.

use forgewright::app::Settings;
use forgewright::entities::webhook_delivery;
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::{Value, json};

use super::{WORLD, begun, put, review_path, reviewed, submitted};
use crate::harness::Service;

/// A service with an app that listens.
async fn hooked() -> Service {
    let events = "events: [pull_request_review_comment]";
    assert!(WORLD.contains(events));
    let listening = "webhook: {url: \"http://127.0.0.1:9/hook\", secret: hush}, \
                     events: [pull_request_review, pull_request_review_comment]";
    Service::with(&WORLD.replace(events, listening), Settings::default()).await
}

/// The events that are queued, each with its action, and their payloads.
async fn queued(service: &Service) -> Vec<(String, Value)> {
    let rows = webhook_delivery::Entity::find()
        .order_by_asc(webhook_delivery::Column::Id)
        .all(service.app.db.reads())
        .await
        .unwrap();
    let events = rows.into_iter().map(|row| {
        let name = format!("{}.{}", row.event, row.action.unwrap());
        (name, serde_json::from_str(&row.payload).unwrap())
    });
    events.collect()
}

fn names(queued: &[(String, Value)]) -> Vec<&str> {
    queued.iter().map(|(name, _)| name.as_str()).collect()
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
    assert_eq!(names(&queued(&service).await), Vec::<&str>::new());
    let answer = submitted(&service, "alice", &review, "REQUEST_CHANGES").await;
    let mut review = answer.expect(200).json();
    let queued = queued(&service).await;
    assert_eq!(names(&queued), [COMMENTED, COMMENTED, SUBMITTED]);
    assert_eq!(queued[0].1["comment"]["body"], "Why?");
    assert_eq!(queued[1].1["comment"]["body"], "How, @carol?");
    let payload = &queued[2].1;
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
    let queued = queued(&service).await;
    let expected = [
        COMMENTED,
        SUBMITTED,
        "pull_request_review.edited",
        "pull_request_review.dismissed",
    ];
    assert_eq!(names(&queued), expected);
    assert_eq!(queued[2].1["changes"], json!({"body": {"from": "One"}}));
    assert_eq!(queued[2].1["review"]["body"], "Two");
    assert_eq!(queued[3].1["review"]["state"], "dismissed");
}
