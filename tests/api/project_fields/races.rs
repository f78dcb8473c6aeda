//! Two callers at once: what each is told, and what is left.

use serde_json::{Value, json};

use super::{PUBLIC, add, add_text};
use crate::harness::Service;

fn text(name: &str) -> Value {
    json!({"name": name, "data_type": "text"})
}

/// Sends three bodies at once, and gives the statuses, sorted.
async fn at_once(service: &Service, bodies: [Value; 3]) -> [u16; 3] {
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
async fn add_org_project_field_201_once_and_422_for_the_rest_of_those_who_want_a_name() {
    let service = Service::start().await;
    let bodies = ["Notes", "notes", "NOTES"].map(text);
    assert_eq!(at_once(&service, bodies).await, [201, 422, 422]);
}

#[tokio::test]
async fn add_org_project_field_201_once_and_422_for_the_rest_who_want_an_issue_field() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    let created = alice.post("/orgs/acme/issue-fields", text("Team")).await;
    let id = created.expect(200).json()["id"].clone();
    let body = json!({"issue_field_id": id});
    let bodies = [body.clone(), body.clone(), body];
    assert_eq!(at_once(&service, bodies).await, [201, 422, 422]);
}

#[tokio::test]
async fn add_org_project_field_422_when_others_took_the_last_place_at_the_same_time() {
    let service = Service::start().await;
    for number in 0..49 {
        add_text(&service, PUBLIC, &format!("Field {number}")).await;
    }
    let bodies = ["A", "B", "C"].map(text);
    assert_eq!(at_once(&service, bodies).await, [201, 422, 422]);
}

#[tokio::test]
async fn an_issue_field_that_goes_while_it_is_added_breaks_nothing() {
    let service = Service::start().await;
    for number in 0..5 {
        let alice = service.as_("alice-classic");
        let name = text(&format!("Team {number}"));
        let created = alice.post("/orgs/acme/issue-fields", name).await;
        let id = created.expect(200).json()["id"].clone();
        let gone = format!("/orgs/acme/issue-fields/{id}");
        let body = json!({"issue_field_id": id});
        let (added, deleted) = tokio::join!(alice.post(PUBLIC, body), alice.delete(&gone));
        deleted.expect(204);
        assert!(
            [201, 422].contains(&added.status.as_u16()),
            "{}",
            added.text
        );
    }
    add(&service, PUBLIC, text("Still here")).await;
    let list = service.anonymous().get(PUBLIC).await.expect(200).json();
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
}
