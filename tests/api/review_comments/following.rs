//! What becomes of comments when the head moves.

use serde_json::{Value, json};

use super::{COMMENTS, comment_path, replied, sha, start};
use crate::harness::Service;

async fn on_line(service: &Service, line: i64, side: &str) -> Value {
    let body = json!({
        "body": format!("{side} {line}"), "commit_id": sha(service, "topic").await,
        "path": "src/lib.rs", "line": line, "side": side,
    });
    service
        .as_("alice")
        .post(COMMENTS, body)
        .await
        .expect(201)
        .json()
}

/// Moves the head of the pull request to where another branch is.
async fn move_to(service: &Service, branch: &str) -> String {
    let target = sha(service, branch).await;
    let path = "/repos/acme/gadgets/git/refs/heads/topic";
    let body = json!({"sha": target, "force": true});
    service.as_("alice").patch(path, body).await.expect(200);
    target
}

async fn now(service: &Service, comment: &Value) -> Value {
    let path = comment_path(&comment["id"]);
    service.anonymous().get(&path).await.expect(200).json()
}

#[tokio::test]
async fn update_ref_200_takes_comments_along_to_where_their_lines_are() {
    let service = start().await;
    let two = on_line(&service, 3, "RIGHT").await;
    let reply = replied(&service, "bob-classic", &two, "Yes").await;
    let removed = on_line(&service, 2, "LEFT").await;
    let late = on_line(&service, 29, "RIGHT").await;
    let head = move_to(&service, "shifted").await;
    for (comment, line, position) in [
        (&two, 4, 5),
        (&reply, 4, 5),
        (&removed, 2, 4),
        (&late, 30, 14),
    ] {
        let now = now(&service, comment).await;
        assert_eq!(now["line"], line, "{now}");
        assert_eq!(now["position"], position, "{now}");
        assert_eq!(now["commit_id"], head.as_str());
        for kept in [
            "original_line",
            "original_position",
            "original_commit_id",
            "diff_hunk",
            "side",
            "updated_at",
        ] {
            assert_eq!(now[kept], comment[kept], "{kept}");
        }
    }
}

#[tokio::test]
async fn update_ref_200_makes_comments_on_changed_lines_outdated() {
    let service = start().await;
    let changed = on_line(&service, 3, "RIGHT").await;
    let reply = replied(&service, "bob-classic", &changed, "Yes").await;
    let kept = on_line(&service, 2, "RIGHT").await;
    let body = json!({
        "body": "Both", "commit_id": sha(&service, "topic").await, "path": "src/lib.rs",
        "start_line": 3, "start_side": "RIGHT", "line": 4,
    });
    let range = service
        .as_("alice")
        .post(COMMENTS, body)
        .await
        .expect(201)
        .json();
    move_to(&service, "reworded").await;
    for comment in [&changed, &reply, &range] {
        let now = now(&service, comment).await;
        for lost in ["line", "position", "start_line"] {
            assert!(now[lost].is_null(), "{lost}: {now}");
        }
        for kept in [
            "original_line",
            "original_position",
            "original_start_line",
            "original_commit_id",
            "commit_id",
            "diff_hunk",
            "side",
            "start_side",
            "body",
        ] {
            assert_eq!(now[kept], comment[kept], "{kept}");
        }
    }
    assert_eq!(now(&service, &kept).await["line"], 2);
}

#[tokio::test]
async fn get_review_comment_200_since_its_line_was_lost_although_nobody_edited_it() {
    let service = start().await;
    let comment = on_line(&service, 3, "RIGHT").await;
    let path = comment_path(&comment["id"]);
    service.clock.advance(60);
    let before = service.anonymous().get(&path).await.expect(200);
    let tagged = before.header("etag").unwrap().to_owned();
    let dated = service
        .anonymous()
        .header("If-Modified-Since", "Tue, 10 Mar 2026 09:31:00 GMT");
    move_to(&service, "reworded").await;
    let answer = dated.get(&path).await.expect(200);
    assert!(answer.json()["line"].is_null(), "{}", answer.text);
    let answer = service.anonymous().header("If-None-Match", tagged);
    answer.get(&path).await.expect(200);
}

#[tokio::test]
async fn update_ref_200_brings_comments_back_with_their_lines() {
    let service = start().await;
    let comment = on_line(&service, 3, "RIGHT").await;
    move_to(&service, "reworded").await;
    assert!(now(&service, &comment).await["line"].is_null());
    let answer = service
        .as_("alice")
        .get("/repos/acme/gadgets/git/ref/heads/shifted")
        .await;
    answer.expect(200);
    move_to(&service, "shifted").await;
    assert_eq!(now(&service, &comment).await["line"], 4);
}

#[tokio::test]
async fn update_ref_200_makes_comments_on_files_outdated_that_left_the_diff() {
    let service = start().await;
    let head = sha(&service, "topic").await;
    let body = json!({"body": "x", "commit_id": head, "path": "old.txt", "subject_type": "file"});
    let file = service
        .as_("alice")
        .post(COMMENTS, body)
        .await
        .expect(201)
        .json();
    move_to(&service, "other").await;
    let now = now(&service, &file).await;
    assert!(now["line"].is_null() && now["position"].is_null(), "{now}");
    assert_eq!(now["original_line"], 1);
}

#[tokio::test]
async fn create_review_comment_201_as_outdated_when_a_later_commit_changed_the_line() {
    let service = start().await;
    let older = sha(&service, "topic").await;
    move_to(&service, "reworded").await;
    let body = json!({"body": "x", "commit_id": older, "path": "src/lib.rs", "line": 3});
    let comment = service
        .as_("alice")
        .post(COMMENTS, body)
        .await
        .expect(201)
        .json();
    assert!(comment["line"].is_null() && comment["position"].is_null());
    assert_eq!(comment["original_line"], 3);
    assert_eq!(comment["commit_id"], older.as_str());
}
