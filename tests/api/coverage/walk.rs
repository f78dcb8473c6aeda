//! What holds for all operations, tested on every operation of both documents. The path
//! parameters have the values of the documents' examples, except for those below.

use forge::app::Settings;
use poem::http::Method;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use storage::limits::Budgets;

use crate::access::{self, new_comment};
use crate::harness::{Answer, Service};

const GADGETS: &str = "/repos/acme/gadgets";

/// An operation of a document, with its path filled in.
struct Call {
    operation: String,
    method: Method,
    path: String,
}

/// A service in which every GET of the documents finds something, and the calls.
async fn start() -> (Service, Vec<Call>) {
    start_limited(5000).await
}

/// The same, with this rate limit for anonymous callers.
async fn start_limited(anonymous: u64) -> (Service, Vec<Call>) {
    let settings = Settings {
        budgets: Some(Budgets {
            anonymous,
            ..Budgets::default()
        }),
        ..Settings::default()
    };
    let service = access::start_with(settings).await;
    let alice = service.as_("classic-administrator");
    let body = new_comment(&service, GADGETS).await;
    let path = format!("{GADGETS}/pulls/1/comments");
    let comment = alice.post(&path, body).await.expect(201).json();
    let path = format!("{GADGETS}/issues/1/comments");
    let issue_comment = alice.post(&path, json!({"body": "Nice"})).await;
    let issue_comment = issue_comment.expect(201).json();
    let path = format!("{GADGETS}/git/ref/heads/main");
    let commit = alice.get(&path).await.expect(200).json();
    let path = format!("{GADGETS}/git/ref/tags/v1");
    let tag = alice.get(&path).await.expect(200).json();
    let path = format!("{GADGETS}/contents/docs/README.md");
    let body = json!({"message": "Introduce", "content": "SGk="}).to_string();
    let readme = alice.send(Method::PUT, &path, Some(body)).await;
    let readme = readme.expect(201).json();
    let body = json!({"labels": ["bug"]});
    let path = format!("{GADGETS}/issues/1/labels");
    alice.post(&path, body).await.expect(200);
    insert_deliveries(&service).await;
    let body = json!({"name": "lint", "head_sha": commit["object"]["sha"]});
    let path = format!("{GADGETS}/check-runs");
    let app = service.as_("installation-write");
    let check = app.post(&path, body).await.expect(201).json();
    let body = json!({"title": "Measure"});
    let drafts = "/orgs/acme/projectsV2/1/drafts";
    let item = alice.post(drafts, body.clone()).await.expect(201).json();
    let drafts = "/user/1001/projectsV2/1/drafts";
    let user_item = alice.post(drafts, body).await.expect(201).json();
    let existing = |operation: &str, parameter: &str| match (operation, parameter) {
        ("get_user_project_field", "field_id") => Some(json!(5003)),
        (
            "get_user_project_item" | "update_user_project_item" | "delete_user_project_item",
            "item_id",
        ) => Some(user_item["id"].clone()),
        (_, "item_id") => Some(item["id"].clone()),
        (_, "ref") => Some(json!("heads/main")),
        (_, "basehead") => Some(json!("main...topic")),
        (_, "file_sha") => Some(readme["content"]["sha"].clone()),
        ("get_issue_comment" | "update_issue_comment" | "delete_issue_comment", "comment_id") => {
            Some(issue_comment["id"].clone())
        }
        (_, "comment_id") => Some(comment["id"].clone()),
        (_, "issue_number") => Some(json!(1)),
        (_, "review_id") => Some(comment["pull_request_review_id"].clone()),
        (_, "commit_sha" | "tree_sha") => Some(commit["object"]["sha"].clone()),
        (_, "check_run_id") => Some(check["id"].clone()),
        (_, "check_suite_id") => Some(check["check_suite"]["id"].clone()),
        (_, "tag_sha") => Some(tag["object"]["sha"].clone()),
        _ => None,
    };
    let calls = [contract::service(), contract::companion()]
        .into_iter()
        .flat_map(|document| calls(document, &existing))
        .collect();
    (service, calls)
}

/// Inserts a delivery to each app with a key. The documents' example has the id of the first.
async fn insert_deliveries(service: &Service) {
    let on = service.app.db.begin().await.unwrap();
    on.execute_unprepared(
        "INSERT INTO webhook_delivery (guid, app_id, event, payload, created_at, attempts,
            next_attempt_at, delivered_at, status_code, status)
        SELECT 'guid', id, 'push', '{}', 1, 1, 1, 1, 200, 'OK' FROM app
        WHERE public_key <> '' ORDER BY id",
    )
    .await
    .unwrap();
    on.commit().await.unwrap();
}

fn calls(document: &Value, existing: &dyn Fn(&str, &str) -> Option<Value>) -> Vec<Call> {
    let mut calls = Vec::new();
    for (template, path) in document["paths"].as_object().unwrap() {
        for (method, operation) in path.as_object().unwrap() {
            let Some(name) = operation["operationId"].as_str() else {
                continue;
            };
            calls.push(Call {
                operation: name.to_owned(),
                method: method.to_uppercase().parse().unwrap(),
                path: fill_path(template, name, operation, existing),
            });
        }
    }
    calls
}

fn fill_path(
    template: &str,
    name: &str,
    operation: &Value,
    existing: &dyn Fn(&str, &str) -> Option<Value>,
) -> String {
    let mut path = template.to_owned();
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    for parameter in parameters.filter(|parameter| parameter["in"] == "path") {
        let key = parameter["name"].as_str().unwrap();
        let value = existing(name, key).unwrap_or_else(|| parameter["example"].clone());
        let text = value.as_str().map_or(value.to_string(), str::to_owned);
        path = path.replace(&format!("{{{key}}}"), &text);
    }
    assert!(!path.contains('{'), "{name}: no example for {path}");
    path
}

/// A token that may call the operation.
fn token(operation: &str) -> String {
    match operation {
        "list_installation_repositories" => "installation-write".to_owned(),
        "list_user_installations" | "list_user_installation_repositories" => {
            "app-user-administrator-write".to_owned()
        }
        "get_app"
        | "list_app_installations"
        | "get_app_installation"
        | "get_org_installation"
        | "get_user_installation"
        | "get_repo_installation"
        | "get_app_hook_config"
        | "list_app_hook_deliveries"
        | "get_app_hook_delivery" => access::jwt(540),
        _ => "classic-administrator".to_owned(),
    }
}

#[tokio::test]
async fn every_get_is_304_when_nothing_changed() {
    let (service, calls) = start().await;
    let gets = calls.iter().filter(|call| call.method == Method::GET);
    // These answer 204 or 404, without a body to compare.
    let without_body = ["is_pull_merged", "check_assignee", "check_issue_assignee"];
    let gets = gets.filter(|call| !without_body.contains(&call.operation.as_str()));
    let mut checked = 0;
    for call in gets {
        let client = service.as_(&token(&call.operation));
        let answer = client.get(&call.path).await;
        assert_eq!(answer.status, 200, "{}: {answer:?}", call.operation);
        let tag = answer.header("etag").unwrap().to_owned();
        let conditional = client.clone().header("If-None-Match", tag);
        let answer = conditional.get(&call.path).await;
        assert_eq!(answer.status, 304, "{}: {answer:?}", call.operation);
        assert_eq!(answer.text, "", "{}", call.operation);
        let outdated = client.header("If-None-Match", "\"another\"");
        let answer = outdated.get(&call.path).await;
        assert_eq!(answer.status, 200, "{}: {answer:?}", call.operation);
        checked += 1;
    }
    assert!(checked > 30, "only {checked}");
}

#[tokio::test]
async fn every_operation_is_401_with_an_unknown_token() {
    let (service, calls) = start().await;
    assert!(calls.len() > 50, "only {}", calls.len());
    for call in calls {
        for unknown in ["Bearer unknown", "token unknown", "Basic dTpw"] {
            let client = service.anonymous().header("Authorization", unknown);
            let answer = client.send(call.method.clone(), &call.path, None).await;
            assert_eq!(answer.status, 401, "{}: {answer:?}", call.operation);
            assert_eq!(answer.message(), "Bad credentials", "{}", call.operation);
        }
    }
}

#[tokio::test]
async fn every_operation_is_403_when_the_rate_limit_is_exceeded() {
    let (service, calls) = start_limited(0).await;
    let mut unlimited = Vec::new();
    for call in calls {
        let client = service.anonymous();
        let answer = client.send(call.method.clone(), &call.path, None).await;
        if answer.status == 403 {
            let message = answer.message();
            assert!(message.starts_with("API rate limit exceeded"), "{message}");
            assert_eq!(answer.header("x-ratelimit-remaining"), Some("0"));
        } else {
            unlimited.push(call.operation);
        }
    }
    assert_eq!(unlimited, ["get_rate_limit"]);
}

#[tokio::test]
async fn no_write_is_ever_304() {
    let (service, _) = start().await;
    let alice = service
        .as_("classic-administrator")
        .header("If-None-Match", "*");
    let field = || json!({"name": "New", "data_type": "text"});
    let added = |answer: Answer| answer.expect(201);
    added(alice.post("/orgs/acme/projectsV2/1/fields", field()).await);
    added(
        alice
            .post("/users/alice/projectsV2/1/fields", field())
            .await,
    );
    let spare = "/user/installations/7001/repositories/2006";
    alice.put(spare).await.expect(204);
    alice.delete(spare).await.expect(204);
}
