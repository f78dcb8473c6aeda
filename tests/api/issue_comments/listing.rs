//! Lists of comments: of one conversation, and of a repository.

use forgewright::comments::pages::{Scope, list};
use forgewright::contract::paging::Page;
use forgewright::contract::review_comments::{CommentList, Direction, SortKey};
use forgewright::contract::values::Timestamp;
use forgewright::entities::issue_comment;
use serde_json::{Value, json};

use super::{GADGETS, ON_ISSUE, ON_PULL, comment_path, commented, start};
use crate::harness::explaining::Explaining;
use crate::harness::{START, Service};

const ALL: &str = "/repos/acme/gadgets/issues/comments";

async fn texts(service: &Service, path: &str) -> Vec<String> {
    let listed = service.anonymous().get(path).await.expect(200).json();
    let listed = listed.as_array().unwrap().iter();
    let text = |comment: &Value| comment["body"].as_str().unwrap().to_owned();
    listed.map(text).collect()
}

/// Four comments in turn on the issue and the pull request, a second apart; the first was
/// edited last.
async fn conversation() -> Service {
    let service = start().await;
    let first = commented(&service, "alice", ON_ISSUE, "a").await;
    for (path, text) in [(ON_PULL, "b"), (ON_ISSUE, "c"), (ON_PULL, "d")] {
        service.clock.advance(1);
        commented(&service, "bob-classic", path, text).await;
    }
    service.clock.advance(1);
    let edited = json!({"body": "A"});
    let alice = service.as_("alice");
    alice.patch(&comment_path(&first), edited).await.expect(200);
    service
}

#[tokio::test]
async fn list_issue_comments_200_in_the_order_of_ids() {
    let service = conversation().await;
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
    let service = conversation().await;
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
        let path = format!("{ALL}{query}");
        assert_eq!(texts(&service, &path).await, expected, "{path}");
    }
    let one = service.anonymous().get(ALL).await.expect(200).json();
    let of = |index: usize| one[index]["issue_url"].as_str().unwrap().to_owned();
    assert!(of(0).ends_with("/issues/2") && of(1).ends_with("/issues/1"));
}

#[tokio::test]
async fn list_issue_comments_404_when_there_is_no_such_issue() {
    let service = start().await;
    let absent = format!("{GADGETS}/99/comments");
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
async fn list_issue_comments_410_when_the_repository_has_no_issues() {
    let service = start().await;
    service
        .execute("UPDATE repository SET has_issues = FALSE WHERE id = 2002")
        .await;
    service.anonymous().get(ON_ISSUE).await.expect(410);
    service.anonymous().get(ON_PULL).await.expect(200);
}

#[tokio::test]
async fn list_issue_comments_422_when_since_is_no_time() {
    let service = start().await;
    let path = format!("{ON_ISSUE}?since=yesterday");
    service.anonymous().get(&path).await.expect(422);
}

#[tokio::test]
async fn list_repo_issue_comments_422_when_since_is_no_time() {
    let service = start().await;
    let path = format!("{ALL}?since=yesterday");
    service.anonymous().get(&path).await.expect(422);
}

/// So many comments on the issue, made and updated at various times.
async fn many(service: &Service, count: u64) {
    commented(service, "alice", ON_ISSUE, "x").await;
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

/// By what a list is sorted.
fn key(row: &issue_comment::Model, sort: Option<SortKey>) -> (i64, i64) {
    match sort {
        None => (row.id, row.id),
        Some(SortKey::Created) => (row.created_at, row.id),
        Some(SortKey::Updated) => (row.updated_at, row.id),
    }
}

/// A long list has the same pages from whichever end they are walked to, and each is found in
/// an index.
#[tokio::test]
async fn every_page_of_a_long_list_is_a_slice_of_an_index() {
    let service = start().await;
    many(&service, 3000).await;
    let issue = format!("{GADGETS}/2");
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
                let asked = CommentList {
                    sort,
                    direction: Some(direction),
                    since: since.map(Timestamp),
                    page: Page {
                        number: 1,
                        per_page: 100,
                    },
                };
                let seen = walked(&service, scope, asked, total).await;
                let mut sorted = seen.clone();
                sorted.sort_unstable();
                if sort.is_some() && direction == Direction::Descending {
                    sorted.reverse();
                }
                assert_eq!(seen.len() as u64, total);
                assert_eq!(seen, sorted, "{scope:?} {asked:?}");
            }
        }
    }
}

/// What is sorted by in each comment of all pages.
async fn walked(
    service: &Service,
    scope: Scope,
    mut asked: CommentList,
    total: u64,
) -> Vec<(i64, i64)> {
    let on = service.app.db.begin().await.unwrap();
    let few = total < 100 && asked.sort != Some(SortKey::Updated);
    let mut seen = Vec::new();
    for number in 1..=31 {
        asked.page.number = number;
        let explaining = Explaining::new(&on, "issue_comment");
        let listed = list::<issue_comment::Entity>(&explaining, scope, asked)
            .await
            .unwrap();
        assert_eq!(listed.total, total, "{asked:?}");
        seen.extend(listed.comments.iter().map(|row| key(row, asked.sort)));
        for way in explaining.ways() {
            let by_index = way.contains("USING COVERING INDEX") || way.contains("PRIMARY KEY");
            let comments = way.contains(" issue_comment ");
            assert!(few || !comments || by_index, "{asked:?}: {way}");
            assert!(few || !way.contains("TEMP B-TREE"), "{asked:?}: {way}");
        }
    }
    on.rollback().await.unwrap();
    seen
}

/// An answer that was given before is not given once a comment was made, changed or deleted.
#[tokio::test]
async fn no_list_is_stale() {
    let service = start().await;
    assert!(texts(&service, ON_ISSUE).await.is_empty());
    assert!(texts(&service, ALL).await.is_empty());
    let comment = commented(&service, "alice", ON_ISSUE, "One").await;
    let path = comment_path(&comment);
    for list in [ON_ISSUE, ALL] {
        assert_eq!(texts(&service, list).await, ["One"]);
    }
    let alice = service.as_("alice");
    alice.patch(&path, json!({"body": "Two"})).await.expect(200);
    for list in [ON_ISSUE, ALL] {
        assert_eq!(texts(&service, list).await, ["Two"]);
    }
    alice.delete(&path).await.expect(204);
    for list in [ON_ISSUE, ALL] {
        assert!(texts(&service, list).await.is_empty());
    }
}
