//! Limits on new comments: how many, and how often the same text.

use forge::app::Settings;
use sea_orm::{ConnectionTrait, DbBackend};
use serde_json::{Value, json};
use storage::limits::LimitedContent;
use storage::limits::content::{ContentBudget, ContentLimits};

use super::{COMMENTS, WORLD, errors, sha, start};
use crate::harness::{Answer, Service};

const ALICE: i64 = 1001;

async fn limited(budget: ContentBudget) -> Service {
    let settings = Settings {
        content: Some(budget),
        ..Settings::default()
    };
    Service::with(WORLD, settings).await
}

async fn post_comment(service: &Service, token: &str, head: &str, text: &str) -> Answer {
    let body = json!({"body": text, "commit_id": head, "path": "README.md", "line": 2});
    service.as_(token).post(COMMENTS, body).await
}

#[tokio::test]
async fn create_review_comment_403_when_the_secondary_rate_limit_is_exceeded() {
    let budget = ContentBudget {
        minute: 2,
        hour: 3,
        ..ContentBudget::default()
    };
    let service = limited(budget).await;
    let head = sha(&service, "topic").await;
    let first: Value = post_comment(&service, "alice", &head, "1")
        .await
        .expect(201)
        .json();
    service.clock.advance(10);
    let reply = format!("{COMMENTS}/{}/replies", first["id"]);
    service
        .as_("alice")
        .post(&reply, json!({"body": "2"}))
        .await
        .expect(201);
    post_comment(&service, "alice", "nonsense", "3")
        .await
        .expect(422);
    let answer = post_comment(&service, "alice", &head, "3")
        .await
        .expect(403);
    assert_eq!(
        answer.message(),
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    );
    assert_eq!(answer.header("retry-after"), Some("50"));
    let url = answer.json()["documentation_url"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(url.ends_with("#about-secondary-rate-limits"), "{url}");
    post_comment(&service, "bob-classic", &head, "3")
        .await
        .expect(201);
    service.clock.advance(50);
    post_comment(&service, "alice", &head, "3")
        .await
        .expect(201);
    service.clock.advance(60);
    let answer = service
        .as_("alice")
        .post(&reply, json!({"body": "4"}))
        .await
        .expect(403);
    assert_eq!(answer.header("retry-after"), Some("3480"));
}

#[tokio::test]
async fn create_review_comment_422_when_the_same_text_is_repeated_too_often() {
    let service = limited(ContentBudget::default()).await;
    let head = sha(&service, "topic").await;
    for _ in 0..3 {
        post_comment(&service, "alice", &head, "+1")
            .await
            .expect(201);
    }
    let answer = post_comment(&service, "alice", &head, "+1")
        .await
        .expect(422);
    assert_eq!(
        errors(&answer),
        [(
            "unprocessable".to_owned(),
            "body".to_owned(),
            Some("was submitted too quickly".to_owned())
        )]
    );
    post_comment(&service, "alice", &head, "+2")
        .await
        .expect(201);
    post_comment(&service, "bob-classic", &head, "+1")
        .await
        .expect(201);
    service.clock.advance(60);
    post_comment(&service, "alice", &head, "+1")
        .await
        .expect(201);
}

#[tokio::test]
async fn create_review_comment_201_for_one_text_in_many_places() {
    let budget = ContentBudget {
        repetitions: 1,
        ..ContentBudget::default()
    };
    let service = limited(budget).await;
    let head = sha(&service, "topic").await;
    let places = [
        json!({"path": "README.md", "line": 2}),
        json!({"path": "README.md", "subject_type": "file"}),
        json!({"path": "src/lib.rs", "line": 2}),
        json!({"path": "src/lib.rs", "line": 2, "side": "LEFT"}),
        json!({"path": "src/lib.rs", "line": 3}),
        json!({"path": "src/lib.rs", "line": 4, "start_line": 3, "start_side": "RIGHT"}),
        json!({"path": "src/lib.rs", "line": 4}),
    ];
    let mut roots = Vec::new();
    for status in [201, 422] {
        for place in &places {
            let mut body = place.clone();
            body["body"] = json!("Missing docstring");
            body["commit_id"] = json!(head);
            let answer = service.as_("alice").post(COMMENTS, body).await;
            roots.push(answer.expect(status).json()["id"].clone());
        }
    }
    for status in [201, 422] {
        for root in &roots[..2] {
            let reply = json!({"body": "Missing docstring", "in_reply_to": root});
            let answer = service.as_("alice").post(COMMENTS, reply).await;
            answer.expect(status);
        }
    }
}

#[tokio::test]
async fn create_review_comment_201_for_repeated_texts_without_limits() {
    let service = start().await;
    let head = sha(&service, "topic").await;
    for _ in 0..5 {
        post_comment(&service, "alice", &head, "+1")
            .await
            .expect(201);
    }
}

/// The `Retry-After` of a process that has counted nothing itself; `None` if it admits alice.
async fn retry_after_elsewhere(
    service: &Service,
    kind: LimitedContent,
    [minute, hour]: [usize; 2],
) -> Option<u64> {
    let limits = ContentLimits::new(Some(ContentBudget {
        minute,
        hour,
        ..ContentBudget::default()
    }));
    let (now, reads) = (service.app.clock.now(), service.app.db.reads());
    let stored = limits.stored(reads, kind, ALICE, now).await.unwrap();
    let admitted = limits.admit(ALICE, stored, now);
    admitted.err().and_then(|problem| problem.retry_after())
}

#[tokio::test]
async fn create_review_comment_403_when_other_processes_have_filled_the_window() {
    let service = start().await;
    let head = sha(&service, "topic").await;
    post_comment(&service, "alice", &head, "1")
        .await
        .expect(201);
    service.clock.advance(10);
    let conversation = "/repos/acme/gadgets/issues/1/comments";
    let alice = service.as_("alice");
    let comment = alice.post(conversation, json!({"body": "2"})).await;
    comment.expect(201);
    service.clock.advance(10);
    // Processes that share a database share its content; on SQLite there is only one.
    let shared = service.app.db.reads().get_database_backend() == DbBackend::Postgres;
    let huge = usize::MAX;
    for (seconds, limits, expected) in [
        (0, [2, huge], Some(40)),
        (0, [huge, 2], Some(3580)),
        (0, [3, 3], None),
        (-15, [1, huge], Some(55)),
        (0, [2, 2], None),
    ] {
        service.clock.advance(seconds);
        let comments = LimitedContent::Comments;
        let found = retry_after_elsewhere(&service, comments, limits).await;
        assert_eq!(found, expected.filter(|_| shared), "{limits:?}");
    }
}
