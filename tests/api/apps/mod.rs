//! Requests that an app signs itself: its description, its installations, and their tokens.
//! The key is for these tests only.

mod hooks;
mod minting;
mod narrowing;
mod signing;

use contract::values::Timestamp;
use forge::access::jwt;
use forge::app::Settings;
use serde_json::{Value, json};

use crate::harness::{Client, START, Service};

const WORLD: &str = include_str!("world.yaml");
const PRIVATE_KEY: &str = include_str!("test-only-key.pem");
const PUBLIC_KEY: &str = include_str!("test-only-key.pub.pem");

async fn start() -> Service {
    let key = PUBLIC_KEY.trim().replace('\n', "\\n");
    Service::with(&WORLD.replace("KEY", &key), Settings::default()).await
}

fn now() -> i64 {
    Timestamp::parse(START).unwrap().0
}

/// A JSON web token with these claims, signed by `ci-bot`.
fn signed(claims: &Value) -> String {
    let key = jwt::private_key(PRIVATE_KEY.as_bytes()).unwrap();
    jwt::sign(claims, &key).unwrap()
}

fn claims() -> Value {
    json!({"iat": now() - 60, "exp": now() + 540, "iss": "Iv23ciBot"})
}

/// Sends requests as the app `ci-bot` itself.
fn as_app(service: &Service) -> Client<'_> {
    service.as_(&signed(&claims()))
}

#[tokio::test]
async fn get_app_200_describes_the_app() {
    let service = start().await;
    let answer = as_app(&service).get("/app").await.expect(200);
    let app = answer.json();
    assert_eq!(app["id"], 6001);
    assert_eq!(app["slug"], "ci-bot");
    assert_eq!(app["name"], "CI bot");
    assert_eq!(app["client_id"], "Iv23ciBot");
    assert_eq!(app["owner"]["login"], "acme");
    assert_eq!(
        app["permissions"],
        json!({"contents": "write", "pull_requests": "read", "metadata": "read"})
    );
    assert_eq!(app["events"], json!(["push"]));
    assert_eq!(app["installations_count"], 3);
    assert_eq!(app["description"], Value::Null);
    assert_eq!(
        answer.header("cache-control"),
        Some("public, max-age=60, s-maxage=60")
    );
    assert!(answer.header("vary").unwrap().contains("Authorization"));
    assert_eq!(answer.header("x-ratelimit-limit"), None);
}

#[tokio::test]
async fn list_app_installations_200_with_suspended_ones() {
    let service = start().await;
    let answer = as_app(&service).get("/app/installations").await.expect(200);
    let list = answer.json();
    let ids: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|installation| &installation["id"])
        .collect();
    assert_eq!(ids, [7003, 7002, 7001]);
    assert_eq!(list[0]["permissions"]["metadata"], "read");
    assert_eq!(list[0]["suspended_by"]["login"], "alice");
    assert_eq!(list[1]["target_type"], "User");
}

#[tokio::test]
async fn list_app_installations_200_in_pages_and_since_a_time() {
    let service = start().await;
    let caller = as_app(&service);
    let ids = async |query: &str| -> Vec<i64> {
        let path = format!("/app/installations?{query}");
        let list = caller.get(&path).await.expect(200).json();
        let list = list.as_array().unwrap().iter();
        list.map(|installation| installation["id"].as_i64().unwrap())
            .collect()
    };
    assert_eq!(ids("per_page=2&outdated=x").await, [7003, 7002]);
    assert_eq!(ids("per_page=2&page=2").await, [7001]);
    assert_eq!(ids("page=50").await, [0; 0]);
    assert_eq!(ids(&format!("since={START}")).await, [7003, 7002, 7001]);
    assert_eq!(ids("since=2026-03-10T09:30:01Z").await, [0; 0]);
    let first = caller.get("/app/installations?per_page=2").await;
    let link = first.header("link").unwrap();
    assert!(link.contains("page=2>; rel=\"last\""), "{link}");
}

#[tokio::test]
async fn list_app_installations_422_when_since_is_not_a_time() {
    let service = start().await;
    let answer = as_app(&service).get("/app/installations?since=soon").await;
    assert!(answer.expect(422).message().contains("since"));
}

#[tokio::test]
async fn get_app_installation_200_and_404_for_those_of_other_apps() {
    let service = start().await;
    let caller = as_app(&service);
    let shown = caller.get("/app/installations/7001").await.expect(200);
    assert_eq!(shown.json()["account"]["login"], "acme");
    assert_eq!(shown.json()["repository_selection"], "selected");
    for path in ["/app/installations/7004", "/app/installations/9999"] {
        let answer = caller.get(path).await.expect(404);
        assert_eq!(answer.message(), "Not Found");
    }
}

#[tokio::test]
async fn get_org_installation_200_ignoring_the_case_of_the_name() {
    let service = start().await;
    let answer = as_app(&service).get("/orgs/ACME/installation").await;
    assert_eq!(answer.expect(200).json()["id"], 7001);
}

#[tokio::test]
async fn get_org_installation_404_when_the_app_is_not_installed() {
    let service = start().await;
    let caller = as_app(&service);
    caller.get("/orgs/nowhere/installation").await.expect(404);
    caller.get("/orgs/alice/installation").await.expect(404);
}

#[tokio::test]
async fn get_user_installation_200_for_a_user() {
    let service = start().await;
    let answer = as_app(&service).get("/users/alice/installation").await;
    assert_eq!(answer.expect(200).json()["id"], 7002);
}

#[tokio::test]
async fn get_user_installation_404_when_the_app_is_not_installed() {
    let service = start().await;
    let caller = as_app(&service);
    caller.get("/users/bob/installation").await.expect(404);
    caller.get("/users/acme/installation").await.expect(404);
}

#[tokio::test]
async fn get_repo_installation_200_when_the_app_has_access_to_the_repository() {
    let service = start().await;
    let caller = as_app(&service);
    let selected = caller.get("/repos/acme/Widgets/installation").await;
    assert_eq!(selected.expect(200).json()["id"], 7001);
    let all = caller.get("/repos/alice/notes/installation").await;
    assert_eq!(all.expect(200).json()["id"], 7002);
}

#[tokio::test]
async fn get_repo_installation_404_when_the_app_has_no_access() {
    let service = start().await;
    let caller = as_app(&service);
    for repository in ["acme/gizmos", "acme/nothing", "bob/notes", "nobody/x"] {
        let path = format!("/repos/{repository}/installation");
        caller.get(&path).await.expect(404);
    }
}
