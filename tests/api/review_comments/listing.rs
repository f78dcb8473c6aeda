//! Lists of comments: sort orders, pages and filters.

use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde_json::{Value, json};
use storage::entities::review_comment;

use super::{COMMENTS, comment_path, create_comment, sha, start};
use crate::harness::{Answer, Service};

const REPOSITORY_COMMENTS: &str = "/repos/acme/gadgets/pulls/comments";

fn bodies(answer: &Answer) -> Vec<String> {
    let list = answer.json();
    let items = list.as_array().unwrap().iter();
    items
        .map(|item| item["body"].as_str().unwrap().to_owned())
        .collect()
}

async fn list_bodies(service: &Service, path: &str) -> Vec<String> {
    bodies(&service.anonymous().get(path).await.expect(200))
}

/// Comments `a`, `b` and `c`, ten seconds apart; then `a` is edited.
async fn create_three(service: &Service) -> Vec<Value> {
    let mut comments = Vec::new();
    for body in ["a", "b", "c"] {
        comments.push(create_comment(service, "alice", body).await);
        service.clock.advance(10);
    }
    let path = comment_path(&comments[0]["id"]);
    service
        .as_("alice")
        .patch(&path, json!({"body": "a!"}))
        .await
        .expect(200);
    comments
}

#[tokio::test]
async fn list_pull_review_comments_200_in_every_order() {
    let service = start().await;
    create_three(&service).await;
    for list in [REPOSITORY_COMMENTS, COMMENTS] {
        for (query, expected) in [
            ("", ["a!", "b", "c"]),
            ("?direction=desc", ["a!", "b", "c"]),
            ("?sort=created", ["a!", "b", "c"]),
            ("?sort=created&direction=desc", ["c", "b", "a!"]),
            ("?sort=updated", ["b", "c", "a!"]),
            ("?sort=updated&direction=asc", ["b", "c", "a!"]),
            ("?sort=updated&direction=desc", ["a!", "c", "b"]),
            ("?sort=nonsense&direction=desc", ["a!", "b", "c"]),
        ] {
            assert_eq!(
                list_bodies(&service, &format!("{list}{query}")).await,
                expected,
                "{query}"
            );
        }
    }
    let path = format!("{REPOSITORY_COMMENTS}?sort=created_at&direction=desc");
    let by_created = list_bodies(&service, &path).await;
    assert_eq!(by_created, ["c", "b", "a!"]);
}

#[tokio::test]
async fn list_repo_review_comments_200_since_a_time() {
    let service = start().await;
    create_three(&service).await;
    // `b` was written at 09:30:10, `c` at 09:30:20, and `a` edited at 09:30:30.
    for (since, expected) in [
        ("2026-03-10T09:29:00Z", vec!["a!", "b", "c"]),
        ("2026-03-10T09:30:09Z", vec!["a!", "b", "c"]),
        ("2026-03-10T09:30:10Z", vec!["a!", "c"]),
        ("2026-03-10T09:30:20Z", vec!["a!"]),
        ("2026-03-10T09:30:30Z", vec![]),
    ] {
        for sort in ["", "&sort=created"] {
            let path = format!("{REPOSITORY_COMMENTS}?since={since}{sort}");
            assert_eq!(list_bodies(&service, &path).await, expected, "{path}");
        }
    }
    let path =
        format!("{COMMENTS}?since=2026-03-10T09:30:10Z&sort=updated&direction=desc&per_page=1");
    let answer = service.anonymous().get(&path).await.expect(200);
    assert_eq!(bodies(&answer), ["a!"]);
    assert!(
        answer
            .header("link")
            .unwrap()
            .contains("page=2>; rel=\"last\"")
    );
}

#[tokio::test]
async fn list_repo_review_comments_200_with_the_comments_of_every_pull_request() {
    let service = start().await;
    create_comment(&service, "alice", "first").await;
    let body = json!({
        "body": "second", "commit_id": sha(&service, "other").await, "path": "README.md", "line": 1,
    });
    let other = "/repos/acme/gadgets/pulls/2/comments";
    service.as_("alice").post(other, body).await.expect(201);
    assert_eq!(
        list_bodies(&service, REPOSITORY_COMMENTS).await,
        ["first", "second"]
    );
    assert_eq!(list_bodies(&service, COMMENTS).await, ["first"]);
    assert_eq!(list_bodies(&service, other).await, ["second"]);
    assert_eq!(
        list_bodies(&service, "/repos/acme/attic/pulls/comments").await,
        ["Dust"]
    );
}

#[tokio::test]
async fn list_pull_review_comments_304_when_nothing_changed() {
    let service = start().await;
    create_comment(&service, "alice", "x").await;
    for list in [REPOSITORY_COMMENTS, COMMENTS] {
        let answer = service.anonymous().get(list).await.expect(200);
        let tag = answer.header("etag").unwrap().to_owned();
        service
            .anonymous()
            .header("If-None-Match", &*tag)
            .get(list)
            .await
            .expect(304);
    }
}

#[tokio::test]
async fn list_repo_review_comments_401_403_404_and_422_without_access_or_a_valid_since() {
    let service = start().await;
    for list in ["pulls/comments", "pulls/1/comments"] {
        let widgets = format!("/repos/acme/widgets/{list}");
        service.as_("nobody").get(&widgets).await.expect(401);
        service
            .as_("alice-fine-metadata")
            .get(&widgets)
            .await
            .expect(403);
        service.as_("mallory").get(&widgets).await.expect(404);
        service.anonymous().get(&widgets).await.expect(404);
        let gadgets = format!("/repos/acme/gadgets/{list}?since=yesterday");
        service.anonymous().get(&gadgets).await.expect(422);
    }
    service
        .anonymous()
        .get("/repos/acme/gadgets/pulls/99/comments")
        .await
        .expect(404);
}

#[tokio::test]
async fn list_pull_review_comments_422_when_since_is_not_a_timestamp() {
    let service = start().await;
    let empty = "/repos/acme/gadgets/pulls/1/comments?since=";
    service.anonymous().get(empty).await.expect(200);
    let path = "/repos/acme/gadgets/pulls/1/comments?since=yesterday";
    service.anonymous().get(path).await.expect(422);
}

/// The server reads only counts for a page beyond the end.
#[tokio::test]
async fn list_pull_review_comments_200_when_an_empty_page_was_just_filled() {
    let service = start().await;
    for number in 1..4 {
        let path = format!("{COMMENTS}?per_page=1&page={number}");
        assert!(list_bodies(&service, &path).await.is_empty(), "{number}");
        // The clock stands still, so that nothing but the comment changes.
        create_comment(&service, "alice", &format!("comment {number}")).await;
        assert_eq!(list_bodies(&service, &path).await.len(), 1, "{number}");
    }
}

/// Inserts more comments than requests could create in a test, with times in no order, and
/// deletes some.
pub async fn insert_comments(service: &Service, count: i64) -> Vec<review_comment::Model> {
    let seed = create_comment(service, "alice", "seed").await;
    let id = seed["id"].as_i64().unwrap();
    let row = review_comment::Entity::find_by_id(id)
        .one(service.app.db.reads())
        .await
        .unwrap()
        .unwrap();
    let transaction = service.app.db.begin().await.unwrap();
    let rows: Vec<_> = (1..=count)
        .map(|number| {
            let mut row = row.clone().into_active_model().reset_all();
            row.id = Set(id + number * 10);
            row.body = Set(number.to_string());
            row.created_at = Set(1_000_000 + number * 7919 % 5000 * 100);
            row.updated_at = Set(2_000_000 + number * 104_729 % 3000 * 100);
            row
        })
        .collect();
    for chunk in rows.chunks(400) {
        let rows = review_comment::Entity::insert_many(chunk.to_vec());
        rows.exec_without_returning(&*transaction).await.unwrap();
    }
    let number = format!("(id - {id}) / 10");
    let deleted = format!("id > {id} AND ({number} % 10 = 3 OR {number} BETWEEN 2000 AND 3499)");
    let edited = format!("id > {id} AND {number} % 50 = 7");
    for sql in [
        format!("DELETE FROM review_comment WHERE {deleted}"),
        format!("UPDATE review_comment SET updated_at = 3000000 + id - {id} WHERE {edited}"),
    ] {
        transaction.execute_unprepared(&sql).await.unwrap();
    }
    transaction.commit().await.unwrap();
    review_comment::Entity::find()
        .all(service.app.db.reads())
        .await
        .unwrap()
}

/// The sort key of a list, before the id.
type Key = fn(&review_comment::Model) -> i64;

/// The query and the key of each sort order.
const SORTS: [(&str, Key); 3] = [
    ("", |_| 0),
    ("&sort=created", |row| row.created_at),
    ("&sort=updated", |row| row.updated_at),
];

#[tokio::test]
async fn list_pull_review_comments_200_with_any_page_of_a_long_list() {
    let service = start().await;
    let mut rows = insert_comments(&service, 9000).await;
    rows.retain(|row| row.repository_id == 2002);
    let total = rows.len();
    assert!(total > 6000);
    for (sort, key) in SORTS {
        rows.sort_by_key(|row| (key(row), row.id));
        for direction in ["asc", "desc"] {
            let mut expected: Vec<&str> = rows.iter().map(|row| row.body.as_str()).collect();
            if direction == "desc" && !sort.is_empty() {
                expected.reverse();
            }
            for list in [REPOSITORY_COMMENTS, COMMENTS] {
                let pages = total.div_ceil(100);
                for page in [1, 2, 9, 33, pages - 1, pages, pages + 1] {
                    let path =
                        format!("{list}?per_page=100&page={page}{sort}&direction={direction}");
                    let answer = service.anonymous().get(&path).await.expect(200);
                    let from = ((page - 1) * 100).min(total);
                    let to = (page * 100).min(total);
                    assert_eq!(bodies(&answer), expected[from..to], "{path}");
                    let link = answer.header("link").unwrap();
                    if page < pages {
                        let last = format!("direction={direction}&page={pages}>; rel=\"last\"");
                        assert!(link.contains(&last), "{path}: {link}");
                    }
                }
            }
        }
    }
    check_since(&service, &mut rows).await;
}

async fn check_since(service: &Service, rows: &mut [review_comment::Model]) {
    // 1970-01-25T21:13:20Z is 2,150,000.
    let since = "1970-01-25T21:13:20Z";
    for (sort, key) in SORTS {
        rows.sort_by_key(|row| (key(row), row.id));
        let expected: Vec<&str> = rows
            .iter()
            .filter(|row| row.updated_at > 2_150_000)
            .map(|row| row.body.as_str())
            .collect();
        for page in [1, 17] {
            let path = format!("{COMMENTS}?since={since}{sort}&per_page=100&page={page}");
            let answer = service.anonymous().get(&path).await.expect(200);
            let expected_page = &expected[(page - 1) * 100..page * 100];
            assert_eq!(bodies(&answer), expected_page, "{path}");
            let last = format!("page={}>; rel=\"last\"", expected.len().div_ceil(100));
            assert!(answer.header("link").unwrap().contains(&last), "{path}");
        }
    }
}
