//! Adding fields to an organization's project.

use serde_json::{Value, json};

use super::{PRIVATE, PUBLIC, add};
use crate::harness::Service;

fn text_field(name: &str) -> Value {
    json!({"name": name, "data_type": "text"})
}

/// A text whose HTML equals its source.
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
    for data_type in ["text", "number", "date"] {
        let field = add(
            &service,
            PUBLIC,
            json!({"name": data_type, "data_type": data_type}),
        )
        .await;
        assert_eq!(field["data_type"], data_type);
        assert!(field.get("options").is_none() && field.get("configuration").is_none());
        let path = format!("{PUBLIC}/{}", field["id"]);
        let found = service.anonymous().get(&path).await.expect(200).json();
        assert_eq!(found, field);
    }
}

#[tokio::test]
async fn add_org_project_field_201_trims_the_names_of_fields_and_options() {
    let service = Service::start().await;
    let body = json!({"name": " Size\t", "data_type": "single_select",
        "single_select_options": [{"name": " Small "}]});
    let field = add(&service, PUBLIC, body).await;
    assert_eq!(field["name"], "Size");
    assert_eq!(field["options"][0]["name"]["raw"], "Small");
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
async fn add_org_project_field_201_with_three_iterations_by_default() {
    let service = Service::start().await;
    let sprint = |name: &str, configuration: Value| json!({"name": name, "data_type": "iteration", "iteration_configuration": configuration});
    let bare = json!({"start_date": "2026-03-02", "duration": 14});
    let field = add(&service, PUBLIC, sprint("Sprint", bare)).await;
    let iterations = field["configuration"]["iterations"].as_array().unwrap();
    let starts: Vec<_> = iterations
        .iter()
        .map(|iteration| &iteration["start_date"])
        .collect();
    assert_eq!(starts, ["2026-03-02", "2026-03-16", "2026-03-30"]);
    assert_eq!(iterations[2]["title"], plain("Iteration 3"));
    let empty = json!({"start_date": "2026-03-02", "duration": 14, "iterations": []});
    let field = add(&service, PUBLIC, sprint("Phase", empty)).await;
    assert_eq!(field["configuration"]["iterations"], json!([]));
}

#[tokio::test]
async fn add_org_project_field_201_for_every_kind_of_token_with_write_access() {
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
            .post(PRIVATE, text_field(token))
            .await
            .expect(201);
    }
}

#[tokio::test]
async fn add_org_project_field_304_is_never_returned_for_a_change() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic").header("If-None-Match", "*");
    alice.post(PUBLIC, text_field("Notes")).await.expect(201);
}
