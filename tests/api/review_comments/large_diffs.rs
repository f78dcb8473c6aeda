//! Diffs that are too large are not shown, as on GitHub, and requests for them stay cheap.

use std::fmt::Write;
use std::time::Duration;

use forge::app::Settings;
use serde_json::json;

use super::{errors, sha};
use crate::harness::Service;
use crate::support::processor_time::{in_own_process, within};

/// The processor time of a request. Comparing the huge file would take minutes.
const LIMIT: Duration = Duration::from_secs(8);

const COMMENTS: &str = "/repos/acme/gadgets/pulls/1/comments";

/// Lines that repeat, so that comparing two such texts is slow.
fn repetitive(lines: usize, step: usize) -> String {
    let mut text = String::new();
    for number in 0..lines {
        let _ = write!(text, "{}\\n", number * step % 61 + number * number % 13);
    }
    text
}

/// A pull request that changes one huge file, one large one, and a line of a long one.
async fn start() -> Service {
    let long: String = (0..60_000).fold(String::new(), |mut text, number| {
        let _ = write!(text, "{number}\\n");
        text
    });
    let changed = long.replace("\\n30000\\n", "\\nthirty thousand\\n");
    let world = format!(
        r#"
users: [{{id: 1001, login: alice}}]
organizations:
  - {{id: 1004, login: acme, base_permission: read, members: [{{login: alice, role: admin}}]}}
repositories:
  - id: 2002
    full_name: acme/gadgets
    visibility: public
    git:
      commits:
        - {{id: c1, message: One, files: {{huge.txt: "{}", shown.txt: "a\n", long.txt: "{long}"}}}}
        - {{id: c2, message: Two, files: {{huge.txt: "{}", new.txt: "{}", shown.txt: "b\n", long.txt: "{changed}"}}}}
      refs: {{refs/heads/main: c1, refs/heads/topic: c2}}
    pulls: [{{number: 1, title: Much, author: alice, base: main, head: topic}}]
tokens:
  - {{kind: classic, user: alice, scopes: [repo], value: alice}}
"#,
        repetitive(300_000, 7),
        repetitive(300_000, 11),
        repetitive(30_000, 7),
    );
    Service::with(&world, Settings::default()).await
}

#[tokio::test]
async fn create_review_comment_422_on_a_line_of_a_diff_that_is_too_large() {
    in_own_process(async || {
        let service = start().await;
        let alice = service.as_("alice");
        let head = sha(&service, "topic").await;
        for path in ["huge.txt", "new.txt"] {
            let body = json!({"body": "x", "commit_id": head, "path": path, "line": 5});
            let answer = within(LIMIT, path, alice.post(COMMENTS, body)).await;
            let answer = answer.expect(422);
            let (_, field, message) = errors(&answer).remove(0);
            assert_eq!(field, "pull_request_review_thread.line", "{path}");
            assert_eq!(message.as_deref(), Some("could not be resolved"), "{path}");
            let body =
                json!({"body": "x", "commit_id": head, "path": path, "subject_type": "file"});
            let comment = alice.post(COMMENTS, body).await.expect(201).json();
            assert_eq!(comment["diff_hunk"], "", "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn create_review_comment_201_on_a_line_of_a_long_file_with_few_changes() {
    let service = start().await;
    let head = sha(&service, "topic").await;
    for (path, line) in [("long.txt", 30_001), ("shown.txt", 1)] {
        let body = json!({"body": "x", "commit_id": head, "path": path, "line": line});
        let comment = service.as_("alice").post(COMMENTS, body).await.expect(201);
        assert_eq!(comment.json()["line"], line);
    }
}

#[tokio::test]
async fn get_pull_200_counts_only_diffs_that_are_cheap_to_compute() {
    in_own_process(async || {
        let service = start().await;
        let (anonymous, path) = (service.anonymous(), "/repos/acme/gadgets/pulls/1");
        let pull = within(LIMIT, path, anonymous.get(path)).await;
        let pull = pull.expect(200).json();
        assert_eq!(pull["changed_files"], 4);
        // All lines of the new file count; the huge file is not counted.
        assert_eq!(pull["additions"], 30_000 + 1 + 1);
        assert_eq!(pull["deletions"], 1 + 1);
    })
    .await;
}
