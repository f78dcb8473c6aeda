//! Updating an issue field: absent keys, nulls and values, the replacement of the options,
//! and that an invalid request changes nothing.

use forge::app::Settings;
use serde_json::{Value, json};

use super::{
    FIELDS, create, create_priority, error, errors, option, path_of, text_field, visibility_on,
};
use crate::harness::{Answer, Service, WORLD};

async fn update(service: &Service, field: &Value, body: Value) -> Answer {
    let alice = service.as_("alice-classic");
    alice.patch(&path_of(field), body).await
}

fn option_names(field: &Value) -> Vec<&str> {
    let options = field["options"].as_array().unwrap().iter();
    options
        .map(|option| option["name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn update_issue_field_200_changes_only_the_given_keys() {
    let service = Service::start().await;
    let field = create_priority(&service).await;
    service.clock.advance(60);
    let renamed = update(&service, &field, json!({"name": "PRIORITY"})).await;
    let renamed = renamed.expect(200).json();
    let mut expected = field.clone();
    expected["name"] = json!("PRIORITY");
    expected["updated_at"] = json!("2026-03-10T09:31:00Z");
    assert_eq!(renamed, expected);
    let cleared = update(&service, &field, json!({"description": null})).await;
    assert_eq!(cleared.expect(200).json()["description"], Value::Null);
    let list = service
        .as_("alice-classic")
        .get(FIELDS)
        .await
        .expect(200)
        .json();
    assert_eq!(list[0]["name"], "PRIORITY");
}

#[tokio::test]
async fn update_issue_field_200_keeps_updated_at_when_nothing_changes() {
    let service = Service::start().await;
    let field = create_priority(&service).await;
    service.clock.advance(60);
    let options = field["options"].clone();
    for body in [
        json!({}),
        json!({"name": "Priority", "description": "How soon", "options": options}),
        json!({"data_type": "text", "unknown": 1}),
    ] {
        let answer = update(&service, &field, body).await.expect(200);
        assert_eq!(answer.json(), field);
    }
}

#[tokio::test]
async fn update_issue_field_200_replaces_the_options_by_id() {
    let service = Service::start().await;
    let field = create_priority(&service).await;
    let (high, low) = (&field["options"][0], &field["options"][1]);
    service.clock.advance(60);
    let body = json!({"options": [
        {"id": low["id"], "name": "Low", "color": "red", "priority": 2},
        {"name": "High", "color": "pink", "priority": 3, "description": "Anew"}]});
    let answer = update(&service, &field, body).await.expect(200).json();
    assert_eq!(option_names(&answer), ["Low", "High"]);
    assert_eq!(answer["options"][0], *low, "the option is unchanged");
    assert_ne!(answer["options"][1]["id"], high["id"]);
    assert_eq!(answer["options"][1]["created_at"], "2026-03-10T09:31:00Z");
    assert_eq!(answer["updated_at"], "2026-03-10T09:31:00Z");
}

#[tokio::test]
async fn update_issue_field_200_lets_options_swap_their_names() {
    let service = Service::start().await;
    let field = create_priority(&service).await;
    let (high, low) = (&field["options"][0]["id"], &field["options"][1]["id"]);
    let body = json!({"options": [
        {"id": high, "name": "Low", "color": "red", "priority": 1},
        {"id": low, "name": "High", "color": "red", "priority": 2}]});
    let answer = update(&service, &field, body).await.expect(200).json();
    assert_eq!(option_names(&answer), ["Low", "High"]);
    assert_eq!(answer["options"][0]["id"], *high);
}

#[tokio::test]
async fn update_issue_field_200_shows_and_keeps_visibility_when_the_setting_is_on() {
    let service = Service::with(WORLD, visibility_on()).await;
    let field = create_priority(&service).await;
    let made_public = update(&service, &field, json!({"visibility": "all"})).await;
    assert_eq!(made_public.expect(200).json()["visibility"], "all");
    let renamed = update(&service, &field, json!({"name": "Urgency"})).await;
    assert_eq!(renamed.expect(200).json()["visibility"], "all");
}

#[tokio::test]
async fn update_issue_field_200_stores_but_hides_visibility_when_the_setting_is_off() {
    let service = Service::start().await;
    let field = create(&service, text_field("Notes")).await;
    let project = "/orgs/acme/projectsV2/1/fields";
    let alice = service.as_("alice-classic");
    let body = json!({"issue_field_id": field["id"]});
    alice.post(project, body).await.expect(201);
    for visibility in ["all", "organization_members_only"] {
        let body = json!({"visibility": visibility});
        let answer = update(&service, &field, body).await.expect(200);
        assert!(answer.json().get("visibility").is_none(), "{}", answer.text);
    }
    let list = service.anonymous().get(project).await.expect(200);
    assert_eq!(list.json()[0]["name"], "Notes", "visibility has no effect");
}

#[tokio::test]
async fn update_issue_field_401_without_a_token() {
    let service = Service::start().await;
    let path = path_of(&create_priority(&service).await);
    service
        .anonymous()
        .patch(&path, json!({}))
        .await
        .expect(401);
}

#[tokio::test]
async fn update_issue_field_403_when_the_token_lacks_the_permission() {
    let service = Service::start().await;
    let path = path_of(&create_priority(&service).await);
    let metadata = service.as_("alice-fine-metadata");
    metadata.patch(&path, json!({})).await.expect(403);
}

#[tokio::test]
async fn update_issue_field_404_when_it_is_absent_of_another_organization_or_hidden() {
    let globex = "\n  - {id: 1006, login: globex, members: [{login: alice, role: admin}]}\n";
    let world = WORLD.replace("\nrepositories:\n", &format!("{globex}\nrepositories:\n"));
    let service = Service::with(&world, Settings::default()).await;
    let field = create_priority(&service).await;
    let alice = service.as_("alice-classic");
    for path in [
        format!("{FIELDS}/999999"),
        format!("/orgs/globex/issue-fields/{}", field["id"]),
    ] {
        alice.patch(&path, json!({"name": "X"})).await.expect(404);
    }
    for token in ["bob-classic", "mallory-classic", "alice-scopeless"] {
        let caller = service.as_(token);
        caller.patch(&path_of(&field), json!({})).await.expect(404);
    }
}

#[tokio::test]
async fn update_issue_field_422_when_an_option_id_is_of_another_field_unknown_or_repeated() {
    let service = Service::start().await;
    let field = create_priority(&service).await;
    let body = json!({"name": "Other", "data_type": "single_select", "options": [option("A", 1)]});
    let foreign = create(&service, body).await["options"][0]["id"].clone();
    let high = field["options"][0]["id"].clone();
    let with_id =
        |id: &Value, name: &str| json!({"id": id, "name": name, "color": "red", "priority": 1});
    for (options, path) in [
        (json!([with_id(&foreign, "A")]), "options[0].id"),
        (json!([with_id(&json!(999_999), "A")]), "options[0].id"),
        (
            json!([with_id(&high, "A"), with_id(&high, "B")]),
            "options[1].id",
        ),
    ] {
        let body = json!({"name": "Changed", "options": options});
        let answer = update(&service, &field, body).await.expect(422);
        assert_eq!(errors(&answer), error(path, "invalid"));
    }
    let same = update(&service, &field, json!({})).await.expect(200);
    assert_eq!(same.json(), field, "nothing has changed");
}

#[tokio::test]
async fn update_issue_field_422_when_the_name_is_taken() {
    let service = Service::start().await;
    let field = create_priority(&service).await;
    create(&service, text_field("Notes")).await;
    let body = json!({"name": "notes", "options": [option("Only", 1)]});
    let answer = update(&service, &field, body).await.expect(422);
    assert_eq!(errors(&answer), error("name", "already_exists"));
    let same = update(&service, &field, json!({})).await.expect(200);
    assert_eq!(same.json(), field, "nothing has changed");
}

#[tokio::test]
async fn update_issue_field_422_when_the_options_are_invalid_for_the_field() {
    let service = Service::start().await;
    let field = create_priority(&service).await;
    let notes = create(&service, text_field("Notes")).await;
    for (field, options, path, code) in [
        (&field, json!([]), "options", "missing_field"),
        (&notes, json!([option("A", 1)]), "options", "invalid"),
        (
            &field,
            json!([option("A", 1), option("A", 2)]),
            "options[1].name",
            "already_exists",
        ),
    ] {
        let answer = update(&service, field, json!({"options": options})).await;
        assert_eq!(errors(&answer.expect(422)), error(path, code));
    }
    let blank = update(&service, &field, json!({"name": " "}))
        .await
        .expect(422);
    assert_eq!(errors(&blank), error("name", "missing_field"));
}

#[tokio::test]
async fn update_issue_field_422_when_a_key_cannot_be_null_or_the_id_is_not_positive() {
    let service = Service::start().await;
    let field = create_priority(&service).await;
    for key in ["name", "visibility", "options"] {
        let answer = update(&service, &field, json!({key: null})).await;
        assert!(answer.expect(422).message().contains(key));
    }
    let alice = service.as_("alice-classic");
    alice
        .patch(&format!("{FIELDS}/0"), json!({}))
        .await
        .expect(422);
}
