//! Updating check runs, and their annotations.

use serde_json::{Value, json};

use super::{annotation, get, names, patch, run};
use crate::statuses::{WIDGETS, start};

#[tokio::test]
async fn update_check_run_200_changes_only_the_given_fields() {
    let service = start().await;
    let created = run(&service, "main", "lint", json!({"external_id": "42"})).await;
    service.clock.advance(60);
    let body = json!({"status": "in_progress"});
    let started = patch(&service, "ci-bot", &created, body)
        .await
        .expect(200)
        .json();
    assert_eq!(started["status"], "in_progress");
    assert_eq!(started["external_id"], "42");
    assert_eq!(started["started_at"], created["started_at"]);
    let output = json!({"title": "Fine", "summary": "All of it"});
    let body = json!({"conclusion": "success", "output": output});
    let done = patch(&service, "ci-bot", &created, body)
        .await
        .expect(200)
        .json();
    assert_eq!(
        (&done["status"], &done["conclusion"]),
        (&json!("completed"), &json!("success"))
    );
    assert_eq!(done["completed_at"], "2026-03-10T09:31:00Z");
    let body = json!({"output": {"summary": "Again"}, "details_url": "https://ci.example"});
    let again = patch(&service, "ci-bot", &created, body)
        .await
        .expect(200)
        .json();
    assert_eq!(again["output"]["title"], "Fine");
    assert_eq!(again["output"]["summary"], "Again");
    assert_eq!(again["details_url"], "https://ci.example");
    assert_eq!(again["conclusion"], "success");
    let reopened = patch(&service, "ci-bot", &created, json!({"status": "queued"})).await;
    let reopened = reopened.expect(200).json();
    assert_eq!(
        (&reopened["conclusion"], &reopened["completed_at"]),
        (&Value::Null, &Value::Null)
    );
    let found = get(&service, &format!("check-runs/{}", created["id"]))
        .await
        .json();
    assert_eq!(found, reopened);
}

#[tokio::test]
async fn update_check_run_200_adds_to_the_existing_annotations() {
    let service = start().await;
    let created = run(&service, "main", "lint", json!({})).await;
    for part in 0..3 {
        let annotations: Vec<_> = (1..=50).map(|line| annotation(50 * part + line)).collect();
        let body = json!({"output": {"title": "T", "summary": "S", "annotations": annotations}});
        patch(&service, "ci-bot", &created, body).await.expect(200);
    }
    let path = format!("check-runs/{}/annotations", created["id"]);
    let found = get(&service, &format!("{path}?per_page=100&page=2"))
        .await
        .expect(200);
    assert!(found.header("link").unwrap().contains("rel=\"prev\""));
    let found = found.json();
    assert_eq!(found.as_array().unwrap().len(), 50);
    assert_eq!(found[49]["message"], "Line 150");
    let run = get(&service, &format!("check-runs/{}", created["id"]))
        .await
        .json();
    assert_eq!(run["output"]["annotations_count"], 150);
}

#[tokio::test]
async fn list_check_run_annotations_200_in_order() {
    let service = start().await;
    let mut precise = annotation(7);
    for (key, value) in [
        ("start_column", json!(2)),
        ("end_column", json!(4)),
        ("title", json!("Typo")),
        ("raw_details", json!("x")),
    ] {
        precise[key] = value;
    }
    let output = json!({"title": "T", "summary": "S", "annotations": [precise, annotation(3)]});
    let created = run(&service, "main", "lint", json!({"output": output})).await;
    let found = get(
        &service,
        &format!("check-runs/{}/annotations", created["id"]),
    )
    .await;
    let found = found.expect(200).json();
    let [first, second] = found.as_array().unwrap().as_slice() else {
        panic!("{found}");
    };
    assert_eq!(
        (&first["start_column"], &first["end_column"]),
        (&json!(2), &json!(4))
    );
    assert_eq!(
        (&first["title"], &first["raw_details"]),
        (&json!("Typo"), &json!("x"))
    );
    assert_eq!(first["annotation_level"], "warning");
    assert!(first["blob_href"].as_str().unwrap().ends_with("/README.md"));
    assert_eq!(
        (&second["start_line"], &second["title"]),
        (&json!(3), &Value::Null)
    );
}

/// The newest run of a name is its latest, whatever the run was called before.
#[tokio::test]
async fn update_check_run_200_makes_a_renamed_run_the_latest_of_its_new_name() {
    let service = start().await;
    run(&service, "main", "lint", json!({})).await;
    let test = run(&service, "main", "test", json!({})).await;
    patch(&service, "ci-bot", &test, json!({"name": "lint"}))
        .await
        .expect(200);
    let list = get(&service, "commits/main/check-runs").await.json();
    assert_eq!(names(&list), ["lint"]);
    assert_eq!(list["check_runs"][0]["id"], test["id"]);
    patch(&service, "ci-bot", &test, json!({"name": "other"}))
        .await
        .expect(200);
    let list = get(&service, "commits/main/check-runs").await.json();
    assert_eq!(names(&list), ["other", "lint"]);
}

#[tokio::test]
async fn update_check_run_403_and_404_for_other_callers_and_repositories() {
    let service = start().await;
    let created = run(&service, "main", "lint", json!({})).await;
    let body = json!({"status": "in_progress"});
    let answer = patch(&service, "other-bot", &created, body.clone())
        .await
        .expect(403);
    assert_eq!(
        answer.message(),
        "Invalid app_id `6003` - check run can only be modified by the GitHub App that created it."
    );
    let answer = patch(&service, "alice", &created, body.clone())
        .await
        .expect(403);
    assert_eq!(answer.message(), "You must authenticate via a GitHub App.");
    let absent = json!({"id": 999});
    patch(&service, "ci-bot", &absent, body.clone())
        .await
        .expect(404);
    let elsewhere = format!("{WIDGETS}/check-runs/{}", created["id"]);
    service
        .as_("ci-bot")
        .patch(&elsewhere, body)
        .await
        .expect(404);
    let found = get(&service, &format!("check-runs/{}", created["id"]))
        .await
        .json();
    assert_eq!(found, created);
}

#[tokio::test]
async fn update_check_run_422_when_a_field_is_missing_or_invalid() {
    let service = start().await;
    let created = run(&service, "main", "lint", json!({})).await;
    for body in [
        json!({"status": "completed"}),
        json!({"completed_at": "2026-03-10T09:00:00Z"}),
        json!({"output": {"summary": "No title"}}),
        json!({"output": {"title": "No summary"}}),
        json!({"conclusion": "stale"}),
        json!({"name": ""}),
    ] {
        patch(&service, "ci-bot", &created, body).await.expect(422);
    }
    let found = get(&service, &format!("check-runs/{}", created["id"]))
        .await
        .json();
    assert_eq!(found, created);
}
