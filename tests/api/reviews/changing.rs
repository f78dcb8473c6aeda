//! Update and dismiss a review.

use serde_json::{Value, json};

use super::{COMMENTS, WIDGETS, create_pending, create_review, list, put, review_path, start};
use crate::harness::Service;

async fn create_approval(service: &Service) -> Value {
    create_review(service, "alice", json!({"event": "APPROVE"})).await
}

fn dismissals_path(review: &Value) -> String {
    format!("{}/dismissals", review_path(review))
}

#[tokio::test]
async fn update_review_200_by_its_author_and_by_writers() {
    let service = start().await;
    let body = json!({"event": "COMMENT", "body": "One"});
    let mut review = create_review(&service, "mallory", body).await;
    let path = review_path(&review);
    for (token, text) in [("mallory", "Two"), ("alice", "Three"), ("alice", "Three")] {
        let answer = put(&service, token, &path, json!({"body": text}))
            .await
            .expect(200);
        review["body"] = json!(text);
        assert_eq!(answer.json(), review);
    }
    let html = service
        .anonymous()
        .header("Accept", "application/vnd.github-commitcomment.html+json");
    let found = html.get(&path).await.expect(200).json();
    assert_eq!(found["body_html"], "<p dir=\"auto\">Three</p>");
    let pending = create_pending(&service, "alice").await;
    let answer = put(
        &service,
        "alice",
        &review_path(&pending),
        json!({"body": "x"}),
    )
    .await;
    assert_eq!(answer.expect(200).json()["state"], "PENDING");
}

#[tokio::test]
async fn update_review_403_and_404_for_everybody_else() {
    let service = start().await;
    let review = create_approval(&service).await;
    let body = json!({"body": "x"});
    let answer = put(&service, "mallory", &review_path(&review), body.clone())
        .await
        .expect(403);
    assert_eq!(answer.message(), "Must have push access to repository");
    let absent = review_path(&json!({"id": 99}));
    put(&service, "alice", &absent, body.clone())
        .await
        .expect(404);
    let pending = create_pending(&service, "mallory").await;
    put(&service, "alice", &review_path(&pending), body)
        .await
        .expect(404);
}

#[tokio::test]
async fn update_review_422_when_the_body_is_missing_blank_or_too_long() {
    let service = start().await;
    let path = review_path(&create_approval(&service).await);
    for body in [
        json!({}),
        json!({"body": " "}),
        json!({"body": "x".repeat(262_145)}),
    ] {
        put(&service, "alice", &path, body).await.expect(422);
    }
}

#[tokio::test]
async fn dismiss_review_200_by_writers() {
    let service = start().await;
    let mut review = create_approval(&service).await;
    let body = json!({"message": "Outdated", "event": "DISMISS"});
    let answer = put(&service, "ci-bot", &dismissals_path(&review), body)
        .await
        .expect(200);
    review["state"] = json!("DISMISSED");
    assert_eq!(answer.json(), review);
    let found = service.anonymous().get(&review_path(&review)).await;
    assert_eq!(found.expect(200).json(), review);
}

#[tokio::test]
async fn dismiss_review_403_and_404_for_everybody_else() {
    let service = start().await;
    let review = create_approval(&service).await;
    let body = json!({"message": "Outdated"});
    for token in ["mallory", "bob-classic"] {
        let answer = put(&service, token, &dismissals_path(&review), body.clone()).await;
        let answer = answer.expect(403);
        assert_eq!(answer.message(), "Must have push access to repository");
    }
    let absent = dismissals_path(&json!({"id": 99}));
    put(&service, "alice", &absent, body.clone())
        .await
        .expect(404);
    let hidden = format!("{WIDGETS}/1/dismissals");
    put(&service, "mallory", &hidden, body).await.expect(404);
}

#[tokio::test]
async fn dismiss_review_422_unless_it_is_a_verdict_and_a_message_is_given() {
    let service = start().await;
    let review = create_approval(&service).await;
    for body in [
        json!({}),
        json!({"message": " "}),
        json!({"message": "x", "event": "SUBMIT"}),
    ] {
        put(&service, "alice", &dismissals_path(&review), body)
            .await
            .expect(422);
    }
    let body = json!({"message": "Outdated"});
    put(&service, "alice", &dismissals_path(&review), body.clone())
        .await
        .expect(200);
    let commented = json!({"event": "COMMENT", "body": "x"});
    let commented = create_review(&service, "alice", commented).await;
    let pending = create_pending(&service, "alice").await;
    for (review, state) in [
        (review, "dismissed"),
        (commented, "commented"),
        (pending, "pending"),
    ] {
        let answer = put(&service, "alice", &dismissals_path(&review), body.clone())
            .await
            .expect(422);
        let message = format!("Can not dismiss a {state} pull request review");
        assert_eq!(answer.message(), message);
    }
}

#[tokio::test]
async fn dismiss_review_200_once_and_422_for_concurrent_dismissals() {
    let service = start().await;
    let path = dismissals_path(&create_approval(&service).await);
    let dismiss = |reason: &'static str| put(&service, "alice", &path, json!({"message": reason}));
    let answers = tokio::join!(dismiss("a"), dismiss("b"), dismiss("c"));
    let mut statuses = <[_; 3]>::from(answers).map(|answer| answer.status.as_u16());
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422, 422]);
}

#[tokio::test]
async fn delete_review_comment_204_keeps_a_review_with_a_verdict() {
    let service = start().await;
    let comments = json!([{"path": "README.md", "line": 2, "body": "x"}]);
    let body = json!({"event": "APPROVE", "comments": comments});
    let review = create_review(&service, "alice", body).await;
    let comment = list(&service, "alice", COMMENTS).await.remove(0);
    let path = format!("/repos/acme/gadgets/pulls/comments/{}", comment["id"]);
    service.as_("alice").delete(&path).await.expect(204);
    service
        .as_("alice")
        .get(&review_path(&review))
        .await
        .expect(200);
}
