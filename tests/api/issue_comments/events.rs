//! Webhook events about comments.

use serde_json::json;

use super::start;
use crate::support::events::Queued;

const WIDGETS: &str = "/repos/acme/widgets/issues";

/// Asserts that exactly the app that may read issues gets this event.
fn assert_queued(queued: &[Queued], name: &str) {
    let apps: Vec<_> = queued.iter().map(|queued| queued.app).collect();
    assert_eq!(apps, [6001], "{name}");
    assert!(queued.iter().all(|queued| queued.name == name), "{name}");
}

#[tokio::test]
async fn every_change_of_a_comment_queues_an_event() {
    let service = start().await;
    let alice = service.as_("alice");
    let issue = json!({"title": "It squeaks"});
    alice.post(WIDGETS, issue).await.expect(201);
    for (number, is_pull) in [(1, true), (2, false)] {
        let mut seen = service.deliveries().await.len();
        let path = format!("{WIDGETS}/{number}/comments");
        let created = alice.post(&path, json!({"body": "Frist"})).await;
        let created = created.expect(201).json();
        let queued = service.queued_since(&mut seen).await;
        assert_queued(&queued, "issue_comment.created");
        let payload = &queued[0].payload;
        assert_eq!(payload["comment"]["id"], created["id"]);
        assert_eq!(payload["comment"]["body"], "Frist");
        assert_eq!(payload["issue"]["number"], number);
        assert_eq!(payload["issue"]["comments"], 1);
        assert_eq!(payload["issue"].get("pull_request").is_some(), is_pull);
        assert_eq!(payload["sender"]["login"], "alice");
        assert_eq!(payload["repository"]["full_name"], "acme/widgets");

        let path = format!("{WIDGETS}/comments/{}", created["id"]);
        alice
            .patch(&path, json!({"body": "Frist"}))
            .await
            .expect(200);
        assert!(service.queued_since(&mut seen).await.is_empty());
        alice
            .patch(&path, json!({"body": "First"}))
            .await
            .expect(200);
        let queued = service.queued_since(&mut seen).await;
        assert_queued(&queued, "issue_comment.edited");
        assert_eq!(
            queued[0].payload["changes"],
            json!({"body": {"from": "Frist"}})
        );
        assert_eq!(queued[0].payload["comment"]["body"], "First");

        alice.delete(&path).await.expect(204);
        let queued = service.queued_since(&mut seen).await;
        assert_queued(&queued, "issue_comment.deleted");
        assert_eq!(queued[0].payload["issue"]["comments"], 0);
        assert_eq!(queued[0].payload["comment"]["body"], "First");
    }
}

#[tokio::test]
async fn a_rejected_comment_queues_no_event() {
    let service = start().await;
    let path = format!("{WIDGETS}/1/comments");
    let alice = service.as_("alice");
    alice.post(&path, json!({"body": ""})).await.expect(422);
    service
        .as_("mallory")
        .post(&path, json!({"body": "x"}))
        .await
        .expect(404);
    assert!(service.deliveries().await.is_empty());
}
