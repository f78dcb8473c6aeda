//! Getting, updating and deleting one comment.

use serde_json::{Value, json};

use super::{ISSUES, ON_ISSUE, ON_PULL, comment_path, create_comment, start};

#[tokio::test]
async fn get_issue_comment_200_in_each_media_type() {
    let service = start().await;
    let comment = create_comment(&service, "alice", ON_ISSUE, "Why **2**, @Bob?").await;
    let path = comment_path(&comment);
    for (form, keys) in [
        ("raw", vec!["body"]),
        ("text", vec!["body_text"]),
        ("html", vec!["body_html"]),
        ("full", vec!["body", "body_text", "body_html"]),
    ] {
        let accept = format!("application/vnd.github.{form}+json");
        let reader = service.as_("alice").header("Accept", accept);
        let body = json!({"body": "Why **2**, @Bob?"});
        let comments = [
            reader.get(&path).await.expect(200).json(),
            reader.get(ON_ISSUE).await.expect(200).json()[0].clone(),
            reader.patch(&path, body.clone()).await.expect(200).json(),
            reader.post(ON_PULL, body).await.expect(201).json(),
        ];
        service.clock.advance(61);
        for comment in comments {
            for key in ["body", "body_text", "body_html"] {
                let is_present = comment.get(key).is_some();
                assert_eq!(is_present, keys.contains(&key), "{form}: {key}");
            }
            if form == "full" {
                assert_eq!(comment["body_text"], "Why 2, @Bob?");
                let html = comment["body_html"].as_str().unwrap();
                assert!(html.contains("<strong>2</strong>"), "{html}");
                assert!(html.contains("user-mention"), "{html}");
            }
        }
    }
}

#[tokio::test]
async fn get_issue_comment_404_when_it_is_absent_or_in_another_repository() {
    let service = start().await;
    let comment = create_comment(&service, "alice", ON_ISSUE, "Hello").await;
    let elsewhere = format!("/repos/acme/attic/issues/comments/{}", comment["id"]);
    let absent = format!("{ISSUES}/comments/999999");
    for path in [elsewhere, absent] {
        service.as_("alice").get(&path).await.expect(404);
    }
}

#[tokio::test]
async fn update_issue_comment_200_by_its_author_or_a_writer() {
    let service = start().await;
    let comment = create_comment(&service, "mallory", ON_ISSUE, "Frist").await;
    let path = comment_path(&comment);
    for (token, text) in [("mallory", "First"), ("carol", "First!"), ("alice", "1st")] {
        service.clock.advance(1);
        let body = json!({"body": text});
        let changed = service.as_(token).patch(&path, body).await.expect(200);
        assert_eq!(changed.json()["body"], text);
        let found = service.anonymous().get(&path).await.expect(200).json();
        assert_eq!(found["body"], text);
        assert_eq!(found["user"]["login"], "mallory");
    }
    let found = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(found["created_at"], "2026-03-10T09:30:00Z");
    assert_eq!(found["updated_at"], "2026-03-10T09:30:03Z");
}

#[tokio::test]
async fn update_issue_comment_403_and_404_and_422_when_it_cannot_be_updated() {
    let service = start().await;
    let comment = create_comment(&service, "alice", ON_ISSUE, "Hello").await;
    let path = comment_path(&comment);
    let body = || json!({"body": "Bye"});
    let refused = service
        .as_("mallory")
        .patch(&path, body())
        .await
        .expect(403);
    assert_eq!(refused.message(), "Must have push access to repository");
    let alice = service.as_("alice");
    let absent = format!("{ISSUES}/comments/999999");
    alice.patch(&absent, body()).await.expect(404);
    let blank = alice.patch(&path, json!({"body": ""})).await.expect(422);
    assert_eq!(blank.json()["errors"][0]["message"], "Body cannot be blank");
    service
        .execute("UPDATE repository SET archived = TRUE WHERE id = 2002")
        .await;
    alice.patch(&path, body()).await.expect(403);
    alice.delete(&path).await.expect(403);
    let found = alice.get(&path).await.expect(200).json();
    assert_eq!(found["body"], "Hello");
}

#[tokio::test]
async fn delete_issue_comment_204_once() {
    let service = start().await;
    let comment = create_comment(&service, "mallory", ON_ISSUE, "Oops").await;
    let other = create_comment(&service, "alice", ON_ISSUE, "Stays").await;
    let path = comment_path(&comment);
    service.as_("mallory").delete(&path).await.expect(204);
    service.as_("mallory").delete(&path).await.expect(404);
    service.anonymous().get(&path).await.expect(404);
    let remaining = service.anonymous().get(ON_ISSUE).await.expect(200).json();
    assert_eq!(remaining, json!([other]));
    let issue = format!("{ISSUES}/2");
    let issue = service.anonymous().get(&issue).await.expect(200).json();
    assert_eq!(issue["comments"], 1);
}

#[tokio::test]
async fn delete_issue_comment_403_and_404_when_it_cannot_be_deleted() {
    let service = start().await;
    let comment = create_comment(&service, "alice", ON_ISSUE, "Hello").await;
    let path = comment_path(&comment);
    service.as_("mallory").delete(&path).await.expect(403);
    service.as_("bob-classic").delete(&path).await.expect(403);
    let absent = format!("{ISSUES}/comments/999999");
    service.as_("alice").delete(&absent).await.expect(404);
}

/// A comment outlives the account of its author.
#[tokio::test]
async fn get_issue_comment_200_without_a_user_when_the_author_was_deleted() {
    let service = start().await;
    let comment = create_comment(&service, "mallory", ON_ISSUE, "Bye").await;
    let path = comment_path(&comment);
    service.anonymous().get(&path).await.expect(200);
    service.execute("DELETE FROM account WHERE id = 1005").await;
    let found = service.anonymous().get(&path).await.expect(200).json();
    assert_eq!(found["user"], Value::Null);
    assert_eq!(found["author_association"], "NONE");
    assert_eq!(found["body"], "Bye");
}
