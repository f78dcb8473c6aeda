//! Where in a diff comments can be created.

use serde_json::{Value, json};

use super::{COMMENTS, errors, sha, start};
use crate::harness::{Answer, Service};

const FIRST_HUNK: &str = "@@ -1,5 +1,6 @@\n+zero\n line 1\n-line 2\n+two";

async fn comment_at(service: &Service, location: Value) -> Answer {
    let mut body = json!({
        "body": format!("At {location}"), "commit_id": sha(service, "topic").await,
        "path": "src/lib.rs",
    });
    for (key, value) in location.as_object().unwrap() {
        body[key] = value.clone();
    }
    service.as_("alice").post(COMMENTS, body).await
}

#[tokio::test]
async fn create_review_comment_201_on_a_line_of_either_side() {
    let service = start().await;
    let right = comment_at(&service, json!({"line": 3}))
        .await
        .expect(201)
        .json();
    assert_eq!(
        (&right["line"], &right["side"]),
        (&json!(3), &json!("RIGHT"))
    );
    assert_eq!(
        (&right["position"], &right["original_position"]),
        (&json!(4), &json!(4))
    );
    assert_eq!(right["diff_hunk"], FIRST_HUNK);
    let left = comment_at(&service, json!({"line": 2, "side": "LEFT"}))
        .await
        .expect(201)
        .json();
    assert_eq!((&left["line"], &left["side"]), (&json!(2), &json!("LEFT")));
    assert_eq!(left["position"], 3);
    assert_eq!(
        left["diff_hunk"],
        "@@ -1,5 +1,6 @@\n+zero\n line 1\n-line 2"
    );
    let context = comment_at(&service, json!({"line": 1, "side": "LEFT"}))
        .await
        .expect(201)
        .json();
    assert_eq!(
        (&context["position"], &context["side"]),
        (&json!(2), &json!("LEFT"))
    );
}

#[tokio::test]
async fn create_review_comment_201_counts_later_hunk_headers() {
    let service = start().await;
    let comment = comment_at(&service, json!({"line": 29}))
        .await
        .expect(201)
        .json();
    assert_eq!(comment["position"], 13);
    let hunk = comment["diff_hunk"].as_str().unwrap();
    assert!(
        hunk.starts_with("@@ -25,6 +26,6 @@ line 24\n line 25\n"),
        "{hunk}"
    );
    assert!(hunk.ends_with("\n-line 28\n+twenty-eight"), "{hunk}");
}

#[tokio::test]
async fn create_review_comment_201_by_position() {
    let service = start().await;
    for (position, side, line) in [
        (1, "RIGHT", 1),
        (2, "RIGHT", 2),
        (3, "LEFT", 2),
        (13, "RIGHT", 29),
    ] {
        let comment = comment_at(&service, json!({"position": position}))
            .await
            .expect(201)
            .json();
        assert_eq!(comment["position"], position);
        assert_eq!(comment["original_position"], position);
        assert_eq!(comment["side"], side, "{position}");
        assert_eq!(comment["line"], line, "{position}");
    }
}

#[tokio::test]
async fn create_review_comment_201_on_several_lines_of_a_hunk() {
    let service = start().await;
    let location = json!({"start_line": 2, "start_side": "LEFT", "line": 5, "side": "RIGHT"});
    let comment = comment_at(&service, location).await.expect(201).json();
    for (key, value) in [
        ("start_line", json!(2)),
        ("original_start_line", json!(2)),
        ("start_side", json!("LEFT")),
        ("line", json!(5)),
        ("side", json!("RIGHT")),
        ("position", json!(6)),
    ] {
        assert_eq!(comment[key], value, "{key}");
    }
    assert_eq!(
        comment["diff_hunk"],
        format!("{FIRST_HUNK}\n line 3\n line 4")
    );
    let location = json!({"start_line": 1, "start_side": "side", "line": 2, "side": "LEFT"});
    let comment = comment_at(&service, location).await.expect(201).json();
    assert_eq!(comment["start_side"], "LEFT");
}

#[tokio::test]
async fn create_review_comment_201_on_a_file() {
    let service = start().await;
    for path in ["src/lib.rs", "old.txt"] {
        let location = json!({"subject_type": "file", "path": path, "line": 999});
        let comment = comment_at(&service, location).await.expect(201).json();
        assert_eq!(comment["subject_type"], "file");
        assert_eq!(comment["diff_hunk"], "");
        assert_eq!(
            (&comment["line"], &comment["position"]),
            (&json!(1), &json!(1))
        );
        assert_eq!(comment["side"], "RIGHT");
    }
}

#[tokio::test]
async fn create_review_comment_201_on_a_deleted_file() {
    let service = start().await;
    let location = json!({"path": "old.txt", "line": 1, "side": "LEFT"});
    let comment = comment_at(&service, location).await.expect(201).json();
    assert_eq!(comment["diff_hunk"], "@@ -1 +0,0 @@\n-old");
}

#[tokio::test]
async fn create_review_comment_201_on_an_earlier_commit_maps_to_the_head() {
    let service = start().await;
    let (older, head) = (sha(&service, "older").await, sha(&service, "topic").await);
    let location = json!({"commit_id": older, "line": 2});
    let comment = comment_at(&service, location).await.expect(201).json();
    assert_eq!(comment["original_commit_id"], older.as_str());
    assert_eq!(comment["commit_id"], head.as_str());
    assert_eq!(
        (&comment["original_line"], &comment["line"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(
        (&comment["original_position"], &comment["position"]),
        (&json!(3), &json!(4))
    );
    assert_eq!(
        comment["diff_hunk"],
        "@@ -1,5 +1,5 @@\n line 1\n-line 2\n+two"
    );
}

fn unresolved(key: &str, message: &str) -> Vec<(String, String, Option<String>)> {
    vec![(
        "custom".to_owned(),
        format!("pull_request_review_thread.{key}"),
        Some(message.to_owned()),
    )]
}

fn without_hunk(
    code: &str,
    key: &str,
    message: Option<&str>,
) -> Vec<(String, String, Option<String>)> {
    let field = |key: &str| format!("pull_request_review_thread.{key}");
    vec![
        (code.to_owned(), field(key), message.map(str::to_owned)),
        ("missing_field".to_owned(), field("diff_hunk"), None),
    ]
}

#[tokio::test]
async fn create_review_comment_422_when_the_line_is_not_in_the_diff() {
    let service = start().await;
    for location in [
        json!({"line": 15}),
        json!({"line": 3, "side": "LEFT", "path": "README.md", "start_line": null}),
        json!({"line": 0}),
        json!({"line": -3}),
        json!({"line": 9_000_000_000_i64}),
        json!({"line": 1, "path": "old.txt"}),
    ] {
        let mut location = location;
        location.as_object_mut().unwrap().remove("start_line");
        let answer = comment_at(&service, location.clone()).await;
        if location["path"] == "README.md" {
            answer.expect(201);
            continue;
        }
        let found = errors(&answer.expect(422));
        assert_eq!(
            found,
            unresolved("line", "could not be resolved"),
            "{location}"
        );
    }
}

#[tokio::test]
async fn create_review_comment_422_when_the_position_does_not_exist() {
    let service = start().await;
    for position in [0, -1, 8, 16, 4_000_000_000_i64] {
        let answer = comment_at(&service, json!({"position": position}))
            .await
            .expect(422);
        assert_eq!(
            errors(&answer),
            without_hunk("invalid", "position", None),
            "{position}"
        );
    }
}

#[tokio::test]
async fn create_review_comment_422_when_the_file_is_not_in_the_diff() {
    let service = start().await;
    for location in [
        json!({"path": "nowhere.txt", "line": 1}),
        json!({"path": "src", "line": 1}),
        json!({"path": "", "position": 1}),
        json!({"path": "/README.md", "line": 1}),
        json!({"path": "../README.md", "subject_type": "file"}),
    ] {
        let answer = comment_at(&service, location.clone()).await.expect(422);
        assert_eq!(
            errors(&answer),
            without_hunk("invalid", "path", None),
            "{location}"
        );
    }
}

#[tokio::test]
async fn create_review_comment_422_when_the_commit_is_not_part_of_the_pull_request() {
    let service = start().await;
    let message = "pull_request_review_thread.end_commit_oid is not part of the pull request";
    for commit in [
        sha(&service, "main").await,
        sha(&service, "other").await,
        sha(&service, "shifted").await,
        "0123456789abcdef0123456789abcdef01234567".to_owned(),
        sha(&service, "topic").await[..7].to_owned(),
        "topic".to_owned(),
        String::new(),
    ] {
        let answer = comment_at(&service, json!({"commit_id": commit, "line": 1}))
            .await
            .expect(422);
        let found = errors(&answer);
        assert_eq!(
            found,
            without_hunk("custom", "end_commit_oid", Some(message)),
            "{commit}"
        );
    }
}

#[tokio::test]
async fn create_review_comment_422_when_the_lines_are_not_a_range() {
    let service = start().await;
    let precede = "pull_request_review_thread.start_line must precede the end line.";
    let same_hunk =
        "pull_request_review_thread.start_line must be part of the same hunk as the line.";
    for (start, line, message) in [
        (3, 3, precede),
        (4, 3, precede),
        (3, 29, same_hunk),
        (15, 29, "could not be resolved"),
    ] {
        let location = json!({"start_line": start, "start_side": "RIGHT", "line": line});
        let answer = comment_at(&service, location).await.expect(422);
        assert_eq!(
            errors(&answer),
            unresolved("start_line", message),
            "{start} to {line}"
        );
    }
    let answer = comment_at(&service, json!({"start_line": 2, "line": 3}))
        .await
        .expect(422);
    assert_eq!(
        answer.message(),
        "Invalid request.\n\n\"start_side\" wasn't supplied."
    );
}
