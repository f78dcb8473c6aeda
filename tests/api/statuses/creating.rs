//! Creating statuses, and rejected requests.

use serde_json::{Value, json};

use super::{GADGETS, WIDGETS, get, post, report, sha, start};

#[tokio::test]
async fn create_commit_status_201_with_all_given_values() {
    let service = start().await;
    let sha = sha(&service, "main").await;
    let body = json!({
        "state": "failure",
        "target_url": "https://ci.example/builds/1",
        "description": "2 of 9 failed",
        "context": "CI/Build",
    });
    let answer = post(&service, "ci-bot", &sha, body).await.expect(201);
    let status = answer.json();
    let url = status["url"].as_str().unwrap();
    assert!(url.ends_with(&format!("{GADGETS}/statuses/{sha}")), "{url}");
    assert_eq!(answer.header("location"), Some(url));
    assert_eq!(status["state"], "failure");
    assert_eq!(status["target_url"], "https://ci.example/builds/1");
    assert_eq!(status["description"], "2 of 9 failed");
    assert_eq!(status["context"], "CI/Build");
    assert_eq!(status["creator"]["login"], "ci-bot[bot]");
    assert_eq!(status["avatar_url"], status["creator"]["avatar_url"]);
    assert_eq!(status["created_at"], "2026-03-10T09:30:00Z");
    assert_eq!(status["updated_at"], status["created_at"]);
    let list = get(&service, &format!("commits/{sha}/statuses")).await;
    assert_eq!(list.json()[0], status);
}

#[tokio::test]
async fn create_commit_status_201_with_nothing_but_a_state() {
    let service = start().await;
    let sha = sha(&service, "main").await;
    for body in [
        json!({"state": "pending"}),
        json!({"state": "pending", "target_url": null, "description": null}),
        json!({"state": "pending", "target_url": "", "context": ""}),
    ] {
        let status = post(&service, "alice", &sha, body).await.expect(201).json();
        assert_eq!(status["context"], "default");
        for key in ["target_url", "description"] {
            assert_eq!(status[key], Value::Null);
        }
    }
}

/// `repo:status` grants access to the statuses of private repositories, and to nothing else
/// in them.
#[tokio::test]
async fn create_commit_status_201_with_only_the_scope_for_statuses() {
    let service = start().await;
    let sha = sha(&service, "main").await;
    let carol = service.as_("carol-status");
    let path = format!("{WIDGETS}/statuses/{sha}");
    carol
        .post(&path, json!({"state": "success"}))
        .await
        .expect(201);
    carol
        .get(&format!("{WIDGETS}/commits/main/status"))
        .await
        .expect(200);
    carol
        .get(&format!("{WIDGETS}/commits/main"))
        .await
        .expect(404);
    carol.get(WIDGETS).await.expect(404);
}

#[tokio::test]
async fn create_commit_status_401_and_403_and_404_without_push_access() {
    let service = start().await;
    let sha = sha(&service, "main").await;
    let body = json!({"state": "success"});
    let public = format!("{GADGETS}/statuses/{sha}");
    service
        .anonymous()
        .post(&public, body.clone())
        .await
        .expect(401);
    for token in [
        "bob-classic",
        "mallory",
        "carol-status",
        "alice-fine-metadata",
    ] {
        let answer = post(&service, token, &sha, body.clone()).await;
        answer.expect(403);
    }
    let private = format!("{WIDGETS}/statuses/{sha}");
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
    let answer = service
        .as_("bob-classic")
        .post(&private, body.clone())
        .await;
    assert_eq!(
        answer.expect(403).message(),
        "Must have push access to repository"
    );
    let archived = format!("/repos/acme/attic/statuses/{sha}");
    service.as_("alice").post(&archived, body).await.expect(403);
    let list = get(&service, "commits/main/statuses").await;
    assert_eq!(list.json(), json!([]));
}

#[tokio::test]
async fn create_commit_status_422_when_a_value_is_invalid() {
    let service = start().await;
    let sha = sha(&service, "main").await;
    let custom = |field: &str, message: &str| json!([{"resource": "Status", "code": "custom", "field": field, "message": message}]);
    for (body, expected) in [
        (
            json!({"state": "success", "description": "é".repeat(141)}),
            custom(
                "description",
                "description is too long (maximum is 140 characters)",
            ),
        ),
        (
            json!({"state": "success", "context": "x".repeat(256)}),
            custom("context", "context is too long (maximum is 255 characters)"),
        ),
        (
            json!({"state": "success", "target_url": "ftp://ci.example"}),
            custom("target_url", "target_url must use http(s) scheme"),
        ),
    ] {
        let answer = post(&service, "alice", &sha, body).await.expect(422);
        assert_eq!(answer.json()["errors"], expected);
    }
    for body in [
        json!({}),
        json!({"state": "passed"}),
        json!({"state": null}),
    ] {
        post(&service, "alice", &sha, body).await.expect(422);
    }
    let longest =
        json!({"state": "success", "description": "é".repeat(140), "context": "x".repeat(255)});
    post(&service, "alice", &sha, longest).await.expect(201);
}

#[tokio::test]
async fn create_commit_status_422_when_the_commit_is_absent() {
    let service = start().await;
    let body = json!({"state": "success"});
    let absent = "0123456789".repeat(4);
    let answer = post(&service, "alice", &absent, body.clone())
        .await
        .expect(422);
    assert_eq!(
        answer.message(),
        format!("No commit found for SHA: {absent}")
    );
    for name in ["main", "feature/a", "abc123", "HEAD"] {
        let answer = post(&service, "alice", name, body.clone())
            .await
            .expect(422);
        let error = &answer.json()["errors"][0];
        assert_eq!(error["field"], "sha");
        assert_eq!(error["message"], "sha must be a 40 character SHA1");
    }
}

#[tokio::test]
async fn create_commit_status_422_when_the_context_has_a_thousand_statuses() {
    let service = start().await;
    let sha = sha(&service, "main").await;
    report(&service, &sha, "pending", "CI").await;
    let numbers = (0..998)
        .map(|number| format!("({number})"))
        .collect::<Vec<_>>()
        .join(",");
    service
        .execute(&format!(
            "INSERT INTO commit_status (commit_id, context, context_key, state, latest, created_at)
             SELECT commit_id, context, context_key, state, FALSE, 1 FROM commit_status,
                (SELECT * FROM (VALUES {numbers}) AS numbers) AS many"
        ))
        .await;
    report(&service, &sha, "success", "ci").await;
    let body = json!({"state": "success", "context": "Ci"});
    let answer = post(&service, "alice", &sha, body).await.expect(422);
    assert_eq!(
        answer.json()["errors"][0]["message"],
        "This SHA and context has reached the maximum number of statuses."
    );
    report(&service, &sha, "success", "other").await;
    let combined = get(&service, "commits/main/status").await.json();
    assert_eq!(combined["total_count"], 2);
}

/// Of several statuses that are created concurrently, one is the newest.
#[tokio::test]
async fn create_commit_status_201_counts_once_for_concurrent_requests() {
    let service = start().await;
    let sha = sha(&service, "main").await;
    tokio::join!(
        report(&service, &sha, "success", "ci"),
        report(&service, &sha, "success", "CI"),
        report(&service, &sha, "success", "Ci"),
        report(&service, &sha, "success", "ci"),
    );
    let combined = get(&service, "commits/main/status").await.json();
    assert_eq!(combined["total_count"], 1);
    let list = get(&service, "commits/main/statuses").await.json();
    assert_eq!(list.as_array().unwrap().len(), 4);
    assert_eq!(combined["statuses"][0]["id"], list[0]["id"]);
}
