//! Issue fields of an organization: listing and deleting. Creating is in `creating.rs`, and
//! updating in `updating.rs`.

mod creating;
mod updating;

use forge::app::Settings;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};

const FIELDS: &str = "/orgs/acme/issue-fields";

/// Creates a field as alice, and returns it.
async fn create(service: &Service, body: Value) -> Value {
    let alice = service.as_("alice-classic");
    alice.post(FIELDS, body).await.expect(200).json()
}

fn text_field(name: &str) -> Value {
    json!({"name": name, "data_type": "text"})
}

fn option(name: &str, priority: i64) -> Value {
    json!({"name": name, "color": "red", "priority": priority})
}

/// Creates a single-select field with the options High and Low, in this order.
async fn create_priority(service: &Service) -> Value {
    let body = json!({"name": "Priority", "description": "How soon", "data_type": "single_select",
        "options": [option("Low", 2), option("High", 1)]});
    create(service, body).await
}

fn path_of(field: &Value) -> String {
    format!("{FIELDS}/{}", field["id"])
}

/// The field and the code of each error of a 422.
fn errors(answer: &Answer) -> Vec<(String, String)> {
    answer.refusals("IssueField")
}

fn error(field: &str, code: &str) -> Vec<(String, String)> {
    vec![(field.to_owned(), code.to_owned())]
}

fn visibility_on() -> Settings {
    Settings {
        issue_field_visibility: true,
        ..Settings::default()
    }
}

#[tokio::test]
async fn list_issue_fields_200_with_abbreviated_options_by_priority() {
    let service = Service::start().await;
    let created = create_priority(&service).await;
    create(&service, text_field("Notes")).await;
    let list = service.as_("bob-oauth").get(FIELDS).await.expect(200);
    let option_id = |index: usize| created["options"][index]["id"].clone();
    assert_eq!(
        list.json(),
        json!([
            {"id": created["id"], "node_id": created["node_id"], "name": "Priority",
             "description": "How soon", "data_type": "single_select",
             "options": [
                {"id": option_id(0), "name": "High", "color": "red"},
                {"id": option_id(1), "name": "Low", "color": "red"}],
             "created_at": "2026-03-10T09:30:00Z", "updated_at": "2026-03-10T09:30:00Z"},
            {"id": list.json()[1]["id"], "node_id": list.json()[1]["node_id"], "name": "Notes",
             "description": null, "data_type": "text",
             "created_at": "2026-03-10T09:30:00Z", "updated_at": "2026-03-10T09:30:00Z"},
        ])
    );
}

#[tokio::test]
async fn list_issue_fields_200_for_every_kind_of_token_of_a_member() {
    let service = Service::start().await;
    for token in [
        "alice-classic",
        "bob-classic",
        "bob-oauth",
        "alice-fine",
        "alice-app-user",
        "ci-bot-installation",
    ] {
        let list = service.as_(token).get(FIELDS).await.expect(200);
        assert_eq!(list.json(), json!([]), "{token}");
    }
}

#[tokio::test]
async fn list_issue_fields_304_when_nothing_changed() {
    let service = Service::start().await;
    create(&service, text_field("Notes")).await;
    let alice = service.as_("alice-classic");
    let first = alice.get(FIELDS).await.expect(200);
    let conditional = alice.header("If-None-Match", first.header("etag").unwrap());
    conditional.get(FIELDS).await.expect(304);
    create(&service, text_field("More")).await;
    conditional.get(FIELDS).await.expect(200);
}

#[tokio::test]
async fn list_issue_fields_401_without_a_token() {
    let service = Service::start().await;
    let answer = service.anonymous().get(FIELDS).await.expect(401);
    assert_eq!(answer.message(), "Requires authentication");
}

#[tokio::test]
async fn list_issue_fields_403_when_the_token_lacks_the_permission() {
    let service = Service::start().await;
    let metadata = service.as_("alice-fine-metadata");
    metadata.get(FIELDS).await.expect(403);
}

#[tokio::test]
async fn list_issue_fields_404_when_the_caller_is_not_a_member_or_the_organization_is_absent() {
    let service = Service::start().await;
    for token in ["mallory-classic", "carol-classic", "alice-scopeless"] {
        service.as_(token).get(FIELDS).await.expect(404);
    }
    for path in ["/orgs/nobody/issue-fields", "/orgs/alice/issue-fields"] {
        service.as_("alice-classic").get(path).await.expect(404);
    }
}

#[tokio::test]
async fn delete_issue_field_204_once_and_frees_the_name() {
    let service = Service::start().await;
    let field = create_priority(&service).await;
    let alice = service.as_("alice-classic");
    let answer = alice.delete(&path_of(&field)).await.expect(204);
    assert_eq!(answer.text, "");
    alice.delete(&path_of(&field)).await.expect(404);
    let next = create_priority(&service).await;
    assert_ne!(next["id"], field["id"]);
}

#[tokio::test]
async fn delete_issue_field_401_without_a_token() {
    let service = Service::start().await;
    let field = create_priority(&service).await;
    service
        .anonymous()
        .delete(&path_of(&field))
        .await
        .expect(401);
}

#[tokio::test]
async fn delete_issue_field_403_when_the_token_lacks_the_permission() {
    let service = Service::start().await;
    let field = create_priority(&service).await;
    let metadata = service.as_("alice-fine-metadata");
    metadata.delete(&path_of(&field)).await.expect(403);
}

#[tokio::test]
async fn delete_issue_field_404_when_it_is_absent_or_the_caller_is_not_an_admin() {
    let service = Service::start().await;
    let field = create_priority(&service).await;
    service
        .as_("bob-classic")
        .delete(&path_of(&field))
        .await
        .expect(404);
    let alice = service.as_("alice-classic");
    alice.delete(&format!("{FIELDS}/999999")).await.expect(404);
    alice.delete(&format!("{FIELDS}/x")).await.expect(404);
}

#[tokio::test]
async fn delete_issue_field_422_when_the_id_is_not_positive() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    for id in ["0", "-1"] {
        let answer = alice.delete(&format!("{FIELDS}/{id}")).await.expect(422);
        assert_eq!(errors(&answer), error("issue_field_id", "invalid"));
    }
    // Callers without access get 404 for such an id too.
    service
        .as_("bob-classic")
        .delete(&format!("{FIELDS}/0"))
        .await
        .expect(404);
}
