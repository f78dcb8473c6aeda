//! What is pending: there for its author alone, and counted nowhere.

use serde_json::{Value, json};

use super::{COMMENTS, REVIEWS, begun, ids, list, review_path, reviewed, start, submitted};

#[tokio::test]
async fn create_review_200_pending_is_there_for_its_author_alone() {
    let service = start().await;
    let review = begun(&service, "alice").await;
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
async fn create_review_200_pending_counts_nowhere_and_tells_nobody() {
    use forgewright::entities::{notification, webhook_delivery};
    use sea_orm::EntityTrait;
    let service = start().await;
    let review = begun(&service, "alice").await;
    let of_review = format!("{}/comments", review_path(&review));
    let pending = list(&service, "alice", &of_review).await;
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
    let told = notification::Entity::find().all(reads).await.unwrap();
    assert!(told.is_empty(), "{told:?}");
    let sent = webhook_delivery::Entity::find().all(reads).await.unwrap();
    assert!(sent.is_empty());
}

#[tokio::test]
async fn create_review_422_when_another_one_is_pending() {
    let service = start().await;
    begun(&service, "alice").await;
    for body in [json!({}), json!({"event": "APPROVE"})] {
        let answer = service.as_("alice").post(REVIEWS, body).await.expect(422);
        let words = "User can only have one pending review per pull request";
        assert_eq!(answer.message(), words);
    }
    begun(&service, "mallory").await;
    let elsewhere = "/repos/acme/gadgets/pulls/2/reviews";
    service
        .as_("alice")
        .post(elsewhere, json!({}))
        .await
        .expect(200);
}

#[tokio::test]
async fn create_review_200_once_and_422_for_the_rest_when_three_begin_at_once() {
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
async fn create_review_200_pending_keeps_the_ids_that_its_comments_have_later() {
    let service = start().await;
    let review = begun(&service, "alice").await;
    let other = reviewed(
        &service,
        "mallory",
        json!({"event": "COMMENT", "comments": [{"path": "README.md", "line": 2, "body": "x"}]}),
    )
    .await;
    let of_review = |review: &Value| format!("{}/comments", review_path(review));
    let pending = ids(&list(&service, "alice", &of_review(&review)).await);
    let between = ids(&list(&service, "alice", &of_review(&other)).await);
    submitted(&service, "alice", &review, "COMMENT")
        .await
        .expect(200);
    assert_eq!(
        ids(&list(&service, "bob-classic", &of_review(&review)).await),
        pending
    );
    let mut all = [pending, between].concat();
    all.sort_unstable();
    all.dedup();
    assert_eq!(ids(&list(&service, "bob-classic", COMMENTS).await), all);
    assert_eq!(all.len(), 3);
}

#[tokio::test]
async fn list_reviews_200_has_the_pending_one_last_on_the_last_page() {
    let service = start().await;
    let pending = begun(&service, "alice").await;
    for number in 0..2 {
        service.clock.advance(1);
        let body = json!({"event": "COMMENT", "body": format!("{number}")});
        reviewed(&service, "mallory", body).await;
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
    let review = begun(&service, "alice").await;
    let path = review_path(&review);
    let deleted = service.as_("alice").delete(&path).await.expect(200).json();
    assert_eq!(deleted, review);
    service.as_("alice").get(&path).await.expect(404);
    service.as_("alice").delete(&path).await.expect(404);
    begun(&service, "alice").await;
}

#[tokio::test]
async fn delete_pending_review_403_and_404_for_everybody_else() {
    let service = start().await;
    let review = begun(&service, "mallory").await;
    let path = review_path(&review);
    service.as_("alice").delete(&path).await.expect(404);
    service.as_("bob-classic").delete(&path).await.expect(404);
    submitted(&service, "mallory", &review, "COMMENT")
        .await
        .expect(200);
    service.as_("bob-classic").delete(&path).await.expect(403);
}

#[tokio::test]
async fn delete_pending_review_422_when_it_was_submitted() {
    let service = start().await;
    let review = begun(&service, "alice").await;
    submitted(&service, "alice", &review, "COMMENT")
        .await
        .expect(200);
    let answer = service
        .as_("alice")
        .delete(&review_path(&review))
        .await
        .expect(422);
    let words = "Can not delete a non-pending pull request review";
    assert_eq!(answer.message(), words);
}
