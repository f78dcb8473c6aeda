//! What apps hear of comments.

use serde_json::json;

use super::start;
use crate::support::events::Queued;

const WIDGETS: &str = "/repos/acme/widgets/issues";

/// Apps that read issues or pull requests hear of comments, and no others.
fn both(queued: &[Queued], name: &str) {
    let heard: Vec<_> = queued.iter().map(|queued| queued.app).collect();
    assert_eq!(heard, [6001, 6002], "{name}");
    assert!(queued.iter().all(|queued| queued.name == name), "{name}");
}

#[tokio::test]
async fn each_change_of_a_comment_is_an_event() {
    let service = start().await;
    let alice = service.as_("alice");
    let issue = json!({"title": "It squeaks"});
    alice.post(WIDGETS, issue).await.expect(201);
    for (number, is_pull) in [(1, true), (2, false)] {
        let mut seen = service.deliveries().await.len();
        let path = format!("{WIDGETS}/{number}/comments");
        let made = alice.post(&path, json!({"body": "Frist"})).await;
        let made = made.expect(201).json();
        let told = service.queued_since(&mut seen).await;
        both(&told, "issue_comment.created");
        let payload = &told[0].payload;
        assert_eq!(payload["comment"]["id"], made["id"]);
        assert_eq!(payload["comment"]["body"], "Frist");
        assert_eq!(payload["issue"]["number"], number);
        assert_eq!(payload["issue"]["comments"], 1);
        assert_eq!(payload["issue"].get("pull_request").is_some(), is_pull);
        assert_eq!(payload["sender"]["login"], "alice");
        assert_eq!(payload["repository"]["full_name"], "acme/widgets");

        let path = format!("{WIDGETS}/comments/{}", made["id"]);
        alice
            .patch(&path, json!({"body": "Frist"}))
            .await
            .expect(200);
        assert!(service.queued_since(&mut seen).await.is_empty());
        alice
            .patch(&path, json!({"body": "First"}))
            .await
            .expect(200);
        let told = service.queued_since(&mut seen).await;
        both(&told, "issue_comment.edited");
        assert_eq!(
            told[0].payload["changes"],
            json!({"body": {"from": "Frist"}})
        );
        assert_eq!(told[0].payload["comment"]["body"], "First");

        alice.delete(&path).await.expect(204);
        let told = service.queued_since(&mut seen).await;
        both(&told, "issue_comment.deleted");
        assert_eq!(told[0].payload["issue"]["comments"], 0);
        assert_eq!(told[0].payload["comment"]["body"], "First");
    }
}

#[tokio::test]
async fn nobody_hears_of_a_comment_that_was_refused() {
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
