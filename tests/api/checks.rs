//! Check runs and suites: reading and listing. Creating runs is in `creating.rs`, changing
//! them in `changing.rs`, suites are in `suites.rs`, and events in `events.rs`.

mod changing;
mod creating;
mod events;
mod suites;

use serde_json::{Value, json};

use crate::harness::{Answer, Service};
use crate::statuses::{GADGETS, WIDGETS, sha, start};

async fn post(service: &Service, token: &str, body: Value) -> Answer {
    let path = format!("{GADGETS}/check-runs");
    service.as_(token).post(&path, body).await
}

/// A check run of ci-bot on a branch of acme/gadgets.
async fn run(service: &Service, branch: &str, name: &str, more: Value) -> Value {
    run_by(service, "ci-bot", branch, name, more).await
}

async fn run_by(service: &Service, token: &str, branch: &str, name: &str, more: Value) -> Value {
    let mut body = json!({"name": name, "head_sha": sha(service, branch).await});
    let more = more.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(more);
    post(service, token, body).await.expect(201).json()
}

async fn patch(service: &Service, token: &str, run: &Value, body: Value) -> Answer {
    let path = format!("{GADGETS}/check-runs/{}", run["id"]);
    service.as_(token).patch(&path, body).await
}

async fn get(service: &Service, rest: &str) -> Answer {
    service.anonymous().get(&format!("{GADGETS}/{rest}")).await
}

fn names(list: &Value) -> Vec<&str> {
    let runs = list["check_runs"].as_array().unwrap().iter();
    runs.map(|run| run["name"].as_str().unwrap()).collect()
}

fn annotation(line: i64) -> Value {
    json!({
        "path": "README.md", "start_line": line, "end_line": line,
        "annotation_level": "warning", "message": format!("Line {line}"),
    })
}

#[tokio::test]
async fn get_check_run_200_with_the_values_that_were_set() {
    let service = start().await;
    let created = run(
        &service,
        "feature/a",
        "lint",
        json!({"status": "in_progress"}),
    )
    .await;
    let found = get(&service, &format!("check-runs/{}", created["id"])).await;
    assert_eq!(found.expect(200).json(), created);
}

#[tokio::test]
async fn get_check_run_403_and_404() {
    expect_403_and_404(|run, _| format!("check-runs/{run}")).await;
}

#[tokio::test]
async fn list_check_run_annotations_403_and_404() {
    expect_403_and_404(|run, _| format!("check-runs/{run}/annotations")).await;
}

#[tokio::test]
async fn list_check_runs_for_ref_403_and_404() {
    expect_403_and_404(|_, _| "commits/main/check-runs".to_owned()).await;
}

#[tokio::test]
async fn list_check_suites_for_ref_403_and_404() {
    expect_403_and_404(|_, _| "commits/main/check-suites".to_owned()).await;
}

#[tokio::test]
async fn get_check_suite_403_and_404() {
    expect_403_and_404(|_, suite| format!("check-suites/{suite}")).await;
}

#[tokio::test]
async fn list_check_runs_for_suite_403_and_404() {
    expect_403_and_404(|_, suite| format!("check-suites/{suite}/check-runs")).await;
}

/// Expects 404 from a private repository without access, 403 without the permission for
/// checks, and 404 for its runs and suites in another repository.
async fn expect_403_and_404(rest: impl Fn(&Value, &Value) -> String) {
    let service = start().await;
    let body = json!({"name": "lint", "head_sha": sha(&service, "main").await});
    let path = format!("{WIDGETS}/check-runs");
    let created = service
        .as_("ci-bot")
        .post(&path, body)
        .await
        .expect(201)
        .json();
    let rest = rest(&created["id"], &created["check_suite"]["id"]);
    let path = format!("{WIDGETS}/{rest}");
    service.anonymous().get(&path).await.expect(404);
    service.as_("mallory").get(&path).await.expect(404);
    service.as_("carol-status").get(&path).await.expect(404);
    service
        .as_("alice-fine-metadata")
        .get(&path)
        .await
        .expect(403);
    for token in ["bob-classic", "ci-bot", "alice-ci-bot"] {
        service.as_(token).get(&path).await.expect(200);
    }
    if !rest.starts_with("commits") {
        get(&service, &rest).await.expect(404);
        get(&service, &rest.replace('/', "/9")).await.expect(404);
    }
}

#[tokio::test]
async fn list_check_runs_for_ref_200_filtered_by_name_status_and_app() {
    let service = start().await;
    let done = json!({"conclusion": "success"});
    run(&service, "feature/a", "lint", done.clone()).await;
    run(&service, "feature/a", "test", json!({})).await;
    run(
        &service,
        "feature/a",
        "lint",
        json!({"status": "in_progress"}),
    )
    .await;
    run_by(&service, "other-bot", "feature/a", "lint", done).await;
    run(&service, "main", "elsewhere", json!({})).await;
    for (query, expected) in [
        ("", vec!["lint", "lint", "test"]),
        ("?filter=latest", vec!["lint", "lint", "test"]),
        ("?filter=all", vec!["lint", "lint", "test", "lint"]),
        ("?check_name=lint", vec!["lint", "lint"]),
        ("?check_name=LINT", vec![]),
        ("?status=completed", vec!["lint"]),
        ("?status=completed&filter=all", vec!["lint", "lint"]),
        ("?app_id=6001", vec!["lint", "test"]),
        ("?app_id=6003&status=queued", vec![]),
        ("?app_id=6002", vec![]),
        ("?per_page=1&page=3", vec!["test"]),
    ] {
        let path = format!("commits/feature/a/check-runs{query}");
        let list = get(&service, &path).await.expect(200).json();
        assert_eq!(names(&list), expected, "{query}");
        if !query.contains("page") {
            assert_eq!(list["total_count"], expected.len(), "{query}");
        }
    }
    let sha = sha(&service, "feature/a").await;
    for name in ["heads/feature/a", "refs%2Fheads%2Ffeature%2Fa", &sha] {
        let list = get(&service, &format!("commits/{name}/check-runs")).await;
        assert_eq!(list.expect(200).json()["total_count"], 3, "{name}");
    }
}

#[tokio::test]
async fn list_check_runs_for_ref_422_when_a_parameter_is_invalid_or_the_commit_is_absent() {
    let service = start().await;
    for query in ["status=waiting", "filter=some", "app_id=x"] {
        get(&service, &format!("commits/main/check-runs?{query}"))
            .await
            .expect(422);
    }
    let answer = get(&service, "commits/heads/nothing/check-runs")
        .await
        .expect(422);
    assert_eq!(answer.message(), "No commit found for SHA: heads/nothing");
}

/// Only a change to the checks of the same commit invalidates the answers.
#[tokio::test]
async fn get_check_run_200_and_304_until_it_changes() {
    let service = start().await;
    let created = run(&service, "main", "lint", json!({})).await;
    let (run_path, suite_path) = (
        format!("{GADGETS}/check-runs/{}", created["id"]),
        format!("{GADGETS}/check-suites/{}", created["check_suite"]["id"]),
    );
    let list = format!("{GADGETS}/commits/main/check-runs");
    let annotations = format!("{run_path}/annotations");
    for path in [run_path, suite_path, list, annotations] {
        let answer = service.anonymous().get(&path).await.expect(200);
        let tag = answer.header("etag").unwrap().to_owned();
        let conditional = service.anonymous().header("If-None-Match", tag);
        run(&service, "later", "lint", json!({})).await;
        conditional.get(&path).await.expect(304);
        let output = json!({"title": "T", "summary": "S", "annotations": [annotation(1)]});
        service.clock.advance(1);
        patch(&service, "ci-bot", &created, json!({"output": output}))
            .await
            .expect(200);
        conditional.get(&path).await.expect(200);
    }
    service
        .execute("UPDATE app SET name = 'Renamed' WHERE id = 6001")
        .await;
    let found = get(&service, &format!("check-runs/{}", created["id"]))
        .await
        .json();
    assert_eq!(found["app"]["name"], "Renamed");
}
