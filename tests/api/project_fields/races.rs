//! Concurrent requests: their responses, and what remains.

use serde_json::{Value, json};

use super::{PUBLIC, add, add_text};
use crate::harness::Service;

fn text_field(name: &str) -> Value {
    json!({"name": name, "data_type": "text"})
}

/// Posts three bodies concurrently, and returns the sorted statuses.
async fn post_concurrently(service: &Service, bodies: [Value; 3]) -> [u16; 3] {
    let alice = service.as_("alice-classic");
    let [first, second, third] = bodies;
    let answers = tokio::join!(
        alice.post(PUBLIC, first),
        alice.post(PUBLIC, second),
        alice.post(PUBLIC, third)
    );
    let mut statuses = <[_; 3]>::from(answers).map(|answer| answer.status.as_u16());
    statuses.sort_unstable();
    statuses
}

#[tokio::test]
async fn add_org_project_field_201_once_and_422_for_concurrent_requests_for_a_name() {
    let service = Service::start().await;
    let bodies = ["Notes", "notes", "NOTES"].map(text_field);
    assert_eq!(post_concurrently(&service, bodies).await, [201, 422, 422]);
}

#[tokio::test]
async fn add_org_project_field_201_once_and_422_for_concurrent_requests_for_an_issue_field() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    let created = alice
        .post("/orgs/acme/issue-fields", text_field("Team"))
        .await;
    let id = created.expect(200).json()["id"].clone();
    let body = json!({"issue_field_id": id});
    let bodies = [body.clone(), body.clone(), body];
    assert_eq!(post_concurrently(&service, bodies).await, [201, 422, 422]);
}

#[tokio::test]
async fn add_org_project_field_422_when_concurrent_requests_reach_the_limit() {
    let service = Service::start().await;
    for number in 0..49 {
        add_text(&service, PUBLIC, &format!("Field {number}")).await;
    }
    let bodies = ["A", "B", "C"].map(text_field);
    assert_eq!(post_concurrently(&service, bodies).await, [201, 422, 422]);
}

#[tokio::test]
async fn deleting_an_issue_field_while_it_is_added_breaks_nothing() {
    let service = Service::start().await;
    for number in 0..5 {
        let alice = service.as_("alice-classic");
        let name = text_field(&format!("Team {number}"));
        let created = alice.post("/orgs/acme/issue-fields", name).await;
        let id = created.expect(200).json()["id"].clone();
        let path = format!("/orgs/acme/issue-fields/{id}");
        let body = json!({"issue_field_id": id});
        let (added, deleted) = tokio::join!(alice.post(PUBLIC, body), alice.delete(&path));
        deleted.expect(204);
        assert!(
            [201, 422].contains(&added.status.as_u16()),
            "{}",
            added.text
        );
    }
    add(&service, PUBLIC, text_field("Still here")).await;
    let list = service.anonymous().get(PUBLIC).await.expect(200).json();
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
}
