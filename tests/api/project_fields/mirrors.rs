//! Fields that stand for an issue field of the organization.

use forgewright::app::Settings;
use poem::http::StatusCode;
use serde_json::{Value, json};

use super::{PRIVATE, PUBLIC, add, add_text, beside, names, refusal, refusals};
use crate::harness::{Service, WORLD};

const ISSUE_FIELDS: &str = "/orgs/acme/issue-fields";

async fn create(service: &Service, path: &str, body: Value) -> Value {
    let alice = service.as_("alice-classic");
    alice.post(path, body).await.expect(200).json()
}

/// A single select issue field of acme.
async fn priority(service: &Service) -> Value {
    let body = json!({"name": "Priority", "data_type": "single_select", "options": [
        {"name": "Low", "color": "gray", "priority": 2},
        {"name": "High", "color": "red", "priority": 1, "description": "`now`"}]});
    create(service, ISSUE_FIELDS, body).await
}

fn from(issue_field: &Value) -> Value {
    json!({"issue_field_id": issue_field["id"]})
}

#[tokio::test]
async fn add_org_project_field_201_from_an_issue_field() {
    let service = Service::start().await;
    let priority = priority(&service).await;
    let field = add(&service, PUBLIC, from(&priority)).await;
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
    let priority = priority(&service).await;
    let mut body = from(&priority);
    body["name"] = json!("priority ");
    body["data_type"] = json!("single_select");
    let field = add(&service, PUBLIC, body).await;
    assert_eq!(field["name"], "Priority");
    assert_eq!(field["issue_field_id"], priority["id"]);
}

#[tokio::test]
async fn add_org_project_field_422_names_what_contradicts_the_issue_field() {
    let service = Service::start().await;
    let priority = priority(&service).await;
    for (name, data_type, expected) in [
        ("Urgency", "single_select", vec!["name"]),
        ("Priority", "text", vec!["data_type"]),
        ("Urgency", "iteration", vec!["name", "data_type"]),
    ] {
        let mut body = from(&priority);
        body["name"] = json!(name);
        body["data_type"] = json!(data_type);
        let alice = service.as_("alice-classic");
        let answer = alice.post(PUBLIC, body).await.expect(422).json();
        let errors = answer["errors"].as_array().unwrap();
        let named: Vec<_> = errors.iter().map(|error| &error["field"]).collect();
        assert_eq!(named, expected);
        assert!(errors.iter().all(|error| error["code"] == "invalid"));
    }
    let list = service.anonymous().get(PUBLIC).await.expect(200);
    assert_eq!(names(&list), [""; 0]);
}

#[tokio::test]
async fn add_org_project_field_201_for_each_type_of_issue_field_that_projects_know() {
    let service = Service::start().await;
    for word in ["text", "date", "number"] {
        let body = json!({"name": word, "data_type": word});
        let issue_field = create(&service, ISSUE_FIELDS, body).await;
        let field = add(&service, PRIVATE, from(&issue_field)).await;
        assert_eq!(field["data_type"], word);
        assert!(field.get("options").is_none(), "{field}");
    }
}

#[tokio::test]
async fn add_org_project_field_201_when_an_own_field_has_the_name_of_the_issue_field() {
    let service = Service::start().await;
    let priority = priority(&service).await;
    add_text(&service, PUBLIC, "Priority").await;
    add(&service, PUBLIC, from(&priority)).await;
    let list = service.anonymous().get(PUBLIC).await.expect(200);
    assert_eq!(names(&list), ["Priority", "Priority"]);
}

#[tokio::test]
async fn get_org_project_field_200_follows_its_issue_field() {
    let service = Service::start().await;
    let priority = priority(&service).await;
    let field = add(&service, PUBLIC, from(&priority)).await;
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
    let read = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(read["name"], "Urgency");
    assert_eq!(read["options"][0]["name"]["raw"], "New");
    assert_eq!(read["options"][1]["name"]["raw"], "Lowest");
    assert_eq!(read["options"][1]["id"], field["options"][1]["id"]);
    assert_eq!(read["created_at"], "2026-03-10T09:30:00Z");
    assert_eq!(read["updated_at"], "2026-03-10T09:31:00Z");
}

#[tokio::test]
async fn get_org_project_field_404_when_its_issue_field_was_deleted() {
    let service = Service::start().await;
    let priority = priority(&service).await;
    let field = add(&service, PUBLIC, from(&priority)).await;
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
    let theirs = create(&service, "/orgs/globex/issue-fields", body).await;
    let alice = service.as_("alice-classic");
    for id in [theirs["id"].clone(), json!(999_999), json!(0), json!(-1)] {
        let answer = alice.post(PUBLIC, json!({"issue_field_id": id})).await;
        let answer = answer.expect(422);
        assert_eq!(refusals(&answer), refusal("issue_field_id", "invalid"));
    }
}

#[tokio::test]
async fn add_org_project_field_422_when_the_issue_field_is_there_already() {
    let service = Service::start().await;
    let priority = priority(&service).await;
    add(&service, PUBLIC, from(&priority)).await;
    add(&service, PRIVATE, from(&priority)).await;
    let alice = service.as_("alice-classic");
    let answer = alice.post(PUBLIC, from(&priority)).await.expect(422);
    assert_eq!(
        refusals(&answer),
        refusal("issue_field_id", "already_exists")
    );
}

#[tokio::test]
async fn add_org_project_field_422_when_the_issue_field_is_a_multi_select() {
    let service = Service::start().await;
    let body = json!({"name": "Teams", "data_type": "multi_select",
        "options": [{"name": "A", "color": "red", "priority": 1}]});
    let teams = create(&service, ISSUE_FIELDS, body).await;
    let alice = service.as_("alice-classic");
    let answer = alice.post(PRIVATE, from(&teams)).await.expect(422);
    assert_eq!(refusals(&answer), refusal("issue_field_id", "invalid"));
}

fn visibility_on() -> Settings {
    Settings {
        issue_field_visibility: true,
        ..Settings::default()
    }
}

#[tokio::test]
async fn add_org_project_field_422_when_members_alone_see_the_issue_field_and_all_the_project() {
    let service = Service::with(WORLD, visibility_on()).await;
    let priority = priority(&service).await;
    let alice = service.as_("alice-classic");
    let answer = alice.post(PUBLIC, from(&priority)).await.expect(422);
    assert_eq!(refusals(&answer), refusal("issue_field_id", "invalid"));
    add(&service, PRIVATE, from(&priority)).await;
    let path = format!("{ISSUE_FIELDS}/{}", priority["id"]);
    alice
        .patch(&path, json!({"visibility": "all"}))
        .await
        .expect(200);
    add(&service, PUBLIC, from(&priority)).await;
}

#[tokio::test]
async fn an_issue_field_withdrawn_from_the_public_leaves_public_projects_for_good() {
    let service = Service::with(WORLD, visibility_on()).await;
    let body = json!({"name": "Effort", "data_type": "number", "visibility": "all"});
    let effort = create(&service, ISSUE_FIELDS, body).await;
    add(&service, PUBLIC, from(&effort)).await;
    add(&service, PRIVATE, from(&effort)).await;
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
async fn an_issue_field_of_members_is_hidden_from_public_projects_once_the_setting_is_on() {
    let service = Service::start().await;
    let priority = priority(&service).await;
    let field = add(&service, PUBLIC, from(&priority)).await;
    add_text(&service, PUBLIC, "Notes").await;
    let list = service.anonymous().get(PUBLIC).await.expect(200);
    assert_eq!(names(&list), ["Priority", "Notes"]);
    let strict = beside(&service, visibility_on());
    let list = strict.get(PUBLIC).send().await.json().await;
    let list = list.value().array();
    list.assert_len(1);
    list.get(0).object().get("name").assert_string("Notes");
    let path = format!("{PUBLIC}/{}", field["id"]);
    let hidden = strict.get(path).send().await;
    hidden.assert_status(StatusCode::NOT_FOUND);
}
