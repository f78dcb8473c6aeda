//! Creating comments: the whole comment, and who may create one.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::ConnectionTrait;
use serde_json::json;

use super::{COMMENTS, WIDGETS, comment_path, create_comment, errors, sha, sha_in, start};

#[tokio::test]
async fn create_review_comment_201_with_the_whole_comment() {
    let service = start().await;
    let head = sha(&service, "topic").await;
    let body = json!({"body": "Why **2**?", "commit_id": head, "path": "README.md", "line": 2});
    let answer = service
        .as_("mallory")
        .post(COMMENTS, body)
        .await
        .expect(201);
    let comment = answer.json();
    let id = comment["id"].as_i64().unwrap();
    let url = comment["url"].as_str().unwrap();
    assert!(url.ends_with(&format!("/repos/acme/gadgets/pulls/comments/{id}")));
    assert_eq!(answer.header("location"), Some(url));
    let host = url.split("/repos/").next().unwrap();
    let page = format!("{host}/acme/gadgets/pull/1#discussion_r{id}");
    assert_eq!(comment["html_url"], page);
    assert_eq!(
        comment["_links"],
        json!({
            "self": {"href": url},
            "html": {"href": page},
            "pull_request": {"href": format!("{host}/repos/acme/gadgets/pulls/1")},
        })
    );
    assert!(comment["node_id"].as_str().unwrap().starts_with("PRRC_"));
    assert!(comment["pull_request_review_id"].is_i64());
    assert_eq!(comment["user"]["login"], "mallory");
    assert_eq!(comment["author_association"], "NONE");
    assert_eq!(comment["body"], "Why **2**?");
    assert_eq!(comment["created_at"], "2026-03-10T09:30:00Z");
    assert_eq!(comment["updated_at"], "2026-03-10T09:30:00Z");
    assert_eq!(comment["commit_id"], head.as_str());
    assert_eq!(comment["original_commit_id"], head.as_str());
    assert_eq!(comment["diff_hunk"], "@@ -1,3 +1,3 @@\n one\n-two\n+2");
    assert_eq!(comment["subject_type"], "line");
    for key in ["in_reply_to_id", "body_html", "body_text"] {
        assert!(comment.get(key).is_none(), "{key}");
    }
    for key in ["start_line", "original_start_line", "start_side"] {
        assert!(comment.as_object().unwrap()[key].is_null(), "{key}");
    }
    let found = service.anonymous().get(&comment_path(&comment["id"])).await;
    assert_eq!(found.expect(200).json(), comment);
}

#[tokio::test]
async fn create_review_comment_201_with_the_author_association() {
    let service = start().await;
    for (token, association) in [
        ("alice", "MEMBER"),
        ("bob-classic", "MEMBER"),
        ("mallory", "NONE"),
        ("ci-bot", "NONE"),
    ] {
        let comment = create_comment(&service, token, token).await;
        assert_eq!(comment["author_association"], association, "{token}");
    }
    let head = sha_in(&service, "widgets", "topic").await;
    let body = json!({"body": "x", "commit_id": head, "path": "a.txt", "line": 1});
    let answer = service.as_("carol").post(WIDGETS, body).await.expect(201);
    assert_eq!(answer.json()["author_association"], "COLLABORATOR");
}

#[tokio::test]
async fn create_review_comment_201_as_the_bot_of_an_app() {
    let service = start().await;
    let comment = create_comment(&service, "ci-bot", "Broken").await;
    assert_eq!(comment["user"]["login"], "ci-bot[bot]");
    assert_eq!(comment["user"]["type"], "Bot");
}

#[tokio::test]
async fn create_review_comment_401_without_a_credential() {
    let service = start().await;
    let answer = service
        .anonymous()
        .post(COMMENTS, json!({}))
        .await
        .expect(401);
    assert_eq!(answer.message(), "Requires authentication");
    let answer = service.as_("nobody").post(COMMENTS, json!({})).await;
    assert_eq!(answer.expect(401).message(), "Bad credentials");
}

#[tokio::test]
async fn create_review_comment_403_when_archived_or_locked_or_not_permitted() {
    let service = start().await;
    let path = "/repos/acme/attic/pulls/1/comments";
    let answer = service.as_("alice").post(path, json!({})).await.expect(403);
    assert_eq!(answer.message(), "Repository was archived so is read-only.");
    let locked = "/repos/acme/gadgets/pulls/3/comments";
    let answer = service
        .as_("mallory")
        .post(locked, json!({}))
        .await
        .expect(403);
    assert_eq!(
        answer.message(),
        "Unable to create comment because issue is locked."
    );
    let head = sha(&service, "other").await;
    let body = json!({"body": "x", "commit_id": head, "path": "README.md", "line": 1});
    service.as_("alice").post(locked, body).await.expect(201);
    let answer = service
        .as_("alice-fine-metadata")
        .post(WIDGETS, json!({}))
        .await;
    assert_eq!(
        answer.expect(403).message(),
        "Resource not accessible by personal access token"
    );
}

#[tokio::test]
async fn create_review_comment_403_when_the_conversation_is_locked_in_the_meantime() {
    let service = Arc::new(start().await);
    let head = sha(&service, "topic").await;
    let body = json!({"body": "x", "commit_id": head, "path": "README.md", "line": 1});
    let transaction = service.app.db.begin().await.unwrap();
    let lock = "UPDATE pull SET locked = TRUE WHERE id = 4001";
    transaction.execute_unprepared(lock).await.unwrap();
    let commenting = service.clone();
    let commenting =
        tokio::spawn(async move { commenting.as_("mallory").post(COMMENTS, body).await });
    // The request has read the pull request, and waits for the transaction.
    tokio::time::sleep(Duration::from_millis(500)).await;
    transaction.commit().await.unwrap();
    let answer = commenting.await.unwrap().expect(403);
    let message = "Unable to create comment because issue is locked.";
    assert_eq!(answer.message(), message);
}

#[tokio::test]
async fn create_review_comment_404_when_the_pull_request_is_absent_or_hidden() {
    let service = start().await;
    let absent = "/repos/acme/gadgets/pulls/99/comments";
    service
        .as_("alice")
        .post(absent, json!({}))
        .await
        .expect(404);
    service
        .as_("mallory")
        .post(WIDGETS, json!({}))
        .await
        .expect(404);
}

#[tokio::test]
async fn create_review_comment_422_without_a_body_or_a_position() {
    let service = start().await;
    let alice = service.as_("alice");
    let head = sha(&service, "topic").await;
    let answer = alice.post(COMMENTS, json!({"line": 2})).await.expect(422);
    assert_eq!(
        answer.message(),
        "Invalid request.\n\n\"body\" wasn't supplied."
    );
    let answer = alice.post(COMMENTS, json!({"body": "x"})).await.expect(422);
    assert_eq!(
        answer.message(),
        "Invalid request.\n\n\"commit_id\", \"path\" weren't supplied."
    );
    let body = json!({"body": "x", "commit_id": head, "path": "README.md"});
    let answer = alice.post(COMMENTS, body).await.expect(422);
    assert!(
        answer
            .message()
            .starts_with("Invalid request.\n\nNo subschema in \"oneOf\" matched.\n\"positioning\"")
    );
}

#[tokio::test]
async fn create_review_comment_422_when_the_body_is_blank_or_too_long() {
    let service = start().await;
    let head = sha(&service, "topic").await;
    let body_with = |text: String| json!({"body": text, "commit_id": head.clone(), "path": "README.md", "line": 2});
    let blank = (
        "unprocessable".to_owned(),
        "data".to_owned(),
        Some("Body cannot be blank".to_owned()),
    );
    for text in ["", "  \n\t "] {
        let answer = service
            .as_("alice")
            .post(COMMENTS, body_with(text.into()))
            .await;
        assert_eq!(errors(&answer.expect(422)), std::slice::from_ref(&blank));
    }
    // The limit is in bytes: 65,536 characters of four bytes, or 262,144 of one.
    let longest = "😀".repeat(65_536);
    for text in [longest.clone(), "x".repeat(262_144)] {
        let answer = service.as_("alice").post(COMMENTS, body_with(text)).await;
        answer.expect(201);
    }
    let answer = service
        .as_("alice")
        .post(COMMENTS, body_with(longest + "x"))
        .await
        .expect(422);
    assert_eq!(
        errors(&answer)[0].2.as_deref(),
        Some("Body is too long (maximum is 65536 characters)")
    );
}
