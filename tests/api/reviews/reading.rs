//! List and get reviews and their comments.

use serde_json::{Value, json};

use super::{COMMENTS, REVIEWS, WIDGETS, create_review, head_sha, ids, list, review_path, start};
use crate::harness::Service;

#[tokio::test]
async fn list_reviews_200_in_the_order_of_submission_page_by_page() {
    let service = start().await;
    let mut expected = Vec::new();
    for number in 0..5 {
        service.clock.advance(1);
        let body = json!({"event": "COMMENT", "body": format!("{number}")});
        expected.push(
            create_review(&service, "mallory", body).await["id"]
                .as_i64()
                .unwrap(),
        );
    }
    let mut found = Vec::new();
    for page in 1..=3 {
        let path = format!("{REVIEWS}?per_page=2&page={page}");
        let answer = service.anonymous().get(&path).await.expect(200);
        let link = answer.header("link").unwrap().to_owned();
        assert_eq!(link.contains("rel=\"next\""), page < 3, "{link}");
        found.extend(ids(answer.json().as_array().unwrap()));
    }
    assert_eq!(found, expected);
    let beyond = list(&service, "alice", &format!("{REVIEWS}?page=9")).await;
    assert!(beyond.is_empty());
}

#[tokio::test]
async fn list_reviews_200_with_the_reviews_of_single_comments() {
    let service = start().await;
    let body = json!({"body": "Why?", "commit_id": head_sha(&service).await, "path": "README.md",
        "line": 2});
    let comment = service
        .as_("alice")
        .post(COMMENTS, body)
        .await
        .expect(201)
        .json();
    let reviews = list(&service, "mallory", REVIEWS).await;
    assert_eq!(reviews.len(), 1);
    assert_eq!(reviews[0]["id"], comment["pull_request_review_id"]);
    assert_eq!(reviews[0]["state"], "COMMENTED");
    let comments_path = format!("{}/comments", review_path(&reviews[0]));
    assert_eq!(
        list(&service, "mallory", &comments_path).await,
        std::slice::from_ref(&comment)
    );
    let path = format!("/repos/acme/gadgets/pulls/comments/{}", comment["id"]);
    service.as_("alice").delete(&path).await.expect(204);
    assert!(list(&service, "mallory", REVIEWS).await.is_empty());
}

/// Asserts that callers without read access to the private repository get 403 or 404.
async fn expect_unreadable(service: &Service, path: &str) {
    service
        .as_("alice-fine-metadata")
        .get(path)
        .await
        .expect(403);
    service.as_("mallory").get(path).await.expect(404);
}

#[tokio::test]
async fn list_reviews_403_and_404_without_read_access() {
    let service = start().await;
    expect_unreadable(&service, WIDGETS).await;
    service.anonymous().get(WIDGETS).await.expect(404);
    let absent = "/repos/acme/gadgets/pulls/99/reviews";
    service.as_("alice").get(absent).await.expect(404);
}

#[tokio::test]
async fn get_review_200_in_each_media_type() {
    let service = start().await;
    let body = json!({"event": "COMMENT", "body": "Not **yet**."});
    let review = create_review(&service, "alice", body).await;
    for (form, expected) in [
        ("raw", [true, false, false]),
        ("text", [false, true, false]),
        ("html", [false, false, true]),
        ("full", [true, true, true]),
    ] {
        let media = format!("application/vnd.github-commitcomment.{form}+json");
        let reader = service.anonymous().header("Accept", media);
        let rendered = reader.get(&review_path(&review)).await.expect(200).json();
        let found = ["body", "body_text", "body_html"].map(|key| rendered.get(key).is_some());
        assert_eq!(found, expected, "{form}");
        if form == "full" {
            assert_eq!(rendered["body_text"], "Not yet.");
            let html = "<p dir=\"auto\">Not <strong>yet</strong>.</p>";
            assert_eq!(rendered["body_html"], html);
        }
    }
}

/// Creates a review as carol in the private repository.
async fn create_review_as_carol(service: &Service) -> Value {
    let body = json!({"event": "COMMENT", "body": "x"});
    let answer = service.as_("carol").post(WIDGETS, body).await;
    answer.expect(200).json()
}

#[tokio::test]
async fn get_review_403_and_404_without_read_access() {
    let service = start().await;
    let review = create_review_as_carol(&service).await;
    let path = format!("{WIDGETS}/{}", review["id"]);
    expect_unreadable(&service, &path).await;
    let elsewhere = format!("{REVIEWS}/{}", review["id"]);
    service.as_("alice").get(&elsewhere).await.expect(404);
    service
        .as_("alice")
        .get(&format!("{REVIEWS}/x"))
        .await
        .expect(404);
}

#[tokio::test]
async fn list_comments_for_review_200_page_by_page() {
    let service = start().await;
    let comments: Vec<Value> = (0..5)
        .map(|number| json!({"path": "README.md", "line": 2, "body": format!("{number}")}))
        .collect();
    for event in [json!("COMMENT"), json!("")] {
        let body = json!({"event": event, "comments": comments});
        let review = create_review(&service, "alice", body).await;
        let path = format!("{}/comments", review_path(&review));
        let page = list(&service, "alice", &format!("{path}?per_page=2&page=2")).await;
        let found: Vec<_> = page.iter().map(|comment| comment["body"].clone()).collect();
        assert_eq!(found, ["2", "3"]);
        let answer = service
            .as_("alice")
            .get(&format!("{path}?per_page=2"))
            .await;
        assert!(
            answer
                .header("link")
                .unwrap()
                .contains("page=3>; rel=\"last\"")
        );
        assert_eq!(list(&service, "alice", &path).await.len(), 5);
    }
}

#[tokio::test]
async fn list_comments_for_review_403_and_404_without_read_access() {
    let service = start().await;
    let review = create_review_as_carol(&service).await;
    let path = format!("{WIDGETS}/{}/comments", review["id"]);
    expect_unreadable(&service, &path).await;
    service
        .as_("alice")
        .get(&format!("{WIDGETS}/99/comments"))
        .await
        .expect(404);
}
