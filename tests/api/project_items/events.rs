//! Webhook events about items, for apps that are installed on the organization.

use serde_json::{Value, json};

use super::{CHORE_DRAFTS, DRAFTS, ITEMS, start};
use crate::support::events::names;

#[tokio::test]
async fn changes_of_items_queue_each_event_once() {
    let service = start().await;
    let alice = service.as_("alice");
    let mut seen = service.queued().await.len();
    let draft = alice.post(DRAFTS, json!({"title": "Paint it"})).await;
    let path = format!("{ITEMS}/{}", draft.expect(201).json()["id"]);
    let body = json!({"fields": [{"id": 5002, "value": "Red"}, {"id": 5003, "value": 1}]});
    for _ in 0..2 {
        alice.patch(&path, body.clone()).await.expect(200);
    }
    for archived in [true, true, false] {
        let body = json!({"archived": archived});
        alice.patch(&path, body).await.expect(200);
    }
    alice.delete(&path).await.expect(204);
    let queued = service.queued_since(&mut seen).await;
    assert_eq!(
        names(&queued),
        [
            "projects_v2_item.created",
            "projects_v2_item.edited",
            "projects_v2_item.edited",
            "projects_v2_item.archived",
            "projects_v2_item.restored",
            "projects_v2_item.deleted",
        ]
    );
    let created = &queued[0].payload;
    assert_eq!(created["projects_v2_item"]["content_type"], "DraftIssue");
    assert_eq!(created["projects_v2_item"]["creator"]["login"], "alice");
    assert_eq!(created["sender"]["login"], "alice");
    assert_eq!(created["organization"]["login"], "acme");
    assert!(created["installation"]["id"].is_i64());
    assert_eq!(created.get("repository"), None);
    assert_eq!(created.get("changes"), None);
    let changes = &queued[1].payload["changes"]["field_value"];
    assert_eq!(changes["field_type"], "text");
    assert_eq!(
        queued[3].payload["changes"]["archived_at"]["from"],
        Value::Null
    );
    assert_eq!(
        queued[4].payload["changes"]["archived_at"]["to"],
        Value::Null
    );
    assert_eq!(queued[5].payload.get("changes"), None);
}

#[tokio::test]
async fn projects_of_users_queue_no_events() {
    let service = start().await;
    let before = service.queued().await.len();
    let body = json!({"title": "Paint it"});
    service
        .as_("alice")
        .post(CHORE_DRAFTS, body)
        .await
        .expect(201);
    assert_eq!(service.queued().await.len(), before);
}
