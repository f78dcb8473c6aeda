//! Pending reviews: visible to their author alone, and not counted.

use serde_json::{Value, json};

use super::{
    COMMENTS, REVIEWS, create_pending, create_review, ids, list, review_path, start, submit,
};

#[tokio::test]
async fn create_review_200_pending_is_visible_to_its_author_alone() {
    let service = start().await;
    let review = create_pending(&service, "alice").await;
    assert_eq!(review["state"], "PENDING");
    assert!(review.get("submitted_at").is_none(), "{review}");
    let path = review_path(&review);
    let comments = format!("{path}/comments");
    service.as_("alice").get(&path).await.expect(200);
    assert_eq!(list(&service, "alice", &comments).await.len(), 2);
    assert_eq!(ids(&list(&service, "alice", REVIEWS).await), ids(&[review]));
    for token in ["bob-classic", "mallory", "ci-bot"] {
        service.as_(token).get(&path).await.expect(404);
        service.as_(token).get(&comments).await.expect(404);
        assert!(list(&service, token, REVIEWS).await.is_empty(), "{token}");
    }
    service.anonymous().get(&path).await.expect(404);
}

#[tokio::test]
async fn create_review_200_pending_is_not_counted_and_notifies_nobody() {
    use sea_orm::EntityTrait;
    use storage::entities::{notification, webhook_delivery};
    let service = start().await;
    let review = create_pending(&service, "alice").await;
    let comments_path = format!("{}/comments", review_path(&review));
    let pending = list(&service, "alice", &comments_path).await;
    for path in [COMMENTS, "/repos/acme/gadgets/pulls/comments"] {
        assert!(list(&service, "alice", path).await.is_empty());
    }
    let path = format!("/repos/acme/gadgets/pulls/comments/{}", pending[0]["id"]);
    service.as_("alice").get(&path).await.expect(404);
    let reply = format!("{COMMENTS}/{}/replies", pending[0]["id"]);
    let answer = service
        .as_("alice")
        .post(&reply, json!({"body": "x"}))
        .await;
    answer.expect(404);
    let pull = service
        .as_("alice")
        .get("/repos/acme/gadgets/pulls/1")
        .await;
    let pull = pull.expect(200).json();
    assert_eq!(pull["review_comments"], 0);
    let reads = service.app.db.reads();
    let notifications = notification::Entity::find().all(reads).await.unwrap();
    assert!(notifications.is_empty(), "{notifications:?}");
    let deliveries = webhook_delivery::Entity::find().all(reads).await.unwrap();
    assert!(deliveries.is_empty());
}

#[tokio::test]
async fn create_review_422_when_another_review_is_pending() {
    let service = start().await;
    create_pending(&service, "alice").await;
    for body in [json!({}), json!({"event": "APPROVE"})] {
        let answer = service.as_("alice").post(REVIEWS, body).await.expect(422);
        let message = "User can only have one pending review per pull request";
        assert_eq!(answer.message(), message);
    }
    create_pending(&service, "mallory").await;
    let elsewhere = "/repos/acme/gadgets/pulls/2/reviews";
    service
        .as_("alice")
        .post(elsewhere, json!({}))
        .await
        .expect(200);
}

#[tokio::test]
async fn create_review_200_once_and_422_for_concurrent_pending_reviews() {
    let service = start().await;
    let alice = service.as_("alice");
    let body = json!({"comments": [{"path": "README.md", "line": 2, "body": "x"}]});
    let answers = tokio::join!(
        alice.post(REVIEWS, body.clone()),
        alice.post(REVIEWS, body.clone()),
        alice.post(REVIEWS, body)
    );
    let mut statuses = <[_; 3]>::from(answers).map(|answer| answer.status.as_u16());
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422, 422]);
}

#[tokio::test]
async fn create_review_200_pending_reserves_the_ids_of_its_comments() {
    let service = start().await;
    let review = create_pending(&service, "alice").await;
    let other = create_review(
        &service,
        "mallory",
        json!({"event": "COMMENT", "comments": [{"path": "README.md", "line": 2, "body": "x"}]}),
    )
    .await;
    let comments_path = |review: &Value| format!("{}/comments", review_path(review));
    let pending = ids(&list(&service, "alice", &comments_path(&review)).await);
    let between = ids(&list(&service, "alice", &comments_path(&other)).await);
    submit(&service, "alice", &review, "COMMENT")
        .await
        .expect(200);
    assert_eq!(
        ids(&list(&service, "bob-classic", &comments_path(&review)).await),
        pending
    );
    let mut all = [pending, between].concat();
    all.sort_unstable();
    all.dedup();
    assert_eq!(ids(&list(&service, "bob-classic", COMMENTS).await), all);
    assert_eq!(all.len(), 3);
}

#[tokio::test]
async fn list_reviews_200_with_the_pending_review_last() {
    let service = start().await;
    let pending = create_pending(&service, "alice").await;
    for number in 0..2 {
        service.clock.advance(1);
        let body = json!({"event": "COMMENT", "body": format!("{number}")});
        create_review(&service, "mallory", body).await;
    }
    let all = list(&service, "alice", REVIEWS).await;
    assert_eq!(all.len(), 3);
    assert_eq!(all[2]["id"], pending["id"]);
    let first = service
        .as_("alice")
        .get(&format!("{REVIEWS}?per_page=2"))
        .await
        .expect(200);
    assert!(first.header("link").unwrap().contains("rel=\"next\""));
    assert_eq!(first.json().as_array().unwrap().len(), 2);
    let second = list(&service, "alice", &format!("{REVIEWS}?per_page=2&page=2")).await;
    assert_eq!(ids(&second), ids(&[pending]));
    assert_eq!(list(&service, "bob-classic", REVIEWS).await.len(), 2);
}

#[tokio::test]
async fn delete_pending_review_200_with_its_comments() {
    let service = start().await;
    let review = create_pending(&service, "alice").await;
    let path = review_path(&review);
    let deleted = service.as_("alice").delete(&path).await.expect(200).json();
    assert_eq!(deleted, review);
    service.as_("alice").get(&path).await.expect(404);
    service.as_("alice").delete(&path).await.expect(404);
    create_pending(&service, "alice").await;
}

#[tokio::test]
async fn delete_pending_review_403_and_404_for_everybody_else() {
    let service = start().await;
    let review = create_pending(&service, "mallory").await;
    let path = review_path(&review);
    service.as_("alice").delete(&path).await.expect(404);
    service.as_("bob-classic").delete(&path).await.expect(404);
    submit(&service, "mallory", &review, "COMMENT")
        .await
        .expect(200);
    service.as_("bob-classic").delete(&path).await.expect(403);
}

#[tokio::test]
async fn delete_pending_review_422_when_it_was_submitted() {
    let service = start().await;
    let review = create_pending(&service, "alice").await;
    submit(&service, "alice", &review, "COMMENT")
        .await
        .expect(200);
    let answer = service
        .as_("alice")
        .delete(&review_path(&review))
        .await
        .expect(422);
    let message = "Can not delete a non-pending pull request review";
    assert_eq!(answer.message(), message);
}
