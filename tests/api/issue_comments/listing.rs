//! Lists of comments: of one conversation, and of a repository.

use std::sync::Arc;

use contract::paging::Page;
use contract::review_comments::{CommentList, Direction, SortKey};
use contract::values::Timestamp;
use forge::comments::pages::{Scope, list};
use serde_json::{Value, json};
use storage::entities::issue_comment;

use super::{ISSUES, ON_ISSUE, ON_PULL, comment_path, create_comment, start};
use crate::harness::explaining::Explaining;
use crate::harness::{START, Service};

const REPOSITORY_COMMENTS: &str = "/repos/acme/gadgets/issues/comments";

async fn texts(service: &Service, path: &str) -> Vec<String> {
    let listed = service.anonymous().get(path).await.expect(200).json();
    let listed = listed.as_array().unwrap().iter();
    let text = |comment: &Value| comment["body"].as_str().unwrap().to_owned();
    listed.map(text).collect()
}

/// A service with four comments, alternately on the issue and the pull request, a second
/// apart. The first one was edited last.
async fn with_four_comments() -> Service {
    let service = start().await;
    let first = create_comment(&service, "alice", ON_ISSUE, "a").await;
    for (path, text) in [(ON_PULL, "b"), (ON_ISSUE, "c"), (ON_PULL, "d")] {
        service.clock.advance(1);
        create_comment(&service, "bob-classic", path, text).await;
    }
    service.clock.advance(1);
    let edited = json!({"body": "A"});
    let alice = service.as_("alice");
    alice.patch(&comment_path(&first), edited).await.expect(200);
    service
}

#[tokio::test]
async fn list_issue_comments_200_in_the_order_of_ids() {
    let service = with_four_comments().await;
    for (path, expected) in [
        (ON_ISSUE.to_owned(), vec!["A", "c"]),
        (ON_PULL.to_owned(), vec!["b", "d"]),
        (format!("{ON_ISSUE}?since=2026-03-10T09:30:02Z"), vec!["A"]),
        (format!("{ON_ISSUE}?since=2026-03-10T09:30:04Z"), vec![]),
        (
            format!("{ON_ISSUE}?sort=updated&direction=desc"),
            vec!["A", "c"],
        ),
        (format!("{ON_ISSUE}?per_page=1&page=2"), vec!["c"]),
        (format!("{ON_ISSUE}?per_page=1&page=3"), vec![]),
    ] {
        assert_eq!(texts(&service, &path).await, expected, "{path}");
    }
    let path = format!("{ON_ISSUE}?per_page=1");
    let answer = service.anonymous().get(&path).await.expect(200);
    let link = answer.header("link").unwrap();
    assert!(link.contains(r#"page=2>; rel="next""#), "{link}");
    assert!(link.contains(r#"page=2>; rel="last""#), "{link}");
}

#[tokio::test]
async fn list_repo_issue_comments_200_in_each_order() {
    let service = with_four_comments().await;
    for (query, expected) in [
        ("", vec!["A", "b", "c", "d"]),
        ("?direction=desc", vec!["A", "b", "c", "d"]),
        ("?sort=created&direction=desc", vec!["d", "c", "b", "A"]),
        ("?sort=updated", vec!["b", "c", "d", "A"]),
        ("?sort=updated&direction=desc", vec!["A", "d", "c", "b"]),
        ("?sort=nonsense&direction=desc", vec!["A", "b", "c", "d"]),
        ("?since=2026-03-10T09:30:02Z", vec!["A", "d"]),
        ("?since=2026-03-10T09:30:02Z&sort=updated", vec!["d", "A"]),
        (
            "?since=2026-03-10T09:30:02Z&sort=updated&direction=desc&per_page=1&page=2",
            vec!["d"],
        ),
        ("?per_page=3&page=2", vec!["d"]),
    ] {
        let path = format!("{REPOSITORY_COMMENTS}{query}");
        assert_eq!(texts(&service, &path).await, expected, "{path}");
    }
    let answer = service.anonymous().get(REPOSITORY_COMMENTS).await;
    let comments = answer.expect(200).json();
    let issue_url = |index: usize| comments[index]["issue_url"].as_str().unwrap().to_owned();
    assert!(issue_url(0).ends_with("/issues/2") && issue_url(1).ends_with("/issues/1"));
}

#[tokio::test]
async fn list_issue_comments_404_when_the_issue_is_absent_or_hidden() {
    let service = start().await;
    let absent = format!("{ISSUES}/99/comments");
    service.anonymous().get(&absent).await.expect(404);
    let hidden = "/repos/acme/widgets/issues/1/comments";
    service.as_("mallory").get(hidden).await.expect(404);
}

#[tokio::test]
async fn list_repo_issue_comments_404_when_the_repository_is_hidden() {
    let service = start().await;
    let hidden = "/repos/acme/widgets/issues/comments";
    service.as_("mallory").get(hidden).await.expect(404);
}

#[tokio::test]
async fn list_issue_comments_410_when_issues_are_disabled() {
    let service = start().await;
    service
        .execute("UPDATE repository SET has_issues = FALSE WHERE id = 2002")
        .await;
    service.anonymous().get(ON_ISSUE).await.expect(410);
    service.anonymous().get(ON_PULL).await.expect(200);
}

#[tokio::test]
async fn list_issue_comments_422_when_since_is_not_a_timestamp() {
    let service = start().await;
    let path = format!("{ON_ISSUE}?since=yesterday");
    service.anonymous().get(&path).await.expect(422);
}

#[tokio::test]
async fn list_repo_issue_comments_422_when_since_is_not_a_timestamp() {
    let service = start().await;
    let path = format!("{REPOSITORY_COMMENTS}?since=yesterday");
    service.anonymous().get(&path).await.expect(422);
}

/// Inserts comments on the issue, created and updated at various times.
async fn insert_comments(service: &Service, count: u64) {
    create_comment(service, "alice", ON_ISSUE, "x").await;
    let more = count - 1;
    service
        .execute(&format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {more})
             INSERT INTO issue_comment (repository_id, issue_id, author_id, body, body_html,
                 body_text, created_at, updated_at)
             SELECT repository_id, issue_id, author_id, body, body_html, body_text,
                 created_at + i % 7, created_at + i % 100 FROM issue_comment, n"
        ))
        .await;
}

/// The value that a list is sorted by, and the id.
fn sort_key(row: &issue_comment::Model, sort: Option<SortKey>) -> (i64, i64) {
    match sort {
        None => (row.id, row.id),
        Some(SortKey::Created) => (row.created_at, row.id),
        Some(SortKey::Updated) => (row.updated_at, row.id),
    }
}

/// Every page is correct, from whichever end of the list the server counts to it, and is
/// read from an index.
#[tokio::test]
async fn every_page_of_a_long_list_is_read_from_an_index() {
    let service = start().await;
    insert_comments(&service, 3000).await;
    let issue = format!("{ISSUES}/2");
    let issue = service.anonymous().get(&issue).await.expect(200).json();
    assert_eq!(issue["comments"], 3000);
    let issue = Scope::Subject(issue["id"].as_i64().unwrap());
    let repository = Scope::Repository(2002);
    let start = Timestamp::parse(START).unwrap().0;
    for (scope, sort) in [
        (issue, None),
        (repository, None),
        (repository, Some(SortKey::Created)),
        (repository, Some(SortKey::Updated)),
    ] {
        for direction in [Direction::Ascending, Direction::Descending] {
            for (since, total) in [
                (None, 3000),
                (Some(start + 49), 1500),
                (Some(start + 97), 60),
            ] {
                let request = CommentList {
                    sort,
                    direction: Some(direction),
                    since: since.map(Timestamp),
                    page: Page {
                        number: 1,
                        per_page: 100,
                    },
                };
                let keys = sort_keys_of_all_pages(&service, scope, request, total).await;
                let mut sorted = keys.clone();
                sorted.sort_unstable();
                if sort.is_some() && direction == Direction::Descending {
                    sorted.reverse();
                }
                assert_eq!(keys.len() as u64, total);
                assert_eq!(keys, sorted, "{scope:?} {request:?}");
            }
        }
    }
}

/// The sort keys of the comments of all pages.
async fn sort_keys_of_all_pages(
    service: &Service,
    scope: Scope,
    mut request: CommentList,
    total: u64,
) -> Vec<(i64, i64)> {
    let transaction = Arc::new(service.app.db.begin().await.unwrap());
    let may_sort = total < 100 && request.sort != Some(SortKey::Updated);
    let mut keys = Vec::new();
    for number in 1..=31 {
        request.page.number = number;
        let explaining = Explaining::new(&transaction, "issue_comment");
        let listed = list::<issue_comment::Entity>(&explaining, scope, request)
            .await
            .unwrap();
        assert_eq!(listed.total, total, "{request:?}");
        keys.extend(
            listed
                .comments
                .iter()
                .map(|row| sort_key(row, request.sort)),
        );
        for step in explaining.ways() {
            let by_index = step.contains("USING COVERING INDEX") || step.contains("PRIMARY KEY");
            let reads_comments = step.contains(" issue_comment ");
            assert!(
                may_sort || !reads_comments || by_index,
                "{request:?}: {step}"
            );
            assert!(
                may_sort || !step.contains("TEMP B-TREE"),
                "{request:?}: {step}"
            );
        }
    }
    keys
}

/// A cached list is not served after a comment was created, updated or deleted.
#[tokio::test]
async fn no_list_is_stale() {
    let service = start().await;
    assert!(texts(&service, ON_ISSUE).await.is_empty());
    assert!(texts(&service, REPOSITORY_COMMENTS).await.is_empty());
    let comment = create_comment(&service, "alice", ON_ISSUE, "One").await;
    let path = comment_path(&comment);
    for list in [ON_ISSUE, REPOSITORY_COMMENTS] {
        assert_eq!(texts(&service, list).await, ["One"]);
    }
    let alice = service.as_("alice");
    alice.patch(&path, json!({"body": "Two"})).await.expect(200);
    for list in [ON_ISSUE, REPOSITORY_COMMENTS] {
        assert_eq!(texts(&service, list).await, ["Two"]);
    }
    alice.delete(&path).await.expect(204);
    for list in [ON_ISSUE, REPOSITORY_COMMENTS] {
        assert!(texts(&service, list).await.is_empty());
    }
}
