//! Creating issue fields.

use serde_json::{Value, json};

use super::{FIELDS, create, error, errors, option, path_of, text_field, visibility_on};
use crate::harness::{Service, WORLD};

#[tokio::test]
async fn create_issue_field_200_with_all_keys_of_its_options() {
    let service = Service::start().await;
    let body = json!({"name": "Effort", "data_type": "multi_select", "options": [
        {"name": "Big", "color": "purple", "priority": 7, "description": "Weeks"},
        {"name": "Small", "color": "gray", "priority": 7, "description": null},
        {"name": "None", "color": "blue", "priority": -1}]});
    let field = create(&service, body).await;
    assert!(field["node_id"].as_str().unwrap().starts_with("IFMS_"));
    assert_eq!(field["description"], Value::Null);
    assert!(field.get("visibility").is_none(), "{field}");
    let options: Vec<_> = field["options"].as_array().unwrap().iter().collect();
    assert_eq!(
        options
            .iter()
            .map(|option| &option["name"])
            .collect::<Vec<_>>(),
        ["None", "Big", "Small"]
    );
    assert_eq!(
        *options[1],
        json!({"id": options[1]["id"], "name": "Big", "color": "purple", "description": "Weeks",
            "priority": 7, "created_at": "2026-03-10T09:30:00Z", "updated_at": "2026-03-10T09:30:00Z"})
    );
    assert_eq!(options[2]["description"], "");
}

#[tokio::test]
async fn create_issue_field_200_and_update_issue_field_200_trim_names() {
    let service = Service::start().await;
    let body = json!({"name": " Effort\t", "data_type": "single_select", "options": [
        {"name": " Big ", "color": "purple", "priority": 1}]});
    let field = create(&service, body).await;
    assert_eq!(field["name"], "Effort");
    assert_eq!(field["options"][0]["name"], "Big");
    let body = json!({"name": " Size ", "options": [
        {"id": field["options"][0]["id"], "name": "Huge ", "color": "purple", "priority": 1},
        {"name": " Small", "color": "gray", "priority": 2}]});
    let alice = service.as_("alice-classic");
    let updated = alice.patch(&path_of(&field), body).await.expect(200).json();
    assert_eq!(updated["name"], "Size");
    assert_eq!(updated["options"][0]["name"], "Huge");
    assert_eq!(updated["options"][1]["name"], "Small");
}

#[tokio::test]
async fn create_issue_field_200_for_each_type_without_options() {
    let service = Service::start().await;
    for (data_type, prefix) in [("text", "IFT_"), ("date", "IFD_"), ("number", "IFN_")] {
        let body = json!({"name": data_type, "data_type": data_type, "description": "x",
            "options": null});
        let field = create(&service, body).await;
        assert_eq!(field["data_type"], data_type);
        assert!(field["node_id"].as_str().unwrap().starts_with(prefix));
        assert!(field.get("options").is_none(), "{field}");
    }
}

#[tokio::test]
async fn create_issue_field_200_shows_visibility_when_the_setting_is_on() {
    let service = Service::with(WORLD, visibility_on()).await;
    let field = create(&service, text_field("Notes")).await;
    assert_eq!(field["visibility"], "organization_members_only");
    let body = json!({"name": "Open", "data_type": "text", "visibility": "all"});
    assert_eq!(create(&service, body).await["visibility"], "all");
    let list = service
        .as_("bob-oauth")
        .get(FIELDS)
        .await
        .expect(200)
        .json();
    assert_eq!(list[1]["visibility"], "all");
}

#[tokio::test]
async fn create_issue_field_200_for_every_kind_of_token_of_an_administrator() {
    let service = Service::start().await;
    for token in ["alice-fine", "alice-app-user", "ci-bot-installation"] {
        service
            .as_(token)
            .post(FIELDS, text_field(token))
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn create_issue_field_401_without_a_token() {
    let service = Service::start().await;
    service
        .anonymous()
        .post(FIELDS, text_field("X"))
        .await
        .expect(401);
}

#[tokio::test]
async fn create_issue_field_403_when_the_token_lacks_the_permission() {
    let service = Service::start().await;
    let metadata = service.as_("alice-fine-metadata");
    metadata.post(FIELDS, text_field("X")).await.expect(403);
}

#[tokio::test]
async fn create_issue_field_404_when_the_caller_does_not_administer_the_organization() {
    let service = Service::start().await;
    for token in [
        "bob-classic",
        "mallory-classic",
        "alice-scopeless",
        "bob-oauth",
    ] {
        service
            .as_(token)
            .post(FIELDS, text_field("X"))
            .await
            .expect(404);
    }
}

#[tokio::test]
async fn create_issue_field_422_when_the_name_is_taken_in_any_case() {
    let service = Service::start().await;
    create(&service, text_field("Straße")).await;
    let alice = service.as_("alice-classic");
    let answer = alice.post(FIELDS, text_field("STRAßE ")).await.expect(422);
    assert_eq!(errors(&answer), error("name", "already_exists"));
    assert_eq!(
        answer.json()["errors"][0]["message"],
        "Name has already been taken"
    );
}

#[tokio::test]
async fn create_issue_field_422_when_options_are_missing_not_allowed_or_repeated() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    for (body, field, code) in [
        (
            json!({"name": "P", "data_type": "single_select"}),
            "options",
            "missing_field",
        ),
        (
            json!({"name": "P", "data_type": "multi_select", "options": []}),
            "options",
            "missing_field",
        ),
        (
            json!({"name": "P", "data_type": "text", "options": [option("A", 1)]}),
            "options",
            "invalid",
        ),
        (
            json!({"name": "P", "data_type": "single_select", "options": [option("A", 1), option("a", 2)]}),
            "options[1].name",
            "already_exists",
        ),
        (text_field("  "), "name", "missing_field"),
    ] {
        let answer = alice.post(FIELDS, body).await.expect(422);
        assert_eq!(errors(&answer), error(field, code));
    }
    assert_eq!(alice.get(FIELDS).await.expect(200).json(), json!([]));
}

#[tokio::test]
async fn create_issue_field_422_when_the_body_does_not_match_the_schema() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    let too_many: Vec<_> = (0..101)
        .map(|number| option(&number.to_string(), number))
        .collect();
    for (body, message) in [
        (json!({"name": "P"}), "\"data_type\" wasn't supplied."),
        (
            json!({"name": "P", "data_type": "iteration"}),
            "iteration is not a member of",
        ),
        (
            json!({"name": "P", "data_type": "text", "visibility": "none"}),
            "none is not a member of",
        ),
        (
            json!({"name": "P", "data_type": "single_select",
                "options": [{"name": "A", "color": "RED", "priority": 1}]}),
            "RED is not a member of",
        ),
        (
            json!({"name": "P", "data_type": "single_select", "options": [{"name": "A", "color": "red"}]}),
            "\"priority\" wasn't supplied.",
        ),
        (
            json!({"name": "P", "data_type": "single_select", "options": too_many}),
            "No more than 100 items are allowed; 101 were supplied.",
        ),
    ] {
        let answer = alice.post(FIELDS, body).await.expect(422);
        assert!(answer.message().contains(message), "{}", answer.text);
    }
}

#[tokio::test]
async fn create_issue_field_422_when_the_organization_has_25_fields() {
    let service = Service::start().await;
    for number in 0..24 {
        create(&service, text_field(&format!("Field {number}"))).await;
    }
    let alice = service.as_("alice-classic");
    let bodies = ["A", "B", "C"].map(text_field);
    let [first, second, third] = bodies;
    let answers = tokio::join!(
        alice.post(FIELDS, first),
        alice.post(FIELDS, second),
        alice.post(FIELDS, third)
    );
    let mut answers = <[_; 3]>::from(answers);
    answers.sort_by_key(|answer| answer.status);
    assert_eq!(answers[0].status, 200);
    for refused in &answers[1..] {
        assert_eq!(errors(refused), error("organization", "custom"));
    }
}

#[tokio::test]
async fn create_issue_field_422_for_all_but_one_of_concurrent_requests_for_a_name() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    let (first, second) = tokio::join!(
        alice.post(FIELDS, text_field("Notes")),
        alice.post(FIELDS, text_field("NOTES"))
    );
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422]);
}
