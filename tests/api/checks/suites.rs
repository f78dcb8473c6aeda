//! Check suites, and how check runs affect them and pull requests.

use serde_json::{Value, json};

use super::{get, names, patch, run, run_by};
use crate::harness::Service;
use crate::statuses::{sha, start};

async fn suite(service: &Service, run: &Value) -> Value {
    let path = format!("check-suites/{}", run["check_suite"]["id"]);
    get(service, &path).await.expect(200).json()
}

#[tokio::test]
async fn get_check_suite_200_summarizes_its_latest_check_runs() {
    let service = start().await;
    let lint = run(&service, "feature/a", "lint", json!({})).await;
    let first = suite(&service, &lint).await;
    assert_eq!(
        (&first["status"], &first["conclusion"]),
        (&json!("queued"), &Value::Null)
    );
    assert_eq!(first["head_branch"], "feature/a");
    assert_eq!(first["head_sha"], lint["head_sha"]);
    assert_eq!(first["head_commit"]["message"], "Go on");
    assert_eq!(first["repository"]["full_name"], "acme/gadgets");
    assert_eq!(first["app"], lint["app"]);
    assert_eq!(first["pull_requests"], lint["pull_requests"]);
    let test = run(
        &service,
        "feature/a",
        "test",
        json!({"conclusion": "failure"}),
    )
    .await;
    assert_eq!(test["check_suite"], lint["check_suite"]);
    let summary = async || {
        let suite = suite(&service, &lint).await;
        let count = suite["latest_check_runs_count"].as_i64().unwrap();
        (suite["status"].clone(), suite["conclusion"].clone(), count)
    };
    assert_eq!(summary().await, (json!("in_progress"), Value::Null, 2));
    patch(&service, "ci-bot", &lint, json!({"conclusion": "success"}))
        .await
        .expect(200);
    assert_eq!(summary().await, (json!("completed"), json!("failure"), 2));
    run(
        &service,
        "feature/a",
        "test",
        json!({"conclusion": "neutral"}),
    )
    .await;
    assert_eq!(summary().await, (json!("completed"), json!("success"), 2));
}

#[tokio::test]
async fn list_check_suites_for_ref_200_filtered_by_app_and_check_name() {
    let service = start().await;
    let ours = run(&service, "feature/a", "lint", json!({})).await;
    let theirs = run_by(&service, "other-bot", "feature/a", "test", json!({})).await;
    run(&service, "main", "lint", json!({})).await;
    let (ours, theirs) = (&ours["check_suite"]["id"], &theirs["check_suite"]["id"]);
    for (query, expected) in [
        ("", vec![theirs, ours]),
        ("?app_id=6001", vec![ours]),
        ("?check_name=test", vec![theirs]),
        ("?check_name=test&app_id=6001", vec![]),
        ("?per_page=1&page=2", vec![ours]),
    ] {
        let path = format!("commits/heads/feature/a/check-suites{query}");
        let list = get(&service, &path).await.expect(200).json();
        let suites = list["check_suites"].as_array().unwrap().iter();
        let found: Vec<_> = suites.map(|suite| &suite["id"]).collect();
        assert_eq!(found, expected, "{query}");
    }
}

#[tokio::test]
async fn list_check_suites_for_ref_422_when_the_commit_is_absent() {
    let service = start().await;
    let answer = get(&service, "commits/nothing/check-suites")
        .await
        .expect(422);
    assert_eq!(answer.message(), "No commit found for SHA: nothing");
    get(&service, "commits/main/check-suites?app_id=x")
        .await
        .expect(422);
}

#[tokio::test]
async fn list_check_runs_for_suite_200_and_422() {
    let service = start().await;
    let lint = run(&service, "main", "lint", json!({"conclusion": "success"})).await;
    run(&service, "main", "lint", json!({})).await;
    run(&service, "main", "test", json!({})).await;
    run_by(&service, "other-bot", "main", "lint", json!({})).await;
    let path = format!("check-suites/{}/check-runs", lint["check_suite"]["id"]);
    for (query, expected) in [
        ("", vec!["test", "lint"]),
        ("?filter=all", vec!["test", "lint", "lint"]),
        ("?check_name=lint", vec!["lint"]),
        ("?status=completed", vec![]),
    ] {
        let list = get(&service, &format!("{path}{query}"))
            .await
            .expect(200)
            .json();
        assert_eq!(names(&list), expected, "{query}");
        assert_eq!(list["total_count"], expected.len());
    }
    get(&service, &format!("{path}?filter=some"))
        .await
        .expect(422);
}

/// Check runs that are created concurrently on a new commit share one suite.
#[tokio::test]
async fn create_check_run_201_creates_one_suite_for_concurrent_check_runs() {
    let service = start().await;
    let (one, two, three) = tokio::join!(
        run(&service, "later", "lint", json!({})),
        run(&service, "later", "lint", json!({})),
        run(&service, "later", "test", json!({})),
    );
    assert_eq!(one["check_suite"], two["check_suite"]);
    assert_eq!(one["check_suite"], three["check_suite"]);
    let list = get(&service, "commits/later/check-runs").await.json();
    assert_eq!(list["total_count"], 2);
}

#[tokio::test]
async fn get_pull_200_is_unstable_until_its_checks_pass() {
    let service = start().await;
    let state = async || {
        let pull = get(&service, "pulls/1").await.expect(200).json();
        pull["mergeable_state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state().await, "clean");
    let lint = run(&service, "feature/a", "lint", json!({})).await;
    assert_eq!(state().await, "unstable");
    for (conclusion, expected) in [
        ("success", "clean"),
        ("failure", "unstable"),
        ("neutral", "clean"),
        ("timed_out", "unstable"),
        ("skipped", "clean"),
    ] {
        patch(&service, "ci-bot", &lint, json!({"conclusion": conclusion}))
            .await
            .expect(200);
        assert_eq!(state().await, expected, "{conclusion}");
    }
    let head = sha(&service, "feature/a").await;
    let path = format!("/repos/acme/gadgets/statuses/{head}");
    let alice = service.as_("alice");
    alice
        .post(&path, json!({"state": "pending"}))
        .await
        .expect(201);
    assert_eq!(state().await, "unstable");
}
