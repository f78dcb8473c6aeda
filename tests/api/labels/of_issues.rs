//! Labels of issues and pull requests.

use poem::http::Method;
use serde_json::json;

use super::{ISSUE_LABELS, LABELS, create_label, names};
use crate::harness::Answer;
use crate::issues::{ISSUES, WIDGETS, get_issue, send, start};

#[tokio::test]
async fn list_issue_labels_200_in_pages() {
    let service = start().await;
    let body = json!({"labels": ["b", "a", "c"]});
    service
        .as_("carol")
        .post(ISSUE_LABELS, body)
        .await
        .expect(200);
    let path = format!("{ISSUE_LABELS}?per_page=2");
    let answer = service.anonymous().get(&path).await.expect(200);
    assert_eq!(names(&answer), ["a", "b"]);
    assert!(answer.header("link").unwrap().contains("rel=\"last\""));
}

#[tokio::test]
async fn list_issue_labels_403_and_404_when_they_cannot_be_read() {
    let service = start().await;
    let path = format!("{WIDGETS}/1/labels");
    service.as_("alice-metadata").get(&path).await.expect(403);
    service.as_("mallory").get(&path).await.expect(404);
    let path = format!("{ISSUES}/7/labels");
    service.as_("alice").get(&path).await.expect(404);
}

#[tokio::test]
async fn add_issue_labels_200_keeps_earlier_labels_and_creates_new_ones() {
    let service = start().await;
    service.clock.advance(5);
    let carol = service.as_("carol");
    let answer = carol.post(ISSUE_LABELS, json!({"labels": ["Bug"]})).await;
    assert_eq!(names(&answer.expect(200)), ["Bug"]);
    let answer = carol
        .post(ISSUE_LABELS, json!(["bug", {"name": "oil"}]))
        .await;
    assert_eq!(names(&answer.expect(200)), ["Bug", "oil"]);
    let issue = get_issue(&service, 1).await;
    assert_ne!(issue["updated_at"], issue["created_at"]);
    let answer = service.as_("alice").get(LABELS).await.expect(200);
    assert_eq!(names(&answer), ["Bug", "oil"]);
}

#[tokio::test]
async fn add_issue_labels_403_without_triage_access() {
    let service = start().await;
    let body = json!({"labels": ["bug"]});
    for token in ["bob-classic", "mallory", "alice-metadata", "alice-reads"] {
        let answer = service.as_(token).post(ISSUE_LABELS, body.clone()).await;
        answer.expect(403);
    }
}

/// Asserts that a caller may not create a label by labelling an issue.
fn assert_not_created(answer: &Answer) {
    assert_eq!(answer.status, 403, "{}", answer.text);
    let message = "You do not have permission to create labels on this repository.";
    assert_eq!(answer.message(), message);
    let errors = json!([{"resource": "Repository", "field": "label", "code": "unauthorized"}]);
    assert_eq!(answer.json()["errors"], errors);
}

#[tokio::test]
async fn add_issue_labels_403_when_the_caller_may_not_create_a_missing_label() {
    let service = start().await;
    create_label(&service, "bug").await;
    let tokens = ["erin", "alice-pulls", "puller"];
    for token in tokens {
        let body = json!(["bug", "brand-new"]);
        assert_not_created(&service.as_(token).post(ISSUE_LABELS, body).await);
    }
    assert_eq!(get_issue(&service, 1).await["labels"], json!([]));
    let labels = service.as_("alice").get(LABELS).await.expect(200);
    assert_eq!(names(&labels), ["bug"]);
    for token in tokens {
        let answer = service.as_(token).post(ISSUE_LABELS, json!(["Bug"])).await;
        assert_eq!(names(&answer.expect(200)), ["bug"]);
    }
}

#[tokio::test]
async fn add_issue_labels_404_when_the_issue_is_absent() {
    let service = start().await;
    let path = format!("{ISSUES}/7/labels");
    let body = json!({"labels": ["bug"]});
    service.as_("alice").post(&path, body).await.expect(404);
}

#[tokio::test]
async fn add_issue_labels_422_when_there_are_too_many_or_a_value_is_invalid() {
    let service = start().await;
    let hundred: Vec<String> = (0..100).map(|number| format!("l{number}")).collect();
    let alice = service.as_("alice");
    let answer = alice.post(ISSUE_LABELS, json!({"labels": hundred})).await;
    answer.expect(200);
    for body in [
        json!({"labels": ["one more"]}),
        json!({"labels": [""]}),
        json!({"labels": "bug"}),
        json!({}),
        json!([7]),
    ] {
        alice.post(ISSUE_LABELS, body).await.expect(422);
    }
    alice.get(&format!("{LABELS}/one%20more")).await.expect(404);
}

#[tokio::test]
async fn set_issue_labels_200_and_403_replaces_earlier_labels_by_existing_ones() {
    let service = start().await;
    let body = json!({"labels": ["bug", "oil"]});
    service
        .as_("alice")
        .post(ISSUE_LABELS, body)
        .await
        .expect(200);
    let body = json!(["oil", "grease"]);
    let answer = send(&service, "erin", Method::PUT, ISSUE_LABELS, body.clone()).await;
    assert_not_created(&answer);
    let labels = service.as_("erin").get(ISSUE_LABELS).await.expect(200);
    assert_eq!(names(&labels), ["bug", "oil"], "nothing changed");
    create_label(&service, "grease").await;
    let answer = send(&service, "erin", Method::PUT, ISSUE_LABELS, body).await;
    assert_eq!(names(&answer.expect(200)), ["grease", "oil"]);
    let body = json!({"labels": []});
    let answer = send(&service, "erin", Method::PUT, ISSUE_LABELS, body).await;
    assert_eq!(answer.expect(200).json(), json!([]));
}

#[tokio::test]
async fn set_issue_labels_403_404_and_422_when_they_cannot_be_set() {
    let service = start().await;
    let body = json!({"labels": ["bug"]});
    let put = |token, path, body| send(&service, token, Method::PUT, path, body);
    put("bob-classic", ISSUE_LABELS, body.clone())
        .await
        .expect(403);
    let path = format!("{ISSUES}/7/labels");
    put("alice", &path, body).await.expect(404);
    put("alice", ISSUE_LABELS, json!({"labels": [{"id": 7}]}))
        .await
        .expect(422);
}

#[tokio::test]
async fn clear_issue_labels_204_removes_all_labels() {
    let service = start().await;
    let body = json!({"labels": ["bug", "oil"]});
    service
        .as_("alice")
        .post(ISSUE_LABELS, body)
        .await
        .expect(200);
    let erin = service.as_("erin");
    erin.send(Method::DELETE, ISSUE_LABELS, None)
        .await
        .expect(204);
    assert_eq!(get_issue(&service, 1).await["labels"], json!([]));
}

#[tokio::test]
async fn clear_issue_labels_403_and_404_when_they_cannot_be_removed() {
    let service = start().await;
    let mallory = service.as_("mallory");
    mallory
        .send(Method::DELETE, ISSUE_LABELS, None)
        .await
        .expect(403);
    let path = format!("{ISSUES}/7/labels");
    let alice = service.as_("alice");
    alice.send(Method::DELETE, &path, None).await.expect(404);
}

#[tokio::test]
async fn remove_issue_label_200_with_the_remaining_labels() {
    let service = start().await;
    let body = json!({"labels": ["bug", "needs oil"]});
    service
        .as_("alice")
        .post(ISSUE_LABELS, body)
        .await
        .expect(200);
    let path = format!("{ISSUE_LABELS}/Needs%20oil");
    let erin = service.as_("erin");
    let answer = erin.send(Method::DELETE, &path, None).await;
    assert_eq!(names(&answer.expect(200)), ["bug"]);
    let answer = erin.send(Method::DELETE, &path, None).await.expect(404);
    assert_eq!(answer.message(), "Label does not exist");
}

#[tokio::test]
async fn remove_issue_label_403_and_404_when_it_cannot_be_removed() {
    let service = start().await;
    let path = format!("{ISSUE_LABELS}/bug");
    let mallory = service.as_("mallory");
    mallory.send(Method::DELETE, &path, None).await.expect(403);
    let alice = service.as_("alice");
    alice.send(Method::DELETE, &path, None).await.expect(404);
}
