//! Project fields: reading those of an organization's project. `project_fields/` has the
//! rest: adding fields (`adding.rs`) and rejected requests (`refusing.rs`), pagination
//! (`pages.rs`), fields that mirror issue fields (`mirrors.rs`), concurrent requests
//! (`races.rs`), and projects of users (`users.rs`).

mod adding;
mod mirrors;
mod pages;
mod races;
mod refusing;
mod users;

use std::sync::Arc;

use forge::app::Settings;
use forge::router;
use forgewright::web;
use poem::endpoint::BoxEndpoint;
use poem::test::TestClient;
use serde_json::{Value, json};
use storage::entropy::SeededEntropy;

use crate::harness::{Answer, Service};

const PUBLIC: &str = "/orgs/acme/projectsV2/1/fields";
const PRIVATE: &str = "/orgs/acme/projectsV2/2/fields";
const CHORES: &str = "/users/alice/projectsV2/1/fields";
const DIARY: &str = "/users/alice/projectsV2/2/fields";

/// Adds a text field as alice, and returns its id.
async fn add_text(service: &Service, path: &str, name: &str) -> i64 {
    add(service, path, json!({"name": name, "data_type": "text"})).await["id"]
        .as_i64()
        .unwrap()
}

/// Adds a field as alice, and returns it.
async fn add(service: &Service, path: &str, body: Value) -> Value {
    let alice = service.as_("alice-classic");
    alice.post(path, body).await.expect(201).json()
}

/// The names of the listed fields, in order.
fn names(answer: &Answer) -> Vec<String> {
    let list = answer.json();
    let fields = list.as_array().unwrap().iter();
    fields
        .map(|field| field["name"].as_str().unwrap().to_owned())
        .collect()
}

/// The field and the code of each error of a 422.
fn errors(answer: &Answer) -> Vec<(String, String)> {
    answer.refusals("ProjectV2Field")
}

fn error(field: &str, code: &str) -> Vec<(String, String)> {
    vec![(field.to_owned(), code.to_owned())]
}

/// Another server process on the same database, with its own settings and randomness.
fn other_process(
    service: &Service,
    settings: Settings,
) -> TestClient<BoxEndpoint<'static, poem::Response>> {
    let app = router::app(
        service.app.db.clone(),
        Arc::new(service.clock.clone()),
        Arc::new(SeededEntropy::new(99)),
        settings,
    );
    TestClient::new(web::router(&app))
}

/// Repeats a GET with the ETag of the first response.
async fn get_again(service: &Service, path: &str) -> Answer {
    let alice = service.as_("alice-classic");
    let tag = alice.get(path).await.expect(200);
    let tag = tag.header("etag").unwrap().to_owned();
    alice.header("If-None-Match", tag).get(path).await
}

#[tokio::test]
async fn list_org_project_fields_200_for_everybody_when_the_project_is_public() {
    let service = Service::start().await;
    add_text(&service, PUBLIC, "Notes").await;
    for path in [PUBLIC, "/orgs/ACME/projectsV2/1/fields"] {
        let answer = service.anonymous().get(path).await.expect(200);
        assert_eq!(names(&answer), ["Notes"]);
        assert_eq!(answer.header("link"), None);
    }
    for token in ["mallory-classic", "alice-scopeless", "alice-fine-metadata"] {
        service.as_(token).get(PUBLIC).await.expect(200);
    }
}

#[tokio::test]
async fn list_org_project_fields_200_for_members_when_the_project_is_private() {
    let service = Service::start().await;
    add_text(&service, PRIVATE, "Plans").await;
    for token in [
        "alice-classic",
        "bob-oauth",
        "alice-fine",
        "alice-app-user",
        "ci-bot-installation",
    ] {
        let answer = service.as_(token).get(PRIVATE).await.expect(200);
        assert_eq!(names(&answer), ["Plans"], "{token}");
    }
}

#[tokio::test]
async fn list_org_project_fields_304_when_nothing_changed() {
    let service = Service::start().await;
    add_text(&service, PUBLIC, "Notes").await;
    let answer = get_again(&service, PUBLIC).await.expect(304);
    assert_eq!(answer.text, "");
}

#[tokio::test]
async fn list_org_project_fields_401_when_the_token_is_unknown() {
    let service = Service::start().await;
    let answer = service.as_("nobody").get(PUBLIC).await.expect(401);
    assert_eq!(answer.message(), "Bad credentials");
}

#[tokio::test]
async fn list_org_project_fields_403_when_the_token_lacks_the_permission() {
    let service = Service::start().await;
    let answer = service.as_("alice-fine-metadata").get(PRIVATE).await;
    assert_eq!(
        answer.expect(403).message(),
        "Resource not accessible by personal access token"
    );
}

#[tokio::test]
async fn list_org_project_fields_404_when_the_project_is_absent_or_hidden() {
    let service = Service::start().await;
    for path in [
        "/orgs/acme/projectsV2/9/fields",
        "/orgs/nobody/projectsV2/1/fields",
        "/orgs/alice/projectsV2/1/fields",
        "/orgs/acme/projectsV2/0/fields",
        "/orgs/acme/projectsV2/x/fields",
    ] {
        service.as_("alice-classic").get(path).await.expect(404);
    }
    service.anonymous().get(PRIVATE).await.expect(404);
    for token in ["mallory-classic", "alice-scopeless"] {
        service.as_(token).get(PRIVATE).await.expect(404);
    }
}

#[tokio::test]
async fn get_org_project_field_200_with_all_its_keys() {
    let service = Service::start().await;
    let id = add_text(&service, PUBLIC, "Notes").await;
    let path = format!("{PUBLIC}/{id}");
    let field = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(field["id"], id);
    assert_eq!(field["name"], "Notes");
    assert_eq!(field["data_type"], "text");
    assert_eq!(field["created_at"], "2026-03-10T09:30:00Z");
    assert_eq!(field["updated_at"], "2026-03-10T09:30:00Z");
    assert!(field["node_id"].as_str().unwrap().starts_with("PVTF_"));
    let project = field["project_url"].as_str().unwrap();
    assert!(project.ends_with("/orgs/acme/projectsV2/1"), "{project}");
    for absent in ["options", "configuration", "issue_field_id"] {
        assert!(field.get(absent).is_none(), "{field}");
    }
}

#[tokio::test]
async fn get_org_project_field_304_when_nothing_changed() {
    let service = Service::start().await;
    let id = add_text(&service, PRIVATE, "Plans").await;
    let path = format!("{PRIVATE}/{id}");
    get_again(&service, &path).await.expect(304);
}

#[tokio::test]
async fn get_org_project_field_401_when_the_token_is_unknown() {
    let service = Service::start().await;
    let id = add_text(&service, PUBLIC, "Notes").await;
    let path = format!("{PUBLIC}/{id}");
    service.as_("nobody").get(&path).await.expect(401);
}

#[tokio::test]
async fn get_org_project_field_403_when_the_token_lacks_the_permission() {
    let service = Service::start().await;
    let id = add_text(&service, PRIVATE, "Plans").await;
    let path = format!("{PRIVATE}/{id}");
    service
        .as_("alice-fine-metadata")
        .get(&path)
        .await
        .expect(403);
}

#[tokio::test]
async fn get_org_project_field_404_when_it_is_in_another_project_absent_or_hidden() {
    let service = Service::start().await;
    let id = add_text(&service, PRIVATE, "Plans").await;
    let alice = service.as_("alice-classic");
    for path in [
        format!("{PUBLIC}/{id}"),
        format!("{PRIVATE}/{}", id + 1),
        format!("{PRIVATE}/0"),
        format!("{PRIVATE}/-1"),
        format!("{PRIVATE}/x"),
        format!("{PRIVATE}/99999999999999999999"),
    ] {
        alice.get(&path).await.expect(404);
    }
    let hidden = format!("{PRIVATE}/{id}");
    service.anonymous().get(&hidden).await.expect(404);
    service
        .as_("mallory-classic")
        .get(&hidden)
        .await
        .expect(404);
}
