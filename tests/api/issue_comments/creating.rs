//! New comments, on issues and on pull requests.

use forge::app::Settings;
use poem::http::Method;
use serde_json::{Value, json};
use storage::limits::content::ContentBudget;

use super::{ISSUES, ON_ISSUE, ON_PULL, comment_path, create_comment, start, start_with};
use crate::harness::{Answer, Service};

fn errors(answer: &Answer) -> Value {
    assert_eq!(answer.message(), "Validation Failed", "{}", answer.text);
    answer.json()["errors"].clone()
}

/// Locks the issue that `start` creates.
async fn lock(service: &Service) {
    let path = format!("{ISSUES}/2/lock");
    let body = Some(json!({}).to_string());
    let locked = service.as_("alice").send(Method::PUT, &path, body).await;
    locked.expect(204);
}

#[tokio::test]
async fn create_issue_comment_201_on_an_issue() {
    let service = start().await;
    let body = json!({"body": "Only when **cold**"});
    let answer = service
        .as_("mallory")
        .post(ON_ISSUE, body)
        .await
        .expect(201);
    let comment = answer.json();
    let url = comment["url"].as_str().unwrap();
    assert_eq!(answer.header("location"), Some(url));
    assert!(url.ends_with(&comment_path(&comment)), "{url}");
    let page = format!("/acme/gadgets/issues/2#issuecomment-{}", comment["id"]);
    assert!(comment["html_url"].as_str().unwrap().ends_with(&page));
    let issue = comment["issue_url"].as_str().unwrap();
    assert!(issue.ends_with("/repos/acme/gadgets/issues/2"), "{issue}");
    assert!(comment["node_id"].as_str().unwrap().starts_with("IC_"));
    assert_eq!(comment["user"]["login"], "mallory");
    assert_eq!(comment["author_association"], "NONE");
    assert_eq!(comment["body"], "Only when **cold**");
    assert_eq!(comment["created_at"], "2026-03-10T09:30:00Z");
    assert_eq!(comment["performed_via_github_app"], Value::Null);
    assert_eq!(comment["reactions"]["total_count"], 0);
    let found = service.anonymous().get(&comment_path(&comment)).await;
    assert_eq!(found.expect(200).json(), comment);
}

#[tokio::test]
async fn create_issue_comment_201_on_a_pull_request() {
    let service = start().await;
    let comment = create_comment(&service, "bob-classic", ON_PULL, "Nice").await;
    let page = format!("/acme/gadgets/pull/1#issuecomment-{}", comment["id"]);
    assert!(comment["html_url"].as_str().unwrap().ends_with(&page));
    assert_eq!(comment["author_association"], "MEMBER");
    let pull = "/repos/acme/gadgets/pulls/1";
    let pull = service.anonymous().get(pull).await.expect(200).json();
    assert_eq!(pull["comments"], 1);
}

/// A comment updates the comment count and the `updated_at` of its issue.
#[tokio::test]
async fn create_issue_comment_201_updates_the_issue() {
    for number in [1, 2] {
        let service = start().await;
        let path = format!("{ISSUES}/{number}");
        let before = service.anonymous().get(&path).await.expect(200).json();
        assert_eq!(before["comments"], 0);
        service.clock.advance(5);
        create_comment(&service, "alice", &format!("{path}/comments"), "One").await;
        let after = service.anonymous().get(&path).await.expect(200).json();
        assert_eq!(after["comments"], 1);
        assert_eq!(after["updated_at"], "2026-03-10T09:30:05Z");
    }
}

#[tokio::test]
async fn create_issue_comment_403_when_the_conversation_is_locked() {
    let service = start().await;
    lock(&service).await;
    let body = || json!({"body": "Still here"});
    let answer = service.as_("mallory").post(ON_ISSUE, body()).await;
    let message = "Unable to create comment because issue is locked.";
    assert_eq!(answer.expect(403).message(), message);
    service
        .as_("bob-classic")
        .post(ON_ISSUE, body())
        .await
        .expect(403);
    service
        .as_("carol")
        .post(ON_ISSUE, body())
        .await
        .expect(201);
}

#[tokio::test]
async fn create_issue_comment_403_when_the_repository_is_archived() {
    let service = start().await;
    let path = "/repos/acme/attic/issues/1/comments";
    let answer = service
        .as_("alice")
        .post(path, json!({"body": "Dust"}))
        .await;
    answer.expect(403);
}

#[tokio::test]
async fn create_issue_comment_404_when_the_issue_is_absent_or_hidden() {
    let service = start().await;
    let body = || json!({"body": "Hello"});
    let mallory = service.as_("mallory");
    for path in [
        format!("{ISSUES}/99/comments"),
        "/repos/acme/widgets/issues/1/comments".to_owned(),
    ] {
        mallory.post(&path, body()).await.expect(404);
    }
    service.anonymous().post(ON_ISSUE, body()).await.expect(401);
}

#[tokio::test]
async fn create_issue_comment_410_when_issues_are_disabled() {
    let service = start().await;
    service
        .execute("UPDATE repository SET has_issues = FALSE WHERE id = 2002")
        .await;
    let body = || json!({"body": "Hello"});
    let answer = service
        .as_("alice")
        .post(ON_ISSUE, body())
        .await
        .expect(410);
    assert_eq!(answer.message(), "Issues are disabled for this repo");
    service.as_("alice").post(ON_PULL, body()).await.expect(201);
}

#[tokio::test]
async fn create_issue_comment_422_when_the_body_is_blank_or_too_long() {
    let service = start().await;
    let alice = service.as_("alice");
    for (body, message) in [
        (" \n".to_owned(), "Body cannot be blank"),
        (
            "x".repeat(262_145),
            "Body is too long (maximum is 65536 characters)",
        ),
    ] {
        let answer = alice
            .post(ON_ISSUE, json!({"body": body}))
            .await
            .expect(422);
        let expected = json!([{
            "resource": "IssueComment", "code": "unprocessable", "field": "data",
            "message": message,
        }]);
        assert_eq!(errors(&answer), expected);
    }
    alice.post(ON_ISSUE, json!({})).await.expect(422);
    let longest = json!({"body": "x".repeat(262_144)});
    alice.post(ON_ISSUE, longest).await.expect(201);
}

#[tokio::test]
async fn create_issue_comment_422_when_the_same_text_is_repeated_too_often() {
    let service = start_with(Settings {
        content: Some(ContentBudget::default()),
        ..Settings::default()
    })
    .await;
    for _ in 0..3 {
        create_comment(&service, "alice", ON_ISSUE, "Me too").await;
    }
    let alice = service.as_("alice");
    let again = alice.post(ON_ISSUE, json!({"body": "Me too"})).await;
    let errors = errors(&again.expect(422));
    assert_eq!(errors[0]["message"], "was submitted too quickly");
    create_comment(&service, "alice", ON_PULL, "Me too").await;
    service.clock.advance(61);
    create_comment(&service, "alice", ON_ISSUE, "Me too").await;
}

/// Comments on issues and on pull requests share the limit.
#[tokio::test]
async fn create_issue_comment_403_when_the_secondary_rate_limit_is_exceeded() {
    let service = start_with(Settings {
        content: Some(ContentBudget {
            minute: 4,
            ..ContentBudget::default()
        }),
        ..Settings::default()
    })
    .await;
    for (path, text) in [
        (ON_ISSUE, "1"),
        (ON_PULL, "2"),
        (ON_ISSUE, "3"),
        (ON_PULL, "4"),
    ] {
        create_comment(&service, "mallory", path, text).await;
    }
    let mallory = service.as_("mallory");
    let answer = mallory.post(ON_ISSUE, json!({"body": "5"})).await;
    assert!(answer.expect(403).header("retry-after").is_some());
    service.clock.advance(61);
    create_comment(&service, "mallory", ON_ISSUE, "5").await;
}
