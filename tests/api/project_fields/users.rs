//! Fields of projects of users: reading and adding.

use serde_json::{Value, json};

use super::{CHORES, DIARY, add_text, get_again, names};
use crate::harness::Service;

/// Kinds of tokens that cannot access projects of users.
const NOT_FOR_USERS: [&str; 3] = ["alice-fine", "alice-app-user", "ci-bot-installation"];

fn text_field(name: &str) -> Value {
    json!({"name": name, "data_type": "text"})
}

#[tokio::test]
async fn add_user_project_field_201_for_each_form() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    for body in [
        text_field("Notes"),
        json!({"name": "Size", "data_type": "single_select", "single_select_options": [{"name": "S"}]}),
        json!({"name": "Week", "data_type": "iteration",
            "iteration_configuration": {"start_date": "2026-03-02", "duration": 7}}),
    ] {
        alice.post(DIARY, body).await.expect(201);
    }
}

#[tokio::test]
async fn add_user_project_field_304_is_never_returned_for_a_change() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic").header("If-None-Match", "*");
    alice.post(CHORES, text_field("Room")).await.expect(201);
}

#[tokio::test]
async fn add_user_project_field_401_without_a_token() {
    let service = Service::start().await;
    service
        .anonymous()
        .post(CHORES, text_field("Room"))
        .await
        .expect(401);
}

#[tokio::test]
async fn add_user_project_field_403_with_the_wrong_kind_of_token_or_without_write_access() {
    let service = Service::start().await;
    for token in NOT_FOR_USERS {
        service
            .as_(token)
            .post(CHORES, text_field("Room"))
            .await
            .expect(403);
    }
    for token in ["bob-classic", "alice-scopeless"] {
        service
            .as_(token)
            .post(CHORES, text_field("Room"))
            .await
            .expect(403);
    }
}

#[tokio::test]
async fn add_user_project_field_404_when_the_project_is_hidden() {
    let service = Service::start().await;
    service
        .as_("bob-classic")
        .post(DIARY, text_field("Mood"))
        .await
        .expect(404);
}

#[tokio::test]
async fn add_user_project_field_422_with_an_issue_field_id() {
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

#[tokio::test]
async fn list_user_project_fields_200_for_the_owner_and_on_public_projects_for_others() {
    let service = Service::start().await;
    add_text(&service, CHORES, "Room").await;
    add_text(&service, DIARY, "Mood").await;
    let diary = service.as_("alice-classic").get(DIARY).await.expect(200);
    assert_eq!(names(&diary), ["Mood"]);
    let chores = service.as_("mallory-classic").get(CHORES).await.expect(200);
    assert_eq!(names(&chores), ["Room"]);
    let url = chores.json()[0]["project_url"].as_str().unwrap().to_owned();
    assert!(url.ends_with("/users/alice/projectsV2/1"), "{url}");
}

#[tokio::test]
async fn list_user_project_fields_304_when_nothing_changed() {
    let service = Service::start().await;
    get_again(&service, CHORES).await.expect(304);
}

#[tokio::test]
async fn list_user_project_fields_401_without_a_token() {
    let service = Service::start().await;
    let answer = service.anonymous().get(CHORES).await.expect(401);
    assert_eq!(answer.message(), "Requires authentication");
}

#[tokio::test]
async fn list_user_project_fields_403_with_the_wrong_kind_of_token() {
    let service = Service::start().await;
    for token in NOT_FOR_USERS {
        service.as_(token).get(CHORES).await.expect(403);
        service.as_(token).get(DIARY).await.expect(403);
    }
}

#[tokio::test]
async fn list_user_project_fields_404_when_the_project_is_private_or_absent() {
    let service = Service::start().await;
    service.as_("bob-classic").get(DIARY).await.expect(404);
    let alice = service.as_("alice-classic");
    for path in [
        "/users/alice/projectsV2/9/fields",
        "/users/acme/projectsV2/1/fields",
    ] {
        alice.get(path).await.expect(404);
    }
}

#[tokio::test]
async fn get_user_project_field_200_for_the_owner() {
    let service = Service::start().await;
    let id = add_text(&service, DIARY, "Mood").await;
    let path = format!("{DIARY}/{id}");
    let answer = service.as_("alice-classic").get(&path).await.expect(200);
    assert_eq!(answer.json()["name"], "Mood");
}

#[tokio::test]
async fn get_user_project_field_304_when_nothing_changed() {
    let service = Service::start().await;
    let id = add_text(&service, DIARY, "Mood").await;
    get_again(&service, &format!("{DIARY}/{id}"))
        .await
        .expect(304);
}

#[tokio::test]
async fn get_user_project_field_401_without_a_token() {
    let service = Service::start().await;
    let id = add_text(&service, CHORES, "Room").await;
    let path = format!("{CHORES}/{id}");
    service.anonymous().get(&path).await.expect(401);
}

#[tokio::test]
async fn get_user_project_field_403_with_the_wrong_kind_of_token() {
    let service = Service::start().await;
    let id = add_text(&service, CHORES, "Room").await;
    for token in NOT_FOR_USERS {
        let path = format!("{CHORES}/{id}");
        service.as_(token).get(&path).await.expect(403);
    }
}

#[tokio::test]
async fn get_user_project_field_404_when_it_is_absent_or_hidden() {
    let service = Service::start().await;
    let id = add_text(&service, DIARY, "Mood").await;
    let path = format!("{DIARY}/{id}");
    service.as_("bob-classic").get(&path).await.expect(404);
    let other = format!("{CHORES}/{id}");
    service.as_("alice-classic").get(&other).await.expect(404);
}
