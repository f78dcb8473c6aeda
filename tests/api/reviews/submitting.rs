//! Submitting a pending review: once, by its author, on the current head.

use sea_orm::EntityTrait;
use serde_json::json;
use storage::entities::{notification, pending_review_comment};

use super::{
    COMMENTS, REVIEWS, create_pending, create_review, ids, list, move_to, review_path, start,
    submit,
};

#[tokio::test]
async fn submit_review_200_publishes_it_and_its_comments() {
    let service = start().await;
    let review = create_pending(&service, "alice").await;
    let comments_path = format!("{}/comments", review_path(&review));
    let pending = list(&service, "alice", &comments_path).await;
    let bob = service.as_("bob-classic");
    assert_eq!(bob.get(COMMENTS).await.expect(200).json(), json!([]));
    service.clock.advance(60);
    let answer = submit(&service, "alice", &review, "APPROVE")
        .await
        .expect(200);
    let mut expected = review.clone();
    expected["state"] = json!("APPROVED");
    expected["submitted_at"] = json!("2026-03-10T09:31:00Z");
    assert_eq!(answer.json(), expected);
    assert_eq!(list(&service, "bob-classic", REVIEWS).await, [expected]);
    let comments = list(&service, "bob-classic", COMMENTS).await;
    assert_eq!(ids(&comments), ids(&pending));
    for (comment, mut before) in comments.iter().zip(pending) {
        before["updated_at"] = json!("2026-03-10T09:31:00Z");
        assert_eq!(*comment, before);
    }
    let pull = service.anonymous().get("/repos/acme/gadgets/pulls/1").await;
    let pull = pull.expect(200).json();
    assert_eq!(pull["review_comments"], 2);
    assert_eq!(pull["updated_at"], "2026-03-10T09:31:00Z");
    let reads = service.app.db.reads();
    let remaining = pending_review_comment::Entity::find()
        .all(reads)
        .await
        .unwrap();
    assert!(remaining.is_empty(), "{remaining:?}");
    let notifications = notification::Entity::find().all(reads).await.unwrap();
    let mut notified: Vec<_> = notifications
        .iter()
        .map(|row| (row.comment_id, row.recipient_id))
        .collect();
    notified.sort_unstable();
    let [first, second] = ids(&comments)[..] else {
        panic!()
    };
    assert_eq!(notified, [(first, 1002), (second, 1002), (second, 1003)]);
}

#[tokio::test]
async fn submit_review_200_places_comments_on_the_current_head() {
    let service = start().await;
    let review = create_pending(&service, "alice").await;
    let head = move_to(&service, "shifted").await;
    submit(&service, "alice", &review, "COMMENT")
        .await
        .expect(200);
    let comments = list(&service, "mallory", COMMENTS).await;
    assert_eq!(comments[1]["line"], 4);
    assert_eq!(comments[1]["original_line"], 3);
    assert_eq!(comments[1]["commit_id"], head.as_str());
    assert_eq!(comments[0]["line"], 2);

    // The line that was line 3 before the head moved.
    let body = json!({"comments": [
        {"path": "README.md", "line": 2, "body": "Why?"},
        {"path": "src/lib.rs", "line": 4, "body": "How?"},
    ]});
    let review = create_review(&service, "alice", body).await;
    move_to(&service, "reworded").await;
    submit(&service, "alice", &review, "COMMENT")
        .await
        .expect(200);
    let path = format!("{}/comments", review_path(&review));
    let comments = list(&service, "mallory", &path).await;
    assert_eq!(comments[0]["line"], 2);
    for key in ["line", "position"] {
        assert!(comments[1][key].is_null(), "{}", comments[1]);
    }
    assert_eq!(comments[1]["commit_id"], comments[1]["original_commit_id"]);
}

#[tokio::test]
async fn submit_review_200_with_a_new_body() {
    let service = start().await;
    let review = create_review(&service, "alice", json!({"body": "Draft"})).await;
    let path = format!("{}/events", review_path(&review));
    let body = json!({"event": "REQUEST_CHANGES", "body": "Final"});
    let answer = service.as_("alice").post(&path, body).await.expect(200);
    assert_eq!(answer.json()["body"], "Final");
    assert_eq!(answer.json()["state"], "CHANGES_REQUESTED");
}

#[tokio::test]
async fn submit_review_403_when_it_is_of_another_user() {
    let service = start().await;
    let review = create_pending(&service, "alice").await;
    submit(&service, "alice", &review, "COMMENT")
        .await
        .expect(200);
    submit(&service, "mallory", &review, "COMMENT")
        .await
        .expect(403);
}

#[tokio::test]
async fn submit_review_404_when_it_is_absent_or_pending_of_another_user() {
    let service = start().await;
    let review = create_pending(&service, "mallory").await;
    submit(&service, "alice", &review, "COMMENT")
        .await
        .expect(404);
    submit(&service, "alice", &json!({"id": 99}), "COMMENT")
        .await
        .expect(404);
    submit(&service, "mallory", &review, "COMMENT")
        .await
        .expect(200);
}

#[tokio::test]
async fn submit_review_422_when_already_submitted_empty_or_on_the_callers_own_pull_request() {
    let service = start().await;
    let review = create_pending(&service, "bob-classic").await;
    let answer = submit(&service, "bob-classic", &review, "APPROVE")
        .await
        .expect(422);
    assert_eq!(answer.message(), "Can not approve your own pull request");
    let answer = submit(&service, "bob-classic", &review, "")
        .await
        .expect(422);
    assert!(answer.message().starts_with("Invalid request."));
    submit(&service, "bob-classic", &review, "COMMENT")
        .await
        .expect(200);
    let answer = submit(&service, "bob-classic", &review, "COMMENT")
        .await
        .expect(422);
    let message = "Can not submit a non-pending pull request review";
    assert_eq!(answer.message(), message);
    let empty = create_review(&service, "alice", json!({})).await;
    submit(&service, "alice", &empty, "COMMENT")
        .await
        .expect(422);
    submit(&service, "alice", &empty, "APPROVE")
        .await
        .expect(200);
}

#[tokio::test]
async fn submit_review_200_once_and_422_for_concurrent_submissions() {
    let service = start().await;
    let review = create_pending(&service, "alice").await;
    let answers = tokio::join!(
        submit(&service, "alice", &review, "APPROVE"),
        submit(&service, "alice", &review, "REQUEST_CHANGES"),
        submit(&service, "alice", &review, "COMMENT")
    );
    let answers = <[_; 3]>::from(answers);
    let mut statuses = answers.each_ref().map(|answer| answer.status.as_u16());
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422, 422]);
    let winner = answers.iter().find(|answer| answer.status == 200).unwrap();
    let found = service
        .anonymous()
        .get(&review_path(&review))
        .await
        .expect(200);
    assert_eq!(found.json(), winner.json());
    assert_eq!(list(&service, "mallory", COMMENTS).await.len(), 2);
}

#[tokio::test]
async fn concurrent_submit_review_and_delete_pending_review_leave_all_or_nothing() {
    let service = start().await;
    for _ in 0..4 {
        let review = create_pending(&service, "alice").await;
        let path = review_path(&review);
        let alice = service.as_("alice");
        let before = list(&service, "alice", COMMENTS).await.len();
        let (submitted, deleted) = tokio::join!(
            submit(&service, "alice", &review, "COMMENT"),
            alice.delete(&path)
        );
        let after = list(&service, "alice", COMMENTS).await.len();
        match (submitted.status.as_u16(), deleted.status.as_u16()) {
            (200, 422) => assert_eq!(after, before + 2),
            (404, 200) => assert_eq!(after, before),
            other => panic!("{other:?}"),
        }
    }
}
