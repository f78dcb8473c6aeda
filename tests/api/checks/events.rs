//! Events of check runs and suites. `tests/github/deliveries.mjs` validates the payloads
//! against GitHub's schemas.

use serde_json::{Value, json};

use super::{patch, post, run};
use crate::statuses::start;
use crate::support::events::names;

const CREATED: &str = "check_run.created";
const COMPLETED: &str = "check_run.completed";
const SUITE: &str = "check_suite.completed";

#[tokio::test]
async fn update_check_run_200_sends_events_when_runs_and_suites_are_completed() {
    let service = start().await;
    let mut seen = 0;
    let lint = run(&service, "feature/a", "lint", json!({"external_id": "42"})).await;
    let queued = service.queued_since(&mut seen).await;
    assert_eq!(names(&queued), [CREATED]);
    assert_eq!(queued[0].app, 6001);
    let check_run = &queued[0].payload["check_run"];
    for field in [
        "id",
        "name",
        "head_sha",
        "external_id",
        "status",
        "url",
        "pull_requests",
    ] {
        assert_eq!(check_run[field], lint[field], "{field}");
    }
    assert_eq!(check_run["check_suite"]["id"], lint["check_suite"]["id"]);
    assert_eq!(check_run["check_suite"]["status"], "queued");
    assert_eq!(check_run["app"].get("client_id"), None);
    assert_eq!(queued[0].payload["sender"]["login"], "ci-bot[bot]");
    run(
        &service,
        "feature/a",
        "test",
        json!({"conclusion": "success"}),
    )
    .await;
    let queued = service.queued_since(&mut seen).await;
    assert_eq!(names(&queued), [CREATED, COMPLETED]);
    for (body, expected) in [
        (json!({"status": "in_progress"}), vec![]),
        (json!({"conclusion": "failure"}), vec![COMPLETED, SUITE]),
        (json!({"conclusion": "success"}), vec![]),
    ] {
        patch(&service, "ci-bot", &lint, body.clone())
            .await
            .expect(200);
        let queued = service.queued_since(&mut seen).await;
        assert_eq!(names(&queued), expected, "{body}");
        if let Some(last) = queued.last() {
            let suite = &last.payload["check_suite"];
            assert_eq!(suite["conclusion"], "failure");
            assert_eq!(suite["latest_check_runs_count"], 2);
            assert_eq!(suite["head_commit"]["message"], "Go on");
            assert_eq!(suite.get("repository"), None);
        }
    }
}

#[tokio::test]
async fn create_check_run_422_sends_no_event() {
    let service = start().await;
    let refused = post(&service, "ci-bot", json!({"name": "lint", "head_sha": "x"})).await;
    refused.expect(422);
    assert_eq!(names(&service.queued().await), Vec::<&str>::new());
    service
        .execute("UPDATE installation SET events = '[]'")
        .await;
    let created: Value = run(&service, "main", "lint", json!({"conclusion": "success"})).await;
    assert_eq!(created["status"], "completed");
    assert_eq!(names(&service.queued().await), Vec::<&str>::new());
}
