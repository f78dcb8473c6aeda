//! Fields that mirror an issue field of the organization.

use forge::app::Settings;
use poem::http::StatusCode;
use serde_json::{Value, json};

use super::{PRIVATE, PUBLIC, add, add_text, error, errors, names, other_process};
use crate::harness::{Service, WORLD};

const ISSUE_FIELDS: &str = "/orgs/acme/issue-fields";

async fn create_issue_field(service: &Service, path: &str, body: Value) -> Value {
    let alice = service.as_("alice-classic");
    alice.post(path, body).await.expect(200).json()
}

/// Creates a single-select issue field of acme.
async fn create_priority(service: &Service) -> Value {
    let body = json!({"name": "Priority", "data_type": "single_select", "options": [
        {"name": "Low", "color": "gray", "priority": 2},
        {"name": "High", "color": "red", "priority": 1, "description": "`now`"}]});
    create_issue_field(service, ISSUE_FIELDS, body).await
}

fn mirror_of(issue_field: &Value) -> Value {
    json!({"issue_field_id": issue_field["id"]})
}

#[tokio::test]
async fn add_org_project_field_201_from_an_issue_field() {
    let service = Service::start().await;
    let priority = create_priority(&service).await;
    let field = add(&service, PUBLIC, mirror_of(&priority)).await;
    assert_eq!(field["name"], "Priority");
    assert_eq!(field["data_type"], "single_select");
    assert_eq!(field["issue_field_id"], priority["id"]);
    let [high, low] = &field["options"].as_array().unwrap()[..] else {
        panic!("{field}")
    };
    let high_id = priority["options"][0]["id"].as_i64().unwrap();
    assert_eq!(high["id"], format!("{high_id:08x}"));
    assert_eq!(high["name"], json!({"html": "High", "raw": "High"}));
    assert_eq!(
        high["description"],
        json!({"html": "<code>now</code>", "raw": "`now`"})
    );
    assert_eq!(
        (&high["color"], &low["color"]),
        (&json!("RED"), &json!("GRAY"))
    );
}

#[tokio::test]
async fn add_org_project_field_201_from_an_issue_field_with_its_name_and_type() {
    let service = Service::start().await;
    let priority = create_priority(&service).await;
    let mut body = mirror_of(&priority);
    body["name"] = json!("priority ");
    body["data_type"] = json!("single_select");
    let field = add(&service, PUBLIC, body).await;
    assert_eq!(field["name"], "Priority");
    assert_eq!(field["issue_field_id"], priority["id"]);
}

/// The keys that the specification marks as required, with the options.
#[tokio::test]
async fn add_org_project_field_201_from_an_issue_field_with_its_options() {
    let service = Service::start().await;
    let priority = create_priority(&service).await;
    let mut body = mirror_of(&priority);
    body["name"] = json!("Priority");
    body["data_type"] = json!("single_select");
    let alice = service.as_("alice-classic");
    for contradicting in [
        json!([{"name": "High"}]),
        json!([{"name": "Low"}, {"name": "High"}]),
        json!([{"name": "High", "color": "PINK"}, {"name": "Low"}]),
        json!([{"name": "High", "description": "later"}, {"name": "Low"}]),
    ] {
        body["single_select_options"] = contradicting;
        let answer = alice.post(PUBLIC, body.clone()).await.expect(422);
        assert_eq!(errors(&answer), error("single_select_options", "invalid"));
    }
    body["single_select_options"] = json!([
        {"name": "high", "color": "RED", "description": "`now`"}, {"name": "Low"}]);
    let field = add(&service, PUBLIC, body).await;
    assert_eq!(field["options"][0]["name"]["raw"], "High");
}

#[tokio::test]
async fn add_org_project_field_422_names_every_key_that_contradicts_the_issue_field() {
    let service = Service::start().await;
    let priority = create_priority(&service).await;
    for (name, data_type, expected) in [
        ("Urgency", "single_select", vec!["name"]),
        ("Priority", "text", vec!["data_type"]),
        ("Urgency", "iteration", vec!["name", "data_type"]),
    ] {
        let mut body = mirror_of(&priority);
        body["name"] = json!(name);
        body["data_type"] = json!(data_type);
        let alice = service.as_("alice-classic");
        let answer = alice.post(PUBLIC, body).await.expect(422).json();
        let errors = answer["errors"].as_array().unwrap();
        let fields: Vec<_> = errors.iter().map(|error| &error["field"]).collect();
        assert_eq!(fields, expected);
        assert!(errors.iter().all(|error| error["code"] == "invalid"));
    }
    let list = service.anonymous().get(PUBLIC).await.expect(200);
    assert_eq!(names(&list), [""; 0]);
}

#[tokio::test]
async fn add_org_project_field_201_for_each_type_of_issue_field_that_projects_support() {
    let service = Service::start().await;
    for data_type in ["text", "date", "number"] {
        let body = json!({"name": data_type, "data_type": data_type});
        let issue_field = create_issue_field(&service, ISSUE_FIELDS, body).await;
        let field = add(&service, PRIVATE, mirror_of(&issue_field)).await;
        assert_eq!(field["data_type"], data_type);
        assert!(field.get("options").is_none(), "{field}");
    }
}

#[tokio::test]
async fn add_org_project_field_201_when_another_field_has_the_name_of_the_issue_field() {
    let service = Service::start().await;
    let priority = create_priority(&service).await;
    add_text(&service, PUBLIC, "Priority").await;
    add(&service, PUBLIC, mirror_of(&priority)).await;
    let list = service.anonymous().get(PUBLIC).await.expect(200);
    assert_eq!(names(&list), ["Priority", "Priority"]);
}

#[tokio::test]
async fn get_org_project_field_200_reflects_changes_of_its_issue_field() {
    let service = Service::start().await;
    let priority = create_priority(&service).await;
    let field = add(&service, PUBLIC, mirror_of(&priority)).await;
    service.clock.advance(60);
    let low = &priority["options"][1];
    let body = json!({"name": "Urgency", "options": [
        {"id": low["id"], "name": "Lowest", "color": "blue", "priority": 3},
        {"name": "New", "color": "pink", "priority": 1}]});
    let path = format!("{ISSUE_FIELDS}/{}", priority["id"]);
    service
        .as_("alice-classic")
        .patch(&path, body)
        .await
        .expect(200);
    let path = format!("{PUBLIC}/{}", field["id"]);
    let found = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(found["name"], "Urgency");
    assert_eq!(found["options"][0]["name"]["raw"], "New");
    assert_eq!(found["options"][1]["name"]["raw"], "Lowest");
    assert_eq!(found["options"][1]["id"], field["options"][1]["id"]);
    assert_eq!(found["created_at"], "2026-03-10T09:30:00Z");
    assert_eq!(found["updated_at"], "2026-03-10T09:31:00Z");
}

#[tokio::test]
async fn get_org_project_field_404_when_its_issue_field_was_deleted() {
    let service = Service::start().await;
    let priority = create_priority(&service).await;
    let field = add(&service, PUBLIC, mirror_of(&priority)).await;
    let alice = service.as_("alice-classic");
    let issue_field = format!("{ISSUE_FIELDS}/{}", priority["id"]);
    alice.delete(&issue_field).await.expect(204);
    let path = format!("{PUBLIC}/{}", field["id"]);
    alice.get(&path).await.expect(404);
    assert_eq!(alice.get(PUBLIC).await.expect(200).json(), json!([]));
}

/// The shared world, with another organization that alice administers.
fn with_globex() -> String {
    let globex = "\n  - {id: 1006, login: globex, members: [{login: alice, role: admin}]}\n";
    WORLD.replace("\nrepositories:\n", &format!("{globex}\nrepositories:\n"))
}

#[tokio::test]
async fn add_org_project_field_422_when_the_issue_field_is_unknown_or_of_another_organization() {
    let service = Service::with(&with_globex(), Settings::default()).await;
    let body = json!({"name": "Theirs", "data_type": "text"});
    let theirs = create_issue_field(&service, "/orgs/globex/issue-fields", body).await;
    let alice = service.as_("alice-classic");
    for id in [theirs["id"].clone(), json!(999_999), json!(0), json!(-1)] {
        let answer = alice.post(PUBLIC, json!({"issue_field_id": id})).await;
        let answer = answer.expect(422);
        assert_eq!(errors(&answer), error("issue_field_id", "invalid"));
    }
}

#[tokio::test]
async fn add_org_project_field_422_when_the_project_already_has_the_issue_field() {
    let service = Service::start().await;
    let priority = create_priority(&service).await;
    add(&service, PUBLIC, mirror_of(&priority)).await;
    add(&service, PRIVATE, mirror_of(&priority)).await;
    let alice = service.as_("alice-classic");
    let answer = alice.post(PUBLIC, mirror_of(&priority)).await.expect(422);
    assert_eq!(errors(&answer), error("issue_field_id", "already_exists"));
}

#[tokio::test]
async fn add_org_project_field_422_when_the_issue_field_is_a_multi_select() {
    let service = Service::start().await;
    let body = json!({"name": "Teams", "data_type": "multi_select",
        "options": [{"name": "A", "color": "red", "priority": 1}]});
    let teams = create_issue_field(&service, ISSUE_FIELDS, body).await;
    let alice = service.as_("alice-classic");
    let answer = alice.post(PRIVATE, mirror_of(&teams)).await.expect(422);
    assert_eq!(errors(&answer), error("issue_field_id", "invalid"));
}

fn visibility_on() -> Settings {
    Settings {
        issue_field_visibility: true,
        ..Settings::default()
    }
}

#[tokio::test]
async fn add_org_project_field_422_for_a_members_only_issue_field_in_a_public_project() {
    let service = Service::with(WORLD, visibility_on()).await;
    let priority = create_priority(&service).await;
    let alice = service.as_("alice-classic");
    let answer = alice.post(PUBLIC, mirror_of(&priority)).await.expect(422);
    assert_eq!(errors(&answer), error("issue_field_id", "invalid"));
    add(&service, PRIVATE, mirror_of(&priority)).await;
    let path = format!("{ISSUE_FIELDS}/{}", priority["id"]);
    alice
        .patch(&path, json!({"visibility": "all"}))
        .await
        .expect(200);
    add(&service, PUBLIC, mirror_of(&priority)).await;
}

#[tokio::test]
async fn hiding_an_issue_field_removes_it_from_public_projects_permanently() {
    let service = Service::with(WORLD, visibility_on()).await;
    let body = json!({"name": "Effort", "data_type": "number", "visibility": "all"});
    let effort = create_issue_field(&service, ISSUE_FIELDS, body).await;
    add(&service, PUBLIC, mirror_of(&effort)).await;
    add(&service, PRIVATE, mirror_of(&effort)).await;
    let alice = service.as_("alice-classic");
    let path = format!("{ISSUE_FIELDS}/{}", effort["id"]);
    for visibility in ["organization_members_only", "all"] {
        let body = json!({"visibility": visibility});
        alice.patch(&path, body).await.expect(200);
        assert_eq!(alice.get(PUBLIC).await.expect(200).json(), json!([]));
        assert_eq!(names(&alice.get(PRIVATE).await.expect(200)), ["Effort"]);
    }
}

#[tokio::test]
async fn members_only_issue_fields_are_hidden_from_public_projects_when_the_setting_is_on() {
    let service = Service::start().await;
    let priority = create_priority(&service).await;
    let field = add(&service, PUBLIC, mirror_of(&priority)).await;
    add_text(&service, PUBLIC, "Notes").await;
    let list = service.anonymous().get(PUBLIC).await.expect(200);
    assert_eq!(names(&list), ["Priority", "Notes"]);
    let strict = other_process(&service, visibility_on());
    let list = strict.get(PUBLIC).send().await.json().await;
    let list = list.value().array();
    list.assert_len(1);
    list.get(0).object().get("name").assert_string("Notes");
    let path = format!("{PUBLIC}/{}", field["id"]);
    let hidden = strict.get(path).send().await;
    hidden.assert_status(StatusCode::NOT_FOUND);
}
