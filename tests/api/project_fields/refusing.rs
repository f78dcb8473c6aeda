//! Requests to add a field to an organization's project that are rejected.

use poem::http::Method;
use serde_json::{Value, json};

use super::{PRIVATE, PUBLIC, add, error, errors};
use crate::harness::Service;

fn text_field(name: &str) -> Value {
    json!({"name": name, "data_type": "text"})
}

#[tokio::test]
async fn add_org_project_field_401_without_a_valid_token() {
    let service = Service::start().await;
    service
        .anonymous()
        .post(PUBLIC, text_field("Notes"))
        .await
        .expect(401);
    service
        .as_("nobody")
        .post(PRIVATE, text_field("Notes"))
        .await
        .expect(401);
}

#[tokio::test]
async fn add_org_project_field_403_with_read_access_only() {
    let service = Service::start().await;
    for token in [
        "mallory-classic",
        "alice-scopeless",
        "alice-fine-metadata",
        "bob-oauth",
    ] {
        service
            .as_(token)
            .post(PUBLIC, text_field("Notes"))
            .await
            .expect(403);
    }
    // Permissions are checked before the body, so malformed JSON gets 403 too.
    let mallory = service.as_("mallory-classic");
    let broken = mallory
        .send(Method::POST, PUBLIC, Some("{".to_owned()))
        .await;
    broken.expect(403);
}

#[tokio::test]
async fn add_org_project_field_404_when_the_project_is_absent_or_hidden() {
    let service = Service::start().await;
    for token in ["mallory-classic", "alice-scopeless"] {
        service
            .as_(token)
            .post(PRIVATE, text_field("Notes"))
            .await
            .expect(404);
    }
    service
        .anonymous()
        .post(PRIVATE, text_field("Notes"))
        .await
        .expect(404);
    let absent = "/orgs/acme/projectsV2/9/fields";
    service
        .as_("alice-classic")
        .post(absent, text_field("Notes"))
        .await
        .expect(404);
}

#[tokio::test]
async fn add_org_project_field_422_when_the_name_is_taken_in_any_case() {
    let service = Service::start().await;
    add(&service, PUBLIC, text_field("Größe")).await;
    add(&service, PRIVATE, text_field("Größe")).await;
    let again = json!({"name": " grÖSSE", "data_type": "number"});
    service
        .as_("alice-classic")
        .post(PUBLIC, again)
        .await
        .expect(201);
    let again = json!({"name": "GRÖßE ", "data_type": "number"});
    let answer = service
        .as_("alice-classic")
        .post(PUBLIC, again)
        .await
        .expect(422);
    assert_eq!(errors(&answer), error("name", "already_exists"));
    assert_eq!(
        answer.json()["errors"][0]["message"],
        "Name has already been taken"
    );
}

#[tokio::test]
async fn add_org_project_field_422_for_the_name_of_a_built_in_field() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    for name in ["Title", "assignees", "Sub-issues progress "] {
        let body = json!({"name": name, "data_type": "text"});
        let answer = alice.post(PUBLIC, body).await.expect(422);
        assert_eq!(errors(&answer), error("name", "invalid"), "{name}");
        let message = &answer.json()["errors"][0]["message"];
        assert_eq!(message, "Name cannot have a reserved value");
    }
}

#[tokio::test]
async fn add_org_project_field_422_when_the_body_mixes_forms_or_has_an_invalid_value() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    for (body, expected) in [
        (
            json!({"issue_field_id": 1, "name": "X", "data_type": "iteration",
                "iteration_configuration": {"start_date": "2026-01-05", "duration": 14}}),
            r#""issue_field_id" is not permitted in this combination of keys."#,
        ),
        (
            json!({"name": "X", "data_type": "text", "single_select_options": [{"name": "A"}]}),
            r#""single_select_options" is not permitted in this combination of keys."#,
        ),
        (
            json!({"name": "X", "data_type": "text", "colour": "RED"}),
            r#""colour" is not a permitted key."#,
        ),
        (
            json!({"name": "X", "data_type": "single_select", "single_select_options": []}),
            "1 item required; only 0 were supplied.",
        ),
        (
            json!({"name": "X", "data_type": "single_select",
                "single_select_options": [{"name": "A", "color": "red"}, {"name": "B", "color": "MAUVE"}]}),
            "MAUVE is not a member of",
        ),
        (
            json!({"name": "X", "data_type": "iteration"}),
            r#""iteration_configuration" wasn't supplied."#,
        ),
        (
            json!({"name": "X", "data_type": "iteration",
                "iteration_configuration": {"start_date": "-2026-01-05", "duration": 7}}),
            "-2026-01-05 is not a valid date.",
        ),
        (
            json!({"name": "", "data_type": "text"}),
            "At least 1 character is required",
        ),
        (
            json!({"name": "x".repeat(256), "data_type": "text"}),
            "Only 255 characters are allowed; 256 were supplied.",
        ),
        (
            json!({"name": "X", "data_type": "title"}),
            "title is not a member of",
        ),
        (json!({}), r#""data_type", "name" weren't supplied."#),
    ] {
        let answer = alice.post(PUBLIC, body.clone()).await.expect(422);
        let message = answer.message();
        assert!(message.contains(expected), "{body}: {message}");
    }
    assert_eq!(alice.get(PUBLIC).await.expect(200).json(), json!([]));
}

#[tokio::test]
async fn add_org_project_field_422_when_options_or_iterations_contradict_each_other() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    let options = json!({"name": "Size", "data_type": "single_select",
        "single_select_options": [{"name": "Small"}, {"name": "SMALL"}]});
    let answer = alice.post(PUBLIC, options).await.expect(422);
    let field = "single_select_options[1].name";
    assert_eq!(errors(&answer), error(field, "already_exists"));
    let iterations = json!({"name": "Sprint", "data_type": "iteration", "iteration_configuration": {
        "start_date": "2026-03-01", "duration": 7, "iterations": [
            {"title": "One", "start_date": "2026-03-01", "duration": 8},
            {"title": "Two", "start_date": "2026-03-08", "duration": 7}]}});
    let answer = alice.post(PUBLIC, iterations).await.expect(422);
    let field = "iteration_configuration.iterations[1].start_date";
    assert_eq!(errors(&answer), error(field, "invalid"));
}

#[tokio::test]
async fn add_org_project_field_422_when_the_project_is_full() {
    let service = Service::start().await;
    for number in 0..50 {
        add(&service, PUBLIC, text_field(&format!("Field {number}"))).await;
    }
    let alice = service.as_("alice-classic");
    let answer = alice.post(PUBLIC, text_field("One more")).await.expect(422);
    assert_eq!(errors(&answer), error("project", "custom"));
    add(&service, PRIVATE, text_field("Elsewhere")).await;
}
