//! Adding fields of a project's own.

use poem::http::Method;
use serde_json::{Value, json};

use super::{CHORES, DIARY, NOT_FOR_USERS, PRIVATE, PUBLIC, add, refusal, refusals};
use crate::harness::Service;

fn text(name: &str) -> Value {
    json!({"name": name, "data_type": "text"})
}

/// The same text, raw and rendered.
fn plain(text: &str) -> Value {
    json!({"html": text, "raw": text})
}

fn is_short_id(id: &Value) -> bool {
    let id = id.as_str().unwrap();
    id.len() == 8 && id.bytes().all(|byte| b"0123456789abcdef".contains(&byte))
}

#[tokio::test]
async fn add_org_project_field_201_for_each_plain_type() {
    let service = Service::start().await;
    for word in ["text", "number", "date"] {
        let field = add(&service, PUBLIC, json!({"name": word, "data_type": word})).await;
        assert_eq!(field["data_type"], word);
        assert!(field.get("options").is_none() && field.get("configuration").is_none());
        let path = format!("{PUBLIC}/{}", field["id"]);
        let read = service.anonymous().get(&path).await.expect(200).json();
        assert_eq!(read, field);
    }
}

#[tokio::test]
async fn add_org_project_field_201_with_options() {
    let service = Service::start().await;
    let field = add(
        &service,
        PUBLIC,
        json!({"name": "Size", "data_type": "single_select", "single_select_options": [
            {"name": "Small", "color": "GREEN", "description": "A `day` <or> less"},
            {"name": "Large"}]}),
    )
    .await;
    assert!(field["node_id"].as_str().unwrap().starts_with("PVTSSF_"));
    assert!(field.get("configuration").is_none());
    let [small, large] = &field["options"].as_array().unwrap()[..] else {
        panic!("{field}")
    };
    assert!(is_short_id(&small["id"]) && is_short_id(&large["id"]));
    assert_ne!(small["id"], large["id"]);
    assert_eq!(small["name"], plain("Small"));
    assert_eq!(small["color"], "GREEN");
    assert_eq!(
        small["description"],
        json!({"html": "A <code>day</code> &lt;or&gt; less", "raw": "A `day` <or> less"})
    );
    assert_eq!(large["color"], "GRAY");
    assert_eq!(large["description"], plain(""));
}

#[tokio::test]
async fn add_org_project_field_201_with_iterations_that_complete_as_time_passes() {
    let service = Service::start().await;
    let field = add(
        &service,
        PUBLIC,
        json!({"name": "Sprint", "data_type": "iteration", "iteration_configuration": {
            "start_date": "2026-03-01", "duration": 7, "iterations": [
                {"title": "Two", "start_date": "2026-03-09", "duration": 2},
                {"title": "<One>", "start_date": "2026-03-01", "duration": 8}]}}),
    )
    .await;
    assert!(field["node_id"].as_str().unwrap().starts_with("PVTIF_"));
    assert!(field.get("options").is_none());
    let configuration = &field["configuration"];
    assert_eq!(
        (&configuration["duration"], &configuration["start_day"]),
        (&json!(7), &json!(7))
    );
    let [one, two] = &configuration["iterations"].as_array().unwrap()[..] else {
        panic!("{field}")
    };
    assert!(is_short_id(&one["id"]) && one["id"] != two["id"]);
    assert_eq!(one["title"], json!({"html": "&lt;One&gt;", "raw": "<One>"}));
    assert_eq!(
        (&one["start_date"], &one["duration"]),
        (&json!("2026-03-01"), &json!(8))
    );
    assert_eq!(
        (&one["completed"], &two["completed"]),
        (&json!(true), &json!(false))
    );
    service.clock.advance(24 * 60 * 60);
    let path = format!("{PUBLIC}/{}", field["id"]);
    let later = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(later["configuration"]["iterations"][1]["completed"], true);
}

#[tokio::test]
async fn add_org_project_field_201_with_three_iterations_when_none_are_named() {
    let service = Service::start().await;
    let sprint = |name: &str, configuration: Value| json!({"name": name, "data_type": "iteration", "iteration_configuration": configuration});
    let bare = json!({"start_date": "2026-03-02", "duration": 14});
    let field = add(&service, PUBLIC, sprint("Sprint", bare)).await;
    let iterations = field["configuration"]["iterations"].as_array().unwrap();
    let starts: Vec<_> = iterations.iter().map(|one| &one["start_date"]).collect();
    assert_eq!(starts, ["2026-03-02", "2026-03-16", "2026-03-30"]);
    assert_eq!(iterations[2]["title"], plain("Iteration 3"));
    let none = json!({"start_date": "2026-03-02", "duration": 14, "iterations": []});
    let field = add(&service, PUBLIC, sprint("Phase", none)).await;
    assert_eq!(field["configuration"]["iterations"], json!([]));
}

#[tokio::test]
async fn add_org_project_field_201_for_every_kind_of_token_that_may() {
    let service = Service::start().await;
    for token in [
        "alice-classic",
        "bob-classic",
        "alice-fine",
        "alice-app-user",
        "ci-bot-installation",
    ] {
        service
            .as_(token)
            .post(PRIVATE, text(token))
            .await
            .expect(201);
    }
}

#[tokio::test]
async fn add_org_project_field_304_is_never_the_answer_to_a_change() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic").header("If-None-Match", "*");
    alice.post(PUBLIC, text("Notes")).await.expect(201);
}

#[tokio::test]
async fn add_org_project_field_401_when_nobody_calls() {
    let service = Service::start().await;
    service
        .anonymous()
        .post(PUBLIC, text("Notes"))
        .await
        .expect(401);
    service
        .as_("nobody")
        .post(PRIVATE, text("Notes"))
        .await
        .expect(401);
}

#[tokio::test]
async fn add_org_project_field_403_when_the_project_is_visible_and_no_more() {
    let service = Service::start().await;
    for token in [
        "mallory-classic",
        "alice-scopeless",
        "alice-fine-metadata",
        "bob-oauth",
    ] {
        service
            .as_(token)
            .post(PUBLIC, text("Notes"))
            .await
            .expect(403);
    }
    // Who may is asked before what: a body that cannot be read changes nothing.
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
            .post(PRIVATE, text("Notes"))
            .await
            .expect(404);
    }
    service
        .anonymous()
        .post(PRIVATE, text("Notes"))
        .await
        .expect(404);
    let absent = "/orgs/acme/projectsV2/9/fields";
    service
        .as_("alice-classic")
        .post(absent, text("Notes"))
        .await
        .expect(404);
}

#[tokio::test]
async fn add_org_project_field_422_when_the_name_is_taken_in_any_case() {
    let service = Service::start().await;
    add(&service, PUBLIC, text("Größe")).await;
    add(&service, PRIVATE, text("Größe")).await;
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
    assert_eq!(refusals(&answer), refusal("name", "already_exists"));
    assert_eq!(
        answer.json()["errors"][0]["message"],
        "Name has already been taken"
    );
}

#[tokio::test]
async fn add_org_project_field_422_when_the_body_is_a_mixture_or_has_a_foreign_key() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    for (body, said) in [
        (
            json!({"issue_field_id": 1, "name": "X", "data_type": "text"}),
            r#""issue_field_id" is not a permitted key."#,
        ),
        (
            json!({"name": "X", "data_type": "text", "single_select_options": [{"name": "A"}]}),
            r#""single_select_options" is not a permitted key."#,
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
        assert!(message.contains(said), "{body}: {message}");
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
    assert_eq!(refusals(&answer), refusal(field, "already_exists"));
    let iterations = json!({"name": "Sprint", "data_type": "iteration", "iteration_configuration": {
        "start_date": "2026-03-01", "duration": 7, "iterations": [
            {"title": "One", "start_date": "2026-03-01", "duration": 8},
            {"title": "Two", "start_date": "2026-03-08", "duration": 7}]}});
    let answer = alice.post(PUBLIC, iterations).await.expect(422);
    let field = "iteration_configuration.iterations[1].start_date";
    assert_eq!(refusals(&answer), refusal(field, "invalid"));
}

#[tokio::test]
async fn add_org_project_field_422_when_the_project_is_full() {
    let service = Service::start().await;
    for number in 0..50 {
        add(&service, PUBLIC, text(&format!("Field {number}"))).await;
    }
    let alice = service.as_("alice-classic");
    let answer = alice.post(PUBLIC, text("One more")).await.expect(422);
    assert_eq!(refusals(&answer), refusal("project", "custom"));
    add(&service, PRIVATE, text("Elsewhere")).await;
}

#[tokio::test]
async fn add_user_project_field_201_for_each_form() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    for body in [
        text("Notes"),
        json!({"name": "Size", "data_type": "single_select", "single_select_options": [{"name": "S"}]}),
        json!({"name": "Week", "data_type": "iteration",
            "iteration_configuration": {"start_date": "2026-03-02", "duration": 7}}),
    ] {
        alice.post(DIARY, body).await.expect(201);
    }
}

#[tokio::test]
async fn add_user_project_field_304_is_never_the_answer_to_a_change() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic").header("If-None-Match", "*");
    alice.post(CHORES, text("Room")).await.expect(201);
}

#[tokio::test]
async fn add_user_project_field_401_when_nobody_calls() {
    let service = Service::start().await;
    service
        .anonymous()
        .post(CHORES, text("Room"))
        .await
        .expect(401);
}

#[tokio::test]
async fn add_user_project_field_403_when_the_token_is_of_the_wrong_kind_or_the_project_not_theirs()
{
    let service = Service::start().await;
    for token in NOT_FOR_USERS {
        service
            .as_(token)
            .post(CHORES, text("Room"))
            .await
            .expect(403);
    }
    for token in ["bob-classic", "alice-scopeless"] {
        service
            .as_(token)
            .post(CHORES, text("Room"))
            .await
            .expect(403);
    }
}

#[tokio::test]
async fn add_user_project_field_404_when_the_project_is_hidden() {
    let service = Service::start().await;
    service
        .as_("bob-classic")
        .post(DIARY, text("Mood"))
        .await
        .expect(404);
}

#[tokio::test]
async fn add_user_project_field_422_when_an_issue_field_is_named() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    let answer = alice
        .post(CHORES, json!({"issue_field_id": 4001}))
        .await
        .expect(422);
    assert!(
        answer.message().contains("issue_field_id"),
        "{}",
        answer.text
    );
}
