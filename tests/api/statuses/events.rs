//! Webhook events about statuses. `tests/github/deliveries.mjs` validates the payloads
//! against GitHub's schemas.

use serde_json::json;

use super::{post, report, sha, start};

#[tokio::test]
async fn create_commit_status_201_queues_an_event_with_the_commit_and_its_branches() {
    let service = start().await;
    let second = sha(&service, "feature/a").await;
    let body = json!({"state": "success", "context": "ci", "target_url": "https://ci.example"});
    let status = post(&service, "alice", &second, body)
        .await
        .expect(201)
        .json();
    let queued = service.queued().await;
    let [event] = queued.as_slice() else {
        panic!("{} events", queued.len());
    };
    assert_eq!((event.app, &*event.name), (6001, "status"));
    let payload = &event.payload;
    assert_eq!(payload["name"], "acme/gadgets");
    assert_eq!(payload["sha"], *second);
    for field in [
        "id",
        "avatar_url",
        "target_url",
        "context",
        "description",
        "state",
        "created_at",
        "updated_at",
    ] {
        assert_eq!(payload[field], status[field], "{field}");
    }
    assert_eq!(payload["commit"]["sha"], *second);
    assert_eq!(payload["commit"]["commit"]["message"], "Go on");
    assert_eq!(payload["commit"]["author"]["login"], "bob");
    let branches: Vec<_> = payload["branches"].as_array().unwrap().iter().collect();
    let names: Vec<_> = branches
        .iter()
        .map(|branch| branch["name"].as_str())
        .collect();
    assert_eq!(names, [Some("feature/a"), Some("later")]);
    assert_eq!(payload["sender"]["login"], "alice");
    assert_eq!(payload["installation"]["id"], 7001);
}

#[tokio::test]
async fn create_commit_status_422_queues_no_event() {
    let service = start().await;
    let main = sha(&service, "main").await;
    post(&service, "alice", &main, json!({"state": "passed"}))
        .await
        .expect(422);
    assert_eq!(service.queued().await.len(), 0);
    service
        .execute("UPDATE installation SET events = '[]'")
        .await;
    report(&service, &main, "success", "ci").await;
    assert_eq!(service.queued().await.len(), 0);
}
