//! Who may: everybody reads a public project of an organization, members change it, and what is
//! private looks absent. A user's projects are for classic and OAuth tokens.

use poem::http::Method;
use serde_json::{Value, json};

use super::start;

/// A caller of an operation on a project of acme must be one who may.
async fn org(method: Method, rest: &str, private: &str, body: Value) {
    let service = start().await;
    let reads = method == Method::GET;
    let body = || Some(body.to_string()).filter(|_| !reads);
    let public = format!("/orgs/acme/projectsV2/1{rest}");
    let private = format!("/orgs/acme/projectsV2/2{private}");
    for token in ["mallory", "bob-reads"] {
        let speaker = service.as_(token);
        let answer = speaker.send(method.clone(), &public, body()).await;
        assert_eq!(answer.status == 403, !reads, "{token}: {}", answer.text);
    }
    let stranger = service.as_("mallory");
    stranger
        .send(method.clone(), &private, body())
        .await
        .expect(404);
    service
        .anonymous()
        .send(method.clone(), &private, body())
        .await
        .expect(404);
    let narrow = service.as_("alice-metadata");
    narrow
        .send(method.clone(), &private, body())
        .await
        .expect(403);
    let nowhere = "/orgs/acme/projectsV2/9".to_owned() + rest;
    let alice = service.as_("alice");
    alice
        .send(method.clone(), &nowhere, body())
        .await
        .expect(404);
    if !reads {
        service
            .anonymous()
            .send(method, &public, body())
            .await
            .expect(401);
    }
}

/// The same on a project of alice's.
async fn user(method: Method, public: &str, private: &str, body: Value) {
    let service = start().await;
    let reads = method == Method::GET;
    let body = || Some(body.to_string()).filter(|_| !reads);
    for token in ["alice-projects", "board"] {
        let speaker = service.as_(token);
        speaker
            .send(method.clone(), public, body())
            .await
            .expect(403);
    }
    let bob = service.as_("bob-classic");
    bob.send(method.clone(), private, body()).await.expect(404);
    let answer = bob.send(method.clone(), public, body()).await;
    assert_eq!(answer.status == 403, !reads, "{}", answer.text);
    service
        .anonymous()
        .send(method, public, body())
        .await
        .expect(401);
}

fn draft() -> Value {
    json!({"title": "Paint it"})
}

fn issue() -> Value {
    json!({"type": "Issue", "owner": "acme", "repo": "gadgets", "number": 3})
}

fn archived() -> Value {
    json!({"archived": true})
}

#[tokio::test]
async fn list_org_project_items_403_and_404_for_those_who_may_not() {
    org(Method::GET, "/items", "/items", Value::Null).await;
}

#[tokio::test]
async fn get_org_project_item_403_and_404_for_those_who_may_not() {
    org(Method::GET, "/items/5502", "/items/5601", Value::Null).await;
}

#[tokio::test]
async fn add_org_project_item_403_and_404_for_those_who_may_not() {
    org(Method::POST, "/items", "/items", issue()).await;
}

#[tokio::test]
async fn create_org_project_draft_403_and_404_for_those_who_may_not() {
    org(Method::POST, "/drafts", "/drafts", draft()).await;
}

#[tokio::test]
async fn update_org_project_item_403_and_404_for_those_who_may_not() {
    org(Method::PATCH, "/items/5502", "/items/5601", archived()).await;
}

#[tokio::test]
async fn delete_org_project_item_403_and_404_for_those_who_may_not() {
    org(Method::DELETE, "/items/5502", "/items/5601", Value::Null).await;
}

const CHORES: &str = "/users/alice/projectsV2/1/items";
const DIARY: &str = "/users/alice/projectsV2/2/items";

#[tokio::test]
async fn list_user_project_items_403_and_404_for_those_who_may_not() {
    user(Method::GET, CHORES, DIARY, Value::Null).await;
}

#[tokio::test]
async fn get_user_project_item_403_and_404_for_those_who_may_not() {
    let (public, private) = (format!("{CHORES}/5701"), format!("{DIARY}/5801"));
    user(Method::GET, &public, &private, Value::Null).await;
}

#[tokio::test]
async fn add_user_project_item_403_and_404_for_those_who_may_not() {
    user(Method::POST, CHORES, DIARY, issue()).await;
}

#[tokio::test]
async fn update_user_project_item_403_and_404_for_those_who_may_not() {
    let (public, private) = (format!("{CHORES}/5701"), format!("{DIARY}/5801"));
    user(Method::PATCH, &public, &private, archived()).await;
}

#[tokio::test]
async fn delete_user_project_item_403_and_404_for_those_who_may_not() {
    let (public, private) = (format!("{CHORES}/5701"), format!("{DIARY}/5801"));
    user(Method::DELETE, &public, &private, Value::Null).await;
}

#[tokio::test]
async fn create_user_project_draft_403_and_404_for_those_who_may_not() {
    let (public, private) = (
        "/user/1001/projectsV2/1/drafts",
        "/user/1001/projectsV2/2/drafts",
    );
    user(Method::POST, public, private, draft()).await;
    let service = start().await;
    for id in ["9", "1004", "alice", "-1", "99999999999999999999"] {
        let path = format!("/user/{id}/projectsV2/1/drafts");
        service.as_("alice").post(&path, draft()).await.expect(404);
    }
}
