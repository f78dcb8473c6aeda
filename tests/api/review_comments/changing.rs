//! Get, update and delete one comment: by its author, by writers, and by nobody else.

use serde_json::json;

use super::{comment_path, create_comment, create_reply, errors, start};

#[tokio::test]
async fn get_review_comment_200_and_304_when_unchanged() {
    let service = start().await;
    let comment = create_comment(&service, "alice", "Why?").await;
    let path = comment_path(&comment["id"]);
    let answer = service.anonymous().get(&path).await.expect(200);
    let tag = answer.header("etag").unwrap().to_owned();
    let conditional = service.anonymous().header("If-None-Match", &*tag);
    conditional.get(&path).await.expect(304);
}

#[tokio::test]
async fn get_review_comment_404_when_absent_hidden_or_of_another_repository() {
    let service = start().await;
    let comment = create_comment(&service, "alice", "Why?").await;
    let elsewhere = format!("/repos/acme/widgets/pulls/comments/{}", comment["id"]);
    service.as_("alice").get(&elsewhere).await.expect(404);
    service
        .anonymous()
        .get(&comment_path(&json!(424_242)))
        .await
        .expect(404);
    service
        .anonymous()
        .get(&comment_path(&json!("x")))
        .await
        .expect(404);
    service.as_("mallory").get(&elsewhere).await.expect(404);
}

#[tokio::test]
async fn get_review_comment_403_without_the_permission() {
    let service = start().await;
    let path = "/repos/acme/widgets/pulls/comments/1";
    service
        .as_("alice-fine-metadata")
        .get(path)
        .await
        .expect(403);
}

#[tokio::test]
async fn update_review_comment_200_by_its_author_and_by_writers() {
    let service = start().await;
    let comment = create_comment(&service, "mallory", "Why?").await;
    let path = comment_path(&comment["id"]);
    service.clock.advance(60);
    let answer = service
        .as_("mallory")
        .patch(&path, json!({"body": "Why **not**?"}))
        .await;
    let changed = answer.expect(200).json();
    let mut expected = comment.clone();
    expected["body"] = json!("Why **not**?");
    expected["updated_at"] = json!("2026-03-10T09:31:00Z");
    assert_eq!(changed, expected);
    service
        .as_("alice")
        .patch(&path, json!({"body": "Moderated."}))
        .await
        .expect(200);
    let html = service
        .anonymous()
        .header("Accept", "application/vnd.github-commitcomment.html+json");
    let rendered = html.get(&path).await.expect(200).json();
    assert_eq!(rendered["body_html"], "<p dir=\"auto\">Moderated.</p>");
}

#[tokio::test]
async fn update_review_comment_401_403_and_404_for_everybody_else() {
    let service = start().await;
    let comment = create_comment(&service, "alice", "Why?").await;
    let path = comment_path(&comment["id"]);
    let body = json!({"body": "x"});
    service
        .anonymous()
        .patch(&path, body.clone())
        .await
        .expect(401);
    for token in ["mallory", "bob-classic"] {
        let answer = service
            .as_(token)
            .patch(&path, body.clone())
            .await
            .expect(403);
        assert_eq!(answer.message(), "Must have push access to repository");
    }
    let absent = comment_path(&json!(424_242));
    service
        .as_("alice")
        .patch(&absent, body.clone())
        .await
        .expect(404);
    let archived = "/repos/acme/attic/pulls/comments/9900";
    service
        .as_("mallory")
        .patch(archived, body)
        .await
        .expect(403);
}

#[tokio::test]
async fn update_review_comment_422_when_the_body_is_missing_or_blank() {
    let service = start().await;
    let comment = create_comment(&service, "alice", "Why?").await;
    let path = comment_path(&comment["id"]);
    let answer = service
        .as_("alice")
        .patch(&path, json!({"body": null}))
        .await
        .expect(422);
    assert_eq!(
        answer.message(),
        "Invalid request.\n\nFor 'properties/body', nil is not a string."
    );
    let answer = service
        .as_("alice")
        .patch(&path, json!({"body": ""}))
        .await
        .expect(422);
    assert_eq!(
        errors(&answer)[0].2.as_deref(),
        Some("Body cannot be blank")
    );
}

#[tokio::test]
async fn delete_review_comment_204_and_its_reply_becomes_the_first_comment() {
    let service = start().await;
    let root = create_comment(&service, "alice", "Why?").await;
    let reply = create_reply(&service, "bob-classic", &root, "Shorter.").await;
    let path = comment_path(&root["id"]);
    let answer = service.as_("alice").delete(&path).await.expect(204);
    assert_eq!(answer.text, "");
    for _ in 0..2 {
        service.as_("alice").delete(&path).await.expect(404);
        service.as_("alice").get(&path).await.expect(404);
        service
            .as_("alice")
            .patch(&path, json!({"body": "x"}))
            .await
            .expect(404);
    }
    let remaining = service
        .anonymous()
        .get(&comment_path(&reply["id"]))
        .await
        .expect(200)
        .json();
    assert!(remaining.get("in_reply_to_id").is_none());
    let answer = create_reply(&service, "alice", &remaining, "Still.").await;
    assert_eq!(answer["in_reply_to_id"], reply["id"]);
}

#[tokio::test]
async fn delete_review_comment_204_by_writers_and_apps_too() {
    let service = start().await;
    for token in ["alice", "ci-bot"] {
        let comment = create_comment(&service, "mallory", token).await;
        service
            .as_(token)
            .delete(&comment_path(&comment["id"]))
            .await
            .expect(204);
    }
}

#[tokio::test]
async fn delete_review_comment_401_403_and_404_for_everybody_else() {
    let service = start().await;
    let comment = create_comment(&service, "alice", "Why?").await;
    let path = comment_path(&comment["id"]);
    service.anonymous().delete(&path).await.expect(401);
    service.as_("mallory").delete(&path).await.expect(403);
    service.as_("bob-classic").delete(&path).await.expect(403);
    service
        .as_("alice")
        .delete(&comment_path(&json!(424_242)))
        .await
        .expect(404);
    let archived = "/repos/acme/attic/pulls/comments/9900";
    service.as_("mallory").delete(archived).await.expect(403);
}
