//! Reactions to comments on issues and on diffs.

use std::sync::Arc;
use std::time::Duration;

use poem::http::Method;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use crate::harness::{Answer, Service};
use crate::issues::{ISSUES, WIDGETS, send, start};

/// What the comment to react to is on.
#[derive(Clone, Copy)]
enum CommentKind {
    Issue,
    Diff,
}

/// Creates a comment, and returns its path.
async fn create_comment(service: &Service, kind: CommentKind) -> String {
    let [issue, diff] = create_comments(service).await;
    match kind {
        CommentKind::Issue => issue,
        CommentKind::Diff => diff,
    }
}

/// Creates a comment on an issue and one on a diff, and returns their paths.
async fn create_comments(service: &Service) -> [String; 2] {
    let carol = service.as_("carol");
    let path = format!("{ISSUES}/1/comments");
    let answer = carol.post(&path, json!({"body": "So?"})).await;
    let on_issue = answer.expect(201).json();
    let on_diff = comment_on_diff(service, "/repos/acme/gadgets/pulls/1").await;
    [
        format!("{ISSUES}/comments/{}", on_issue["id"]),
        format!("/repos/acme/gadgets/pulls/comments/{on_diff}"),
    ]
}

/// Comments on the diff of a pull request, and returns the id.
async fn comment_on_diff(service: &Service, pull: &str) -> Value {
    let carol = service.as_("carol");
    let pull_request = carol.get(pull).await.expect(200).json();
    let commit = &pull_request["head"]["sha"];
    let body = json!({"body": "Why?", "commit_id": commit, "path": "a.txt", "line": 1});
    let answer = carol.post(&format!("{pull}/comments"), body).await;
    answer.expect(201).json()["id"].clone()
}

async fn react(service: &Service, token: &str, comment: &str, content: &str) -> Answer {
    let body = json!({"content": content});
    let path = format!("{comment}/reactions");
    send(service, token, Method::POST, &path, body).await
}

async fn reaction_counts(service: &Service, comment: &str) -> Value {
    let answer = service.as_("alice").get(comment).await.expect(200);
    answer.json()["reactions"].clone()
}

fn contents(answer: &Answer) -> Vec<String> {
    crate::issues::pluck(&json!({"all": answer.json()}), "all", "content")
}

async fn assert_created_once_and_counted(kind: CommentKind) {
    let service = start().await;
    let comment = create_comment(&service, kind).await;
    assert_eq!(reaction_counts(&service, &comment).await["total_count"], 0);
    let created = react(&service, "mallory", &comment, "+1").await;
    let created = created.expect(201).json();
    assert_eq!(created["content"], "+1");
    assert_eq!(created["user"]["login"], "mallory");
    assert_eq!(created["created_at"], "2026-03-10T09:30:00Z");
    assert!(created["node_id"].as_str().unwrap().starts_with("REA_"));
    let again = react(&service, "mallory", &comment, "+1").await;
    assert_eq!(again.expect(200).json(), created);
    react(&service, "carol", &comment, "+1").await.expect(201);
    react(&service, "carol", &comment, "rocket")
        .await
        .expect(201);
    let counts = reaction_counts(&service, &comment).await;
    let keys = ["total_count", "+1", "rocket", "eyes"];
    assert_eq!(keys.map(|key| counts[key].as_i64().unwrap()), [3, 2, 1, 0]);
    let url = counts["url"].as_str().unwrap();
    assert!(url.ends_with(&format!("{comment}/reactions")), "{url}");
}

#[tokio::test]
async fn create_issue_comment_reaction_201_and_200_the_second_time() {
    assert_created_once_and_counted(CommentKind::Issue).await;
}

#[tokio::test]
async fn create_review_comment_reaction_201_and_200_the_second_time() {
    assert_created_once_and_counted(CommentKind::Diff).await;
}

async fn assert_listed_oldest_first(kind: CommentKind) {
    let service = start().await;
    let comment = create_comment(&service, kind).await;
    for content in ["eyes", "heart", "laugh"] {
        react(&service, "carol", &comment, content)
            .await
            .expect(201);
    }
    react(&service, "alice", &comment, "eyes").await.expect(201);
    let path = format!("{comment}/reactions");
    let anonymous = service.anonymous();
    let all = anonymous.get(&path).await.expect(200);
    assert_eq!(contents(&all), ["eyes", "heart", "laugh", "eyes"]);
    let page = anonymous.get(&format!("{path}?per_page=3&page=2")).await;
    let page = page.expect(200);
    assert_eq!(contents(&page), ["eyes"]);
    assert!(page.header("link").unwrap().contains("rel=\"prev\""));
    let eyes = anonymous
        .get(&format!("{path}?content=eyes&per_page=1"))
        .await;
    let eyes = eyes.expect(200);
    assert_eq!(contents(&eyes), ["eyes"]);
    assert!(eyes.header("link").unwrap().contains("page=2"));
    let far = format!("{path}?page=9223372036854775807");
    assert_eq!(anonymous.get(&far).await.expect(200).json(), json!([]));
    let plus = format!("{path}?content=%2B1");
    assert_eq!(anonymous.get(&plus).await.expect(200).json(), json!([]));
    for unknown in ["shrug", ""] {
        let path = format!("{path}?content={unknown}");
        anonymous.get(&path).await.expect(422);
    }
}

#[tokio::test]
async fn list_issue_comment_reactions_200_and_422_in_pages_and_by_content() {
    assert_listed_oldest_first(CommentKind::Issue).await;
}

#[tokio::test]
async fn list_review_comment_reactions_200_and_422_in_pages_and_by_content() {
    assert_listed_oldest_first(CommentKind::Diff).await;
}

async fn assert_deleted_only_by_the_author(kind: CommentKind) {
    let service = start().await;
    let [issue, diff] = create_comments(&service).await;
    let (comment, other) = match kind {
        CommentKind::Issue => (issue, diff),
        CommentKind::Diff => (diff, issue),
    };
    let created = react(&service, "mallory", &comment, "heart").await;
    let id = created.expect(201).json()["id"].clone();
    let path = format!("{comment}/reactions/{id}");
    service.as_("alice").delete(&path).await.expect(403);
    service.anonymous().delete(&path).await.expect(401);
    let mallory = service.as_("mallory");
    let elsewhere = format!("{other}/reactions/{id}");
    mallory.delete(&elsewhere).await.expect(404);
    mallory.delete(&path).await.expect(204);
    mallory.delete(&path).await.expect(404);
    assert_eq!(reaction_counts(&service, &comment).await["total_count"], 0);
}

#[tokio::test]
async fn delete_issue_comment_reaction_204_and_403_and_404_for_others() {
    assert_deleted_only_by_the_author(CommentKind::Issue).await;
}

#[tokio::test]
async fn delete_review_comment_reaction_204_and_403_and_404_for_others() {
    assert_deleted_only_by_the_author(CommentKind::Diff).await;
}

async fn assert_content_is_valid_and_comment_exists(kind: CommentKind) {
    let service = start().await;
    let comment = create_comment(&service, kind).await;
    let path = format!("{comment}/reactions");
    for body in [
        json!({}),
        json!({"content": "shrug"}),
        json!({"content": 1}),
    ] {
        service.as_("carol").post(&path, body).await.expect(422);
    }
    react(&service, "carol", &comment, "confused")
        .await
        .expect(201);
    service.as_("carol").delete(&comment).await.expect(204);
    react(&service, "carol", &comment, "heart")
        .await
        .expect(404);
    service.as_("carol").get(&path).await.expect(404);
}

#[tokio::test]
async fn create_issue_comment_reaction_422_and_404_for_invalid_content_or_an_absent_comment() {
    assert_content_is_valid_and_comment_exists(CommentKind::Issue).await;
}

#[tokio::test]
async fn create_review_comment_reaction_422_and_404_for_invalid_content_or_an_absent_comment() {
    assert_content_is_valid_and_comment_exists(CommentKind::Diff).await;
}

async fn assert_locked_except_for_writers(kind: CommentKind) {
    let service = start().await;
    let comment = create_comment(&service, kind).await;
    let lock = format!("{ISSUES}/1/lock");
    let locked = send(&service, "alice", Method::PUT, &lock, json!({})).await;
    locked.expect(204);
    react(&service, "mallory", &comment, "heart")
        .await
        .expect(403);
    react(&service, "carol", &comment, "heart")
        .await
        .expect(201);
}

#[tokio::test]
async fn create_issue_comment_reaction_403_in_a_locked_conversation() {
    assert_locked_except_for_writers(CommentKind::Issue).await;
}

#[tokio::test]
async fn create_review_comment_reaction_403_in_a_locked_conversation() {
    assert_locked_except_for_writers(CommentKind::Diff).await;
}

async fn assert_locked_in_the_meantime(kind: CommentKind) {
    let service = Arc::new(start().await);
    let comment = create_comment(&service, kind).await;
    let heart = react(&service, "mallory", &comment, "heart").await;
    let heart = format!("{comment}/reactions/{}", heart.expect(201).json()["id"]);
    let transaction = service.app.db.begin().await.unwrap();
    let lock = "UPDATE pull SET locked = TRUE WHERE id = 4001";
    transaction.execute_unprepared(lock).await.unwrap();
    let (creator, subject) = (service.clone(), comment.clone());
    let creating = tokio::spawn(async move { react(&creator, "mallory", &subject, "eyes").await });
    let deleter = service.clone();
    let deleting = tokio::spawn(async move { deleter.as_("mallory").delete(&heart).await });
    // The requests have read the conversation, and wait for the transaction.
    tokio::time::sleep(Duration::from_millis(500)).await;
    transaction.commit().await.unwrap();
    creating.await.unwrap().expect(403);
    deleting.await.unwrap().expect(403);
    let counts = reaction_counts(&service, &comment).await;
    assert_eq!((&counts["heart"], &counts["eyes"]), (&json!(1), &json!(0)));
}

#[tokio::test]
async fn create_issue_comment_reaction_403_when_the_conversation_is_locked_in_the_meantime() {
    assert_locked_in_the_meantime(CommentKind::Issue).await;
}

#[tokio::test]
async fn create_review_comment_reaction_403_when_the_conversation_is_locked_in_the_meantime() {
    assert_locked_in_the_meantime(CommentKind::Diff).await;
}

/// Asserts the statuses of listing and of creating reactions to a comment, by token.
async fn assert_statuses(service: &Service, comment: &str, expected: &[(&str, u16, u16)]) {
    for (token, read, write) in expected {
        let path = format!("{comment}/reactions");
        let answer = service.as_(token).get(&path).await;
        assert_eq!(answer.status.as_u16(), *read, "{token}: {}", answer.text);
        let answer = react(service, token, comment, "eyes").await;
        assert_eq!(answer.status.as_u16(), *write, "{token}: {}", answer.text);
    }
}

#[tokio::test]
async fn list_issue_comment_reactions_403_and_404_when_the_comment_cannot_be_read() {
    let service = start().await;
    let path = format!("{WIDGETS}/1/comments");
    let answer = service
        .as_("carol")
        .post(&path, json!({"body": "So?"}))
        .await;
    let id = answer.expect(201).json()["id"].clone();
    let expected = [
        ("mallory", 404, 404),
        ("alice-metadata", 403, 403),
        ("alice-reads", 200, 403),
        ("alice-pulls", 403, 403),
        ("listener", 200, 201),
    ];
    assert_statuses(&service, &format!("{WIDGETS}/comments/{id}"), &expected).await;
}

#[tokio::test]
async fn list_review_comment_reactions_403_and_404_when_the_comment_cannot_be_read() {
    let service = start().await;
    let pull = "/repos/acme/widgets/pulls/1";
    let id = comment_on_diff(&service, pull).await;
    let expected = [
        ("mallory", 404, 404),
        ("alice-metadata", 403, 403),
        ("alice-reads", 403, 403),
        ("alice-pulls", 200, 201),
        ("listener", 200, 403),
        ("puller", 200, 201),
    ];
    let comment = format!("/repos/acme/widgets/pulls/comments/{id}");
    assert_statuses(&service, &comment, &expected).await;
}

#[tokio::test]
async fn concurrent_reactions_are_all_counted() {
    let service = start().await;
    let comment = create_comment(&service, CommentKind::Issue).await;
    let all = [
        "+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes",
    ];
    for content in all {
        let (one, other) = tokio::join!(
            react(&service, "alice", &comment, content),
            react(&service, "carol", &comment, content),
        );
        one.expect(201);
        other.expect(201);
    }
    let counts = reaction_counts(&service, &comment).await;
    assert_eq!(counts["total_count"], 16);
    for content in all {
        assert_eq!(counts[content], 2, "{content}");
    }
}
