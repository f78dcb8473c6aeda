//! Webhook events about issues, labels and assignees. `tests/github/deliveries.mjs`
//! validates the payloads against GitHub's schemas.

use poem::http::Method;
use serde_json::json;

use super::{ISSUES, open_issue, send, start};
use crate::support::events::names;

#[tokio::test]
async fn create_and_update_issue_queue_each_event_once() {
    let service = start().await;
    let body = json!({"title": "One", "labels": ["bug"], "assignees": ["bob"]});
    let created = open_issue(&service, "alice", body).await;
    let mut seen = 0;
    let queued = service.queued_since(&mut seen).await;
    assert_eq!(
        names(&queued),
        [
            "label.created",
            "issues.opened",
            "issues.labeled",
            "issues.assigned"
        ]
    );
    let payload = &queued[1].payload;
    assert_eq!(payload["issue"]["number"], created["number"]);
    assert_eq!(payload["sender"]["login"], "alice");
    assert_eq!(queued[2].payload["label"]["name"], "bug");
    assert_eq!(queued[3].payload["assignee"]["login"], "bob");
    let path = format!("{ISSUES}/2");
    let body = json!({"title": "Two", "state": "closed", "labels": [], "assignees": []});
    for _ in 0..2 {
        let alice = service.as_("alice");
        alice.patch(&path, body.clone()).await.expect(200);
    }
    let queued = service.queued_since(&mut seen).await;
    assert_eq!(
        names(&queued),
        [
            "issues.edited",
            "issues.closed",
            "issues.unlabeled",
            "issues.unassigned"
        ]
    );
    assert_eq!(
        queued[0].payload["changes"],
        json!({"title": {"from": "One"}})
    );
    let lock = format!("{path}/lock");
    for method in [Method::PUT, Method::DELETE, Method::DELETE] {
        let answer = send(&service, "alice", method, &lock, json!({})).await;
        answer.expect(204);
    }
    let queued = service.queued_since(&mut seen).await;
    assert_eq!(names(&queued), ["issues.locked", "issues.unlocked"]);
}

#[tokio::test]
async fn changes_of_pull_requests_queue_pull_request_events() {
    let service = start().await;
    let labels = format!("{ISSUES}/1/labels");
    let body = json!({"labels": ["bug"]});
    service.as_("alice").post(&labels, body).await.expect(200);
    let path = format!("{ISSUES}/1");
    let body = json!({"title": "Two", "assignees": ["bob"]});
    service.as_("alice").patch(&path, body).await.expect(200);
    let queued = service.queued().await;
    assert_eq!(
        names(&queued),
        [
            "label.created",
            "pull_request.labeled",
            "pull_request.edited",
            "pull_request.assigned"
        ]
    );
    assert_eq!(queued[1].payload["label"]["name"], "bug");
    assert_eq!(
        queued[1].payload["pull_request"]["labels"][0]["name"],
        "bug"
    );
    assert_eq!(queued[3].payload["assignee"]["login"], "bob");
}

#[tokio::test]
async fn changes_of_labels_queue_label_events() {
    let service = start().await;
    let labels = "/repos/acme/gadgets/labels";
    let alice = service.as_("alice");
    let body = json!({"name": "oil", "color": "ffffff"});
    alice.post(labels, body).await.expect(201);
    let path = format!("{labels}/oil");
    let body = json!({"new_name": "grease", "description": "Sticky"});
    alice.patch(&path, body.clone()).await.expect(200);
    let path = format!("{labels}/grease");
    alice.patch(&path, body).await.expect(200);
    alice.send(Method::DELETE, &path, None).await.expect(204);
    let queued = service.queued().await;
    assert_eq!(
        names(&queued),
        ["label.created", "label.edited", "label.deleted"]
    );
    let changes = json!({"name": {"from": "oil"}, "description": {"from": ""}});
    assert_eq!(queued[1].payload["changes"], changes);
}
