//! Updating issues, and pull requests as issues.

use serde_json::{Value, json};

use super::{ISSUES, WIDGETS, errors, get_issue, open_issue, pluck, start, titled};
use crate::harness::{Answer, Service};

async fn patch(service: &Service, token: &str, number: i64, body: Value) -> Answer {
    let path = format!("{ISSUES}/{number}");
    service.as_(token).patch(&path, body).await
}

#[tokio::test]
async fn update_issue_200_changes_only_the_given_keys() {
    let service = start().await;
    let created = open_issue(&service, "mallory", json!({"title": "One", "body": "x"})).await;
    service.clock.advance(5);
    let unchanged = patch(&service, "mallory", 2, json!({})).await.expect(200);
    assert_eq!(unchanged.json(), created);
    let body = json!({"title": "Two", "body": null, "labels": ["bug"], "assignees": ["bob"]});
    let issue = patch(&service, "mallory", 2, body.clone())
        .await
        .expect(200);
    let issue = issue.json();
    assert_eq!(
        (&issue["title"], &issue["body"]),
        (&json!("Two"), &json!(null))
    );
    assert_eq!(issue["labels"], json!([]), "labels require triage access");
    assert_ne!(issue["updated_at"], created["updated_at"]);
    for name in ["bug", "oil"] {
        let path = "/repos/acme/gadgets/labels";
        let label = json!({"name": name});
        service.as_("carol").post(path, label).await.expect(201);
    }
    let issue = patch(&service, "erin", 2, body).await.expect(200).json();
    assert_eq!(pluck(&issue, "labels", "name"), ["bug"]);
    assert_eq!(pluck(&issue, "assignees", "login"), ["bob"]);
    let body = json!({"labels": ["oil"], "assignee": null});
    let issue = patch(&service, "erin", 2, body).await.expect(200).json();
    assert_eq!(pluck(&issue, "labels", "name"), ["oil"]);
    assert_eq!(issue["assignees"], json!([]));
    assert_eq!(get_issue(&service, 2).await, issue);
}

#[tokio::test]
async fn update_issue_200_closes_and_reopens_with_reasons() {
    let service = start().await;
    open_issue(&service, "mallory", titled("One")).await;
    let closed = json!({"state": "closed", "state_reason": "not_planned"});
    let issue = patch(&service, "erin", 2, closed).await.expect(200).json();
    assert_eq!(issue["state"], "closed");
    assert_eq!(issue["state_reason"], "not_planned");
    assert_eq!(issue["closed_by"]["login"], "erin");
    assert_ne!(issue["closed_at"], json!(null));
    let open = json!({"state": "open"});
    let issue = patch(&service, "mallory", 2, open).await.expect(200).json();
    assert_eq!(issue["state_reason"], "reopened");
    assert_eq!(issue["closed_by"], json!(null));
    let closed = json!({"state": "closed"});
    let issue = patch(&service, "mallory", 2, closed)
        .await
        .expect(200)
        .json();
    assert_eq!(issue["state_reason"], "completed");
}

#[tokio::test]
async fn update_issue_200_of_a_pull_request_changes_the_pull_request_too() {
    let service = start().await;
    service.clock.advance(5);
    let body =
        json!({"title": "Vowels", "state": "closed", "labels": ["bug"], "assignees": ["carol"]});
    let issue = patch(&service, "alice", 1, body).await.expect(200).json();
    assert_eq!(issue["closed_by"]["login"], "alice");
    let path = "/repos/acme/gadgets/pulls/1";
    let pull = service.as_("alice").get(path).await.expect(200).json();
    assert_eq!(pull["title"], "Vowels");
    assert_eq!(pull["state"], "closed");
    assert_eq!(pluck(&pull, "labels", "name"), ["bug"]);
    assert_eq!(pluck(&pull, "assignees", "login"), ["carol"]);
    assert_eq!(pull["assignee"]["login"], "carol");
    assert_eq!(pull["updated_at"], issue["updated_at"]);
    let body = json!({"state": "open"});
    patch(&service, "bob-classic", 1, body).await.expect(200);
    let pull = service.as_("alice").get(path).await.expect(200).json();
    assert_eq!(pull["state"], "open");
    let merge = format!("{path}/merge");
    super::send(
        &service,
        "alice",
        poem::http::Method::PUT,
        &merge,
        json!({}),
    )
    .await
    .expect(200);
    let issue = get_issue(&service, 1).await;
    assert_eq!(issue["state"], "closed");
    assert_eq!(issue["closed_by"]["login"], "alice");
    assert_ne!(issue["pull_request"]["merged_at"], json!(null));
    let body = json!({"state": "open"});
    let answer = patch(&service, "alice", 1, body).await.expect(422);
    assert_eq!(
        errors(&answer),
        [("state".to_owned(), "invalid".to_owned())]
    );
}

#[tokio::test]
async fn update_issue_403_when_the_caller_is_not_the_author_and_cannot_triage() {
    let service = start().await;
    open_issue(&service, "alice", titled("One")).await;
    let body = json!({"title": "Mine"});
    for token in ["mallory", "bob-classic", "alice-metadata", "alice-reads"] {
        patch(&service, token, 2, body.clone()).await.expect(403);
    }
    assert_eq!(get_issue(&service, 2).await["title"], "One");
    let attic = "/repos/acme/attic/issues/1";
    let answer = service.as_("alice").patch(attic, body).await;
    assert!(answer.expect(403).message().contains("archived"));
}

#[tokio::test]
async fn update_issue_403_when_the_caller_may_not_create_a_missing_label() {
    let service = start().await;
    let before = open_issue(&service, "alice", titled("One")).await;
    let body = json!({"title": "Two", "state": "closed", "labels": ["brand-new"]});
    let answer = patch(&service, "erin", 2, body).await.expect(403);
    let message = "You do not have permission to create labels on this repository.";
    assert_eq!(answer.message(), message);
    assert_eq!(get_issue(&service, 2).await, before);
}

#[tokio::test]
async fn update_issue_200_and_403_a_triager_closes_a_pull_request_but_does_not_edit_it() {
    let service = start().await;
    let before = get_issue(&service, 1).await;
    for body in [
        json!({"title": "Mine"}),
        json!({"body": null}),
        json!({"title": "Mine", "state": "closed", "labels": []}),
    ] {
        let answer = patch(&service, "erin", 1, body).await.expect(403);
        assert_eq!(answer.message(), "Must have push access to repository");
    }
    assert_eq!(get_issue(&service, 1).await, before);
    for state in ["closed", "open"] {
        let body = json!({"state": state, "assignees": ["carol"]});
        let issue = patch(&service, "erin", 1, body).await.expect(200).json();
        assert_eq!(issue["state"], state);
        assert_eq!(pluck(&issue, "assignees", "login"), ["carol"]);
    }
    for token in ["bob-classic", "carol"] {
        let issue = patch(&service, token, 1, titled(token)).await.expect(200);
        assert_eq!(issue.json()["title"], token);
    }
}

#[tokio::test]
async fn update_issue_404_when_it_is_absent_or_hidden() {
    let service = start().await;
    let body = json!({"title": "x"});
    patch(&service, "alice", 7, body.clone()).await.expect(404);
    let path = format!("{WIDGETS}/1");
    service.as_("mallory").patch(&path, body).await.expect(404);
}

#[tokio::test]
async fn update_issue_422_when_a_value_is_invalid_and_changes_nothing() {
    let service = start().await;
    let before = open_issue(&service, "alice", titled("One")).await;
    service.clock.advance(5);
    for body in [
        json!({"title": "Two", "state": "shut"}),
        json!({"title": " "}),
        json!({"title": "Two", "state": "closed", "state_reason": "bored"}),
        json!({"title": "Two", "assignees": ["nobody"]}),
        json!({"title": "Two", "labels": ["oil", "x".repeat(51)]}),
        json!({"title": "Two", "labels": (0..101).map(|n| n.to_string()).collect::<Vec<_>>()}),
    ] {
        patch(&service, "alice", 2, body).await.expect(422);
    }
    assert_eq!(get_issue(&service, 2).await, before);
    let labels = service.as_("alice").get("/repos/acme/gadgets/labels").await;
    assert_eq!(labels.expect(200).json(), json!([]));
}
