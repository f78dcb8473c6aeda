//! Creating check runs.

use serde_json::{Value, json};

use super::{annotation, get, names, post, run};
use crate::statuses::{GADGETS, WIDGETS, sha, start};

#[tokio::test]
async fn create_check_run_201_with_every_given_field() {
    let service = start().await;
    let head = sha(&service, "feature/a").await;
    let body = json!({
        "name": "lint", "head_sha": head, "external_id": "42",
        "details_url": "https://ci.example/runs/1", "started_at": "2026-03-10T09:00:00Z",
        "conclusion": "failure", "completed_at": "2026-03-10T09:10:00+01:00",
        "output": {
            "title": "1 finding", "summary": "**One**", "text": "At length",
            "annotations": [annotation(1)],
            "images": [{"alt": "A chart", "image_url": "https://ci.example/chart.png"}],
        },
        "actions": [{"label": "Fix", "description": "Fixes it", "identifier": "fix"}],
    });
    let answer = post(&service, "ci-bot", body).await.expect(201);
    let created = answer.json();
    assert_eq!(answer.header("location"), created["url"].as_str());
    assert_eq!(created["head_sha"], *head);
    assert_eq!(
        (&created["name"], &created["external_id"]),
        (&json!("lint"), &json!("42"))
    );
    assert_eq!(created["status"], "completed");
    assert_eq!(created["conclusion"], "failure");
    assert_eq!(created["started_at"], "2026-03-10T09:00:00Z");
    assert_eq!(created["completed_at"], "2026-03-10T08:10:00Z");
    assert_eq!(created["output"]["title"], "1 finding");
    assert_eq!(created["output"]["text"], "At length");
    assert_eq!(created["output"]["annotations_count"], 1);
    assert_eq!(created["app"]["slug"], "ci-bot");
    assert_eq!(created["pull_requests"][0]["number"], 1);
    assert_eq!(created["pull_requests"][0]["head"]["ref"], "feature/a");
}

#[tokio::test]
async fn create_check_run_201_with_only_a_name() {
    let service = start().await;
    let created = run(&service, "main", "lint", json!({})).await;
    assert_eq!(created["status"], "queued");
    assert_eq!(created["started_at"], "2026-03-10T09:30:00Z");
    assert_eq!(created["external_id"], "");
    assert_eq!(created["details_url"], created["app"]["external_url"]);
    for null in ["conclusion", "completed_at"] {
        assert_eq!(created[null], Value::Null);
    }
    assert_eq!(created["output"]["title"], Value::Null);
    assert_eq!(created["pull_requests"], json!([]));
    let done = run(&service, "main", "test", json!({"conclusion": "skipped"})).await;
    assert_eq!(done["completed_at"], "2026-03-10T09:30:00Z");
}

#[tokio::test]
async fn create_check_run_201_deletes_the_oldest_beyond_a_thousand() {
    let service = start().await;
    let oldest = run(&service, "main", "lint", json!({})).await;
    let numbers = (0..999)
        .map(|number| format!("({number})"))
        .collect::<Vec<_>>()
        .join(",");
    service
        .execute(&format!(
            "INSERT INTO check_run (commit_id, suite_id, name, status, started_at, latest)
             SELECT commit_id, suite_id, name, status, 1, FALSE FROM check_run,
                (SELECT * FROM (VALUES {numbers}) AS numbers) AS many"
        ))
        .await;
    let newest = run(&service, "main", "lint", json!({})).await;
    get(&service, &format!("check-runs/{}", oldest["id"]))
        .await
        .expect(404);
    let all = get(&service, "commits/main/check-runs?filter=all&per_page=1")
        .await
        .json();
    assert_eq!(all["total_count"], 1000);
    assert_eq!(all["check_runs"][0]["id"], newest["id"]);
    let latest = get(&service, "commits/main/check-runs").await.json();
    assert_eq!(names(&latest), ["lint"]);
}

#[tokio::test]
async fn create_check_run_401_and_403_and_404_for_callers_that_are_not_apps() {
    let service = start().await;
    let body = json!({"name": "lint", "head_sha": sha(&service, "main").await});
    let public = format!("{GADGETS}/check-runs");
    service
        .anonymous()
        .post(&public, body.clone())
        .await
        .expect(401);
    for token in ["alice", "mallory", "alice-ci-bot", "alice-fine-metadata"] {
        let answer = post(&service, token, body.clone()).await.expect(403);
        assert_eq!(
            answer.message(),
            "You must authenticate via a GitHub App.",
            "{token}"
        );
    }
    let private = format!("{WIDGETS}/check-runs");
    service
        .anonymous()
        .post(&private, body.clone())
        .await
        .expect(404);
    service
        .as_("mallory")
        .post(&private, body.clone())
        .await
        .expect(404);
    service
        .as_("ci-bot")
        .post("/repos/acme/attic/check-runs", body.clone())
        .await
        .expect(403);
    service
        .execute(r#"UPDATE installation SET permissions = '{"checks":"read"}' WHERE id = 7001"#)
        .await;
    let answer = post(&service, "ci-bot", body).await.expect(403);
    assert_eq!(answer.message(), "Resource not accessible by integration");
}

#[tokio::test]
async fn create_check_run_422_when_a_field_is_missing_or_invalid() {
    let service = start().await;
    let head = sha(&service, "main").await;
    let with = |more: Value| {
        let mut body = json!({"name": "lint", "head_sha": head});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        body
    };
    let many: Vec<_> = (1..=51).map(annotation).collect();
    for body in [
        json!({"head_sha": head}),
        json!({"name": "lint"}),
        with(json!({"name": " "})),
        with(json!({"name": "x".repeat(256)})),
        with(json!({"details_url": "ftp://ci.example"})),
        with(json!({"status": "completed"})),
        with(json!({"completed_at": "2026-03-10T09:00:00Z"})),
        with(json!({"conclusion": "stale"})),
        with(json!({"status": "waiting"})),
        with(json!({"output": {"summary": "No title"}})),
        with(json!({"output": {"title": "No summary"}})),
        with(json!({"output": {"title": "T", "summary": "x".repeat(65_536)}})),
        with(json!({"output": {"title": "T", "summary": "S", "annotations": many}})),
        with(json!({"output": {"title": "T", "summary": "S", "annotations": [annotation(0)]}})),
    ] {
        post(&service, "ci-bot", body).await.expect(422);
    }
    let answer = post(&service, "ci-bot", with(json!({"status": "completed"}))).await;
    assert!(
        answer
            .message()
            .ends_with("\"conclusion\" wasn't supplied.")
    );
    for absent in ["0123456789".repeat(4), "main".to_owned()] {
        let answer = post(
            &service,
            "ci-bot",
            json!({"name": "lint", "head_sha": absent}),
        )
        .await;
        let expected = format!("No commit found for SHA: {absent}");
        assert_eq!(answer.expect(422).message(), expected);
    }
    let list = get(&service, "commits/main/check-runs").await.json();
    assert_eq!(list["total_count"], 0);
}
