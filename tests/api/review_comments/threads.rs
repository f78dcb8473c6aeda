//! Replies: their position, and comments that cannot be replied to.

use serde_json::json;

use super::{COMMENTS, comment_path, create_comment, create_reply, errors, start};

#[tokio::test]
async fn reply_to_review_comment_201_with_the_position_of_its_thread() {
    let service = start().await;
    let root = create_comment(&service, "alice", "Why?").await;
    let path = format!("{COMMENTS}/{}/replies", root["id"]);
    let answer = service
        .as_("bob-classic")
        .post(&path, json!({"body": "Shorter."}))
        .await
        .expect(201);
    let reply = answer.json();
    assert_eq!(answer.header("location"), reply["url"].as_str());
    assert_eq!(reply["in_reply_to_id"], root["id"]);
    assert_ne!(
        reply["pull_request_review_id"],
        root["pull_request_review_id"]
    );
    for key in [
        "path",
        "diff_hunk",
        "commit_id",
        "original_commit_id",
        "position",
        "original_position",
        "line",
        "original_line",
        "side",
        "start_line",
        "subject_type",
    ] {
        assert_eq!(reply[key], root[key], "{key}");
    }
}

#[tokio::test]
async fn create_review_comment_201_as_a_reply_that_ignores_everything_but_its_text() {
    let service = start().await;
    let root = create_comment(&service, "alice", "Why?").await;
    let body = json!({
        "body": "Shorter.", "in_reply_to": root["id"], "commit_id": 7, "path": null,
        "line": "two", "side": "UP", "position": -1.5, "nonsense": {},
    });
    let reply = service
        .as_("bob-classic")
        .post(COMMENTS, body)
        .await
        .expect(201)
        .json();
    assert_eq!(reply["in_reply_to_id"], root["id"]);
    assert_eq!(reply["line"], 2);
}

#[tokio::test]
async fn create_review_comment_201_in_the_thread_of_the_reply_that_it_answers() {
    let service = start().await;
    let root = create_comment(&service, "alice", "Why?").await;
    let reply = create_reply(&service, "bob-classic", &root, "Shorter.").await;
    let body = json!({"body": "Thanks.", "in_reply_to": reply["id"]});
    let answer = service.as_("alice").post(COMMENTS, body.clone()).await;
    let joined = answer.expect(201).json();
    assert_eq!(joined["in_reply_to_id"], root["id"]);
    for key in ["path", "line", "position", "diff_hunk", "commit_id"] {
        assert_eq!(joined[key], root[key], "{key}");
    }
    let path = comment_path(&root["id"]);
    service.as_("alice").delete(&path).await.expect(204);
    let answer = service.as_("alice").post(COMMENTS, body).await;
    let orphan = answer.expect(201).json();
    assert_eq!(orphan["in_reply_to_id"], reply["id"]);
}

#[tokio::test]
async fn create_review_comment_422_when_in_reply_to_is_not_a_comment_of_the_pull_request() {
    let service = start().await;
    let root = create_comment(&service, "alice", "Why?").await;
    let invalid = [("invalid".to_owned(), "in_reply_to".to_owned(), None)];
    for (path, id) in [
        (COMMENTS, &json!(424_242)),
        ("/repos/acme/gadgets/pulls/2/comments", &root["id"]),
    ] {
        let answer = service
            .as_("bob-classic")
            .post(path, json!({"body": "x", "in_reply_to": id}))
            .await;
        assert_eq!(errors(&answer.expect(422)), invalid);
    }
}

#[tokio::test]
async fn reply_to_review_comment_404_when_the_comment_is_of_another_pull_request_or_absent() {
    let service = start().await;
    let root = create_comment(&service, "alice", "Why?").await;
    let body = json!({"body": "x"});
    for path in [
        format!(
            "/repos/acme/gadgets/pulls/2/comments/{}/replies",
            root["id"]
        ),
        format!(
            "/repos/acme/gadgets/pulls/99/comments/{}/replies",
            root["id"]
        ),
        format!("{COMMENTS}/424242/replies"),
    ] {
        let answer = service
            .as_("bob-classic")
            .post(&path, body.clone())
            .await
            .expect(404);
        assert_eq!(answer.message(), "Not Found");
    }
}

#[tokio::test]
async fn reply_to_review_comment_422_when_the_comment_is_a_reply_or_the_body_is_missing() {
    let service = start().await;
    let root = create_comment(&service, "alice", "Why?").await;
    let reply = create_reply(&service, "bob-classic", &root, "Shorter.").await;
    let path = format!("{COMMENTS}/{}/replies", reply["id"]);
    let answer = service
        .as_("alice")
        .post(&path, json!({"body": "x"}))
        .await
        .expect(422);
    assert_eq!(errors(&answer)[0].1, "in_reply_to");
    let path = format!("{COMMENTS}/{}/replies", root["id"]);
    let answer = service
        .as_("alice")
        .post(&path, json!({}))
        .await
        .expect(422);
    assert_eq!(
        answer.message(),
        "Invalid request.\n\n\"body\" wasn't supplied."
    );
    let answer = service
        .as_("alice")
        .post(&path, json!({"body": " "}))
        .await
        .expect(422);
    assert_eq!(
        errors(&answer)[0].2.as_deref(),
        Some("Body cannot be blank")
    );
}

#[tokio::test]
async fn reply_to_review_comment_401_and_403_without_a_token_or_when_archived() {
    let service = start().await;
    let root = create_comment(&service, "alice", "Why?").await;
    let path = format!("{COMMENTS}/{}/replies", root["id"]);
    service
        .anonymous()
        .post(&path, json!({"body": "x"}))
        .await
        .expect(401);
    let path = "/repos/acme/attic/pulls/1/comments/9900/replies";
    service
        .as_("bob-classic")
        .post(path, json!({"body": "x"}))
        .await
        .expect(403);
}

#[tokio::test]
async fn reply_to_review_comment_403_when_the_repository_is_archived() {
    let service = start().await;
    let path = "/repos/acme/attic/pulls/1/comments/9900/replies";
    let answer = service
        .as_("bob-classic")
        .post(path, json!({"body": "x"}))
        .await
        .expect(403);
    assert_eq!(answer.message(), "Repository was archived so is read-only.");
}
