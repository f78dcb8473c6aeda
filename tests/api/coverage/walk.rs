//! What holds for all operations, tried on all operations of both documents. The
//! values in paths are the documents' own examples, but for those below.

use forgewright::app::Settings;
use forgewright::contract;
use forgewright::limits::Budgets;
use poem::http::Method;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use crate::access::{self, new_comment};
use crate::harness::{Answer, Service};

const GADGETS: &str = "/repos/acme/gadgets";

/// An operation of a document, with its path filled in.
struct Step {
    operation: String,
    method: Method,
    path: String,
}

/// A service on which every GET of the documents finds something, and where.
async fn start() -> (Service, Vec<Step>) {
    start_limited(5000).await
}

/// The same, with so many requests for those who do not say who they are.
async fn start_limited(anonymous: u64) -> (Service, Vec<Step>) {
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
    let remark = alice.post(&path, json!({"body": "Nice"})).await;
    let remark = remark.expect(201).json();
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
    deliver(&service).await;
    let body = json!({"name": "lint", "head_sha": commit["object"]["sha"]});
    let path = format!("{GADGETS}/check-runs");
    let app = service.as_("installation-write");
    let check = app.post(&path, body).await.expect(201).json();
    let body = json!({"title": "Measure"});
    let drafts = "/orgs/acme/projectsV2/1/drafts";
    let item = alice.post(drafts, body.clone()).await.expect(201).json();
    let drafts = "/user/1001/projectsV2/1/drafts";
    let chore = alice.post(drafts, body).await.expect(201).json();
    let held = |operation: &str, parameter: &str| match (operation, parameter) {
        ("get_user_project_field", "field_id") => Some(json!(5003)),
        (
            "get_user_project_item" | "update_user_project_item" | "delete_user_project_item",
            "item_id",
        ) => Some(chore["id"].clone()),
        (_, "item_id") => Some(item["id"].clone()),
        (_, "ref") => Some(json!("heads/main")),
        (_, "basehead") => Some(json!("main...topic")),
        (_, "file_sha") => Some(readme["content"]["sha"].clone()),
        ("get_issue_comment" | "update_issue_comment" | "delete_issue_comment", "comment_id") => {
            Some(remark["id"].clone())
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
    let steps = [contract::service(), contract::companion()]
        .into_iter()
        .flat_map(|document| steps(document, &held))
        .collect();
    (service, steps)
}

/// A delivery to each app that can sign, of which the documents' example names the first.
async fn deliver(service: &Service) {
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

fn steps(document: &Value, held: &dyn Fn(&str, &str) -> Option<Value>) -> Vec<Step> {
    let mut steps = Vec::new();
    for (template, path) in document["paths"].as_object().unwrap() {
        for (method, operation) in path.as_object().unwrap() {
            let Some(name) = operation["operationId"].as_str() else {
                continue;
            };
            steps.push(Step {
                operation: name.to_owned(),
                method: method.to_uppercase().parse().unwrap(),
                path: filled(template, name, operation, held),
            });
        }
    }
    steps
}

fn filled(
    template: &str,
    name: &str,
    operation: &Value,
    held: &dyn Fn(&str, &str) -> Option<Value>,
) -> String {
    let mut path = template.to_owned();
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    for parameter in parameters.filter(|parameter| parameter["in"] == "path") {
        let key = parameter["name"].as_str().unwrap();
        let value = held(name, key).unwrap_or_else(|| parameter["example"].clone());
        let text = value.as_str().map_or(value.to_string(), str::to_owned);
        path = path.replace(&format!("{{{key}}}"), &text);
    }
    assert!(!path.contains('{'), "{name}: no example for {path}");
    path
}

/// The caller for whom an operation is meant.
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
    let (service, steps) = start().await;
    let gets = steps.iter().filter(|step| step.method == Method::GET);
    // They answer with 204 or 404, and have nothing to compare.
    let empty = ["is_pull_merged", "check_assignee", "check_issue_assignee"];
    let gets = gets.filter(|step| !empty.contains(&step.operation.as_str()));
    let mut walked = 0;
    for step in gets {
        let speaker = service.as_(&token(&step.operation));
        let answer = speaker.get(&step.path).await;
        assert_eq!(answer.status, 200, "{}: {answer:?}", step.operation);
        let tag = answer.header("etag").unwrap().to_owned();
        let knowing = speaker.clone().header("If-None-Match", tag);
        let answer = knowing.get(&step.path).await;
        assert_eq!(answer.status, 304, "{}: {answer:?}", step.operation);
        assert_eq!(answer.text, "", "{}", step.operation);
        let outdated = speaker.header("If-None-Match", "\"another\"");
        let answer = outdated.get(&step.path).await;
        assert_eq!(answer.status, 200, "{}: {answer:?}", step.operation);
        walked += 1;
    }
    assert!(walked > 30, "only {walked}");
}

#[tokio::test]
async fn every_operation_is_401_with_a_token_that_is_unknown() {
    let (service, steps) = start().await;
    assert!(steps.len() > 50, "only {}", steps.len());
    for step in steps {
        for unknown in ["Bearer unknown", "token unknown", "Basic dTpw"] {
            let speaker = service.anonymous().header("Authorization", unknown);
            let answer = speaker.send(step.method.clone(), &step.path, None).await;
            assert_eq!(answer.status, 401, "{}: {answer:?}", step.operation);
            assert_eq!(answer.message(), "Bad credentials", "{}", step.operation);
        }
    }
}

#[tokio::test]
async fn every_operation_is_403_when_the_budget_is_used_up() {
    let (service, steps) = start_limited(0).await;
    let mut free = Vec::new();
    for step in steps {
        let speaker = service.anonymous();
        let answer = speaker.send(step.method.clone(), &step.path, None).await;
        if answer.status == 403 {
            let message = answer.message();
            assert!(message.starts_with("API rate limit exceeded"), "{message}");
            assert_eq!(answer.header("x-ratelimit-remaining"), Some("0"));
        } else {
            free.push(step.operation);
        }
    }
    assert_eq!(free, ["get_rate_limit"]);
}

#[tokio::test]
async fn no_change_is_ever_304() {
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
