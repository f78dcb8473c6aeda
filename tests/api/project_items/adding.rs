//! Adding issues, pull requests and drafts, and removing items.

use serde_json::{Value, json};

use super::{CHORE_DRAFTS, CHORES, DRAFTS, ITEMS, errors, list_ids, start};

fn issue_body(number: i64) -> Value {
    json!({"type": "Issue", "owner": "acme", "repo": "gadgets", "number": number})
}

#[tokio::test]
async fn add_org_project_item_201_by_id_or_number_and_only_once() {
    let service = start().await;
    let alice = service.as_("alice");
    let items = "/orgs/acme/projectsV2/2/items";
    let created = alice.post(items, issue_body(3)).await.expect(201).json();
    assert_eq!(created["content"]["number"], 3);
    assert_eq!(created["content_type"], "Issue");
    assert_eq!(created["creator"]["login"], "alice");
    let again = json!({"type": "Issue", "id": created["content"]["id"]});
    let again = service
        .as_("bob-classic")
        .post(items, again)
        .await
        .expect(201);
    assert_eq!(again.json()["id"], created["id"]);
    assert_eq!(again.json()["creator"]["login"], "alice");
    let pull = json!({"type": "PullRequest", "id": 8001});
    let pull = alice.post(items, pull).await.expect(201).json();
    assert_eq!(pull["content_type"], "PullRequest");
    assert_eq!(pull["content"]["number"], 1);
}

#[tokio::test]
async fn add_org_project_item_201_for_concurrent_requests_for_the_same_item() {
    let service = start().await;
    let (alice, bob) = (service.as_("alice"), service.as_("bob-classic"));
    let items = "/orgs/acme/projectsV2/2/items";
    let (first, second) = tokio::join!(
        alice.post(items, issue_body(4)),
        bob.post(items, issue_body(4))
    );
    let (first, second) = (first.expect(201).json(), second.expect(201).json());
    assert_eq!(first["id"], second["id"]);
}

#[tokio::test]
async fn add_user_project_item_201_and_422_when_the_issue_is_absent() {
    let service = start().await;
    let alice = service.as_("alice");
    alice.post(CHORES, issue_body(3)).await.expect(201);
    alice.post(CHORES, issue_body(99)).await.expect(422);
}

#[tokio::test]
async fn add_org_project_item_422_when_the_body_identifies_no_issue_or_pull_request() {
    let service = start().await;
    for body in [
        json!({}),
        json!({"type": "Draft", "id": 1}),
        json!({"type": "Issue"}),
        json!({"type": "Issue", "id": 1, "number": 3}),
        json!({"type": "Issue", "owner": "acme", "number": 3}),
        json!({"type": "Issue", "id": i64::MAX}),
        json!({"type": "Issue", "id": -1}),
        json!({"type": "PullRequest", "owner": "acme", "repo": "gadgets", "number": 3}),
        json!({"type": "Issue", "owner": "acme", "repo": "gadgets", "number": 1}),
        json!({"type": "Issue", "id": 8001}),
        json!({"type": "Issue", "id": 1, "extra": true}),
    ] {
        let answer = service.as_("alice").post(ITEMS, body.clone()).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
    }
    assert_eq!(list_ids(&service, "").await.len(), 4);
}

#[tokio::test]
async fn create_org_project_draft_201_and_422_without_a_title() {
    let service = start().await;
    let body = json!({"title": " Paint it ", "body": "Red"});
    let created = service.as_("board").post(DRAFTS, body).await.expect(201);
    let created = created.json();
    assert_eq!(created["content"]["title"], "Paint it");
    assert_eq!(created["content"]["body"], "Red");
    assert_eq!(created["content_type"], "DraftIssue");
    assert_eq!(created["creator"]["login"], "board[bot]");
    let id = created["id"].as_i64().unwrap();
    assert!(list_ids(&service, "").await.contains(&id));
    for body in [
        json!({}),
        json!({"title": " "}),
        json!({"title": 1}),
        json!({"title": "x".repeat(1025)}),
        json!({"title": "a\u{0}b"}),
    ] {
        service.as_("alice").post(DRAFTS, body).await.expect(422);
    }
}

#[tokio::test]
async fn create_user_project_draft_201_and_422_by_the_id_of_the_user() {
    let service = start().await;
    let alice = service.as_("alice");
    let body = json!({"title": "Paint it"});
    let created = alice.post(CHORE_DRAFTS, body).await.expect(201).json();
    assert_eq!(created["content"]["title"], "Paint it");
    alice.post(CHORE_DRAFTS, json!({})).await.expect(422);
}

#[tokio::test]
async fn delete_org_project_item_204_and_404_afterwards() {
    let service = start().await;
    let alice = service.as_("alice");
    let path = format!("{ITEMS}/5501");
    alice.delete(&path).await.expect(204);
    alice.delete(&path).await.expect(404);
    alice.get(&path).await.expect(404);
    alice.get("/repos/acme/gadgets/issues/3").await.expect(200);
    alice.delete(&format!("{ITEMS}/5701")).await.expect(404);
}

#[tokio::test]
async fn delete_user_project_item_204_once() {
    let service = start().await;
    let path = format!("{CHORES}/5701");
    service.as_("alice").delete(&path).await.expect(204);
    service.as_("alice").delete(&path).await.expect(404);
}

#[tokio::test]
async fn add_user_project_item_422_when_the_number_is_invalid() {
    let service = start().await;
    let answer = service
        .as_("alice")
        .post(CHORES, issue_body(0))
        .await
        .expect(422);
    assert_eq!(errors(&answer)[0].0, "number");
}
