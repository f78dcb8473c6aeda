//! How comments follow the head of their pull request.

use serde_json::{Value, json};

use super::{COMMENTS, comment_path, create_reply, sha, start};
use crate::harness::Service;

async fn comment_on_line(service: &Service, line: i64, side: &str) -> Value {
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

/// Moves the head of the pull request to the commit of another branch.
async fn move_to(service: &Service, branch: &str) -> String {
    let target = sha(service, branch).await;
    let path = "/repos/acme/gadgets/git/refs/heads/topic";
    let body = json!({"sha": target, "force": true});
    service.as_("alice").patch(path, body).await.expect(200);
    target
}

async fn get_comment(service: &Service, comment: &Value) -> Value {
    let path = comment_path(&comment["id"]);
    service.anonymous().get(&path).await.expect(200).json()
}

#[tokio::test]
async fn update_ref_200_moves_comments_with_their_lines() {
    let service = start().await;
    let two = comment_on_line(&service, 3, "RIGHT").await;
    let reply = create_reply(&service, "bob-classic", &two, "Yes").await;
    let removed = comment_on_line(&service, 2, "LEFT").await;
    let late = comment_on_line(&service, 29, "RIGHT").await;
    let head = move_to(&service, "shifted").await;
    for (comment, line, position) in [
        (&two, 4, 5),
        (&reply, 4, 5),
        (&removed, 2, 4),
        (&late, 30, 14),
    ] {
        let current = get_comment(&service, comment).await;
        assert_eq!(current["line"], line, "{current}");
        assert_eq!(current["position"], position, "{current}");
        assert_eq!(current["commit_id"], head.as_str());
        for kept in [
            "original_line",
            "original_position",
            "original_commit_id",
            "diff_hunk",
            "side",
            "updated_at",
        ] {
            assert_eq!(current[kept], comment[kept], "{kept}");
        }
    }
}

#[tokio::test]
async fn update_ref_200_makes_comments_on_changed_lines_outdated() {
    let service = start().await;
    let changed = comment_on_line(&service, 3, "RIGHT").await;
    let reply = create_reply(&service, "bob-classic", &changed, "Yes").await;
    let kept = comment_on_line(&service, 2, "RIGHT").await;
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
        let current = get_comment(&service, comment).await;
        for lost in ["line", "position", "start_line"] {
            assert!(current[lost].is_null(), "{lost}: {current}");
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
            assert_eq!(current[kept], comment[kept], "{kept}");
        }
    }
    assert_eq!(get_comment(&service, &kept).await["line"], 2);
}

#[tokio::test]
async fn get_review_comment_200_for_conditional_requests_after_its_line_was_lost() {
    let service = start().await;
    let comment = comment_on_line(&service, 3, "RIGHT").await;
    let path = comment_path(&comment["id"]);
    service.clock.advance(60);
    let before = service.anonymous().get(&path).await.expect(200);
    let etag = before.header("etag").unwrap().to_owned();
    let if_modified_since = service
        .anonymous()
        .header("If-Modified-Since", "Tue, 10 Mar 2026 09:31:00 GMT");
    move_to(&service, "reworded").await;
    let answer = if_modified_since.get(&path).await.expect(200);
    assert!(answer.json()["line"].is_null(), "{}", answer.text);
    let if_none_match = service.anonymous().header("If-None-Match", etag);
    if_none_match.get(&path).await.expect(200);
}

#[tokio::test]
async fn update_ref_200_restores_comments_when_their_lines_return() {
    let service = start().await;
    let comment = comment_on_line(&service, 3, "RIGHT").await;
    move_to(&service, "reworded").await;
    assert!(get_comment(&service, &comment).await["line"].is_null());
    let answer = service
        .as_("alice")
        .get("/repos/acme/gadgets/git/ref/heads/shifted")
        .await;
    answer.expect(200);
    move_to(&service, "shifted").await;
    assert_eq!(get_comment(&service, &comment).await["line"], 4);
}

#[tokio::test]
async fn update_ref_200_makes_comments_outdated_when_their_file_leaves_the_diff() {
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
    let current = get_comment(&service, &file).await;
    assert!(
        current["line"].is_null() && current["position"].is_null(),
        "{current}"
    );
    assert_eq!(current["original_line"], 1);
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
