//! Long lists: after any change, every page has the right comments in order, and the right
//! total. SQL inserts the comments, because so many requests would take too long.

use contract::paging::Page;
use contract::review_comments::{CommentList, Direction, SortKey};
use forge::comments::pages::{Scope, list};
use forgewright::doctor::examine;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};
use storage::entities::list_length;
use storage::entities::review_comment::{self, Column};

use super::{create_comment, start};
use crate::harness::Service;
use storage::database::Connection;

/// Enough for pages that are read from either end.
const MANY: i64 = 13_000;

async fn run(service: &Service, sql: &str) {
    let transaction = service.app.db.begin().await.unwrap();
    transaction.execute_unprepared(sql).await.unwrap();
    transaction.commit().await.unwrap();
}

/// Inserts copies of a comment, with times in no order.
async fn insert_copies(service: &Service, id: i64, shift: i64, count: i64) {
    let columns = "repository_id, pull_id, review_id, author_id, path, diff_hunk, subject_type, \
                   commit_sha, original_commit_sha, side, line, original_line, position, \
                   original_position, body, body_html, body_text";
    let sql = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count})
         INSERT INTO review_comment (id, created_at, updated_at, {columns})
         SELECT {id} + {shift} + i, {shift} + i * 7919 % 5000 * 40, {shift} - i * 10, {columns}
         FROM n CROSS JOIN review_comment WHERE id = {id}"
    );
    run(service, &sql).await;
}

fn list_request(sort: Option<SortKey>, direction: Option<Direction>, number: u64) -> CommentList {
    let per_page = 100;
    CommentList {
        sort,
        direction,
        since: None,
        page: Page { per_page, number },
    }
}

async fn sorted_ids(connection: &Connection, pull: i64, key: Column) -> Vec<i64> {
    review_comment::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::PullId.eq(pull))
        .order_by_asc(key)
        .order_by_asc(Column::Id)
        .into_tuple()
        .all(connection)
        .await
        .unwrap()
}

/// Runs `doctor`, and compares pages of each list in both directions.
async fn check(connection: &Connection, pull: i64, when: &str) {
    let mut findings = examine(connection, false).await.unwrap().findings;
    // The ids were set explicitly.
    findings.retain(|finding| finding.name != "next-ids");
    assert_eq!(findings, [], "{when}");
    let total = review_comment::Entity::find()
        .filter(Column::PullId.eq(pull))
        .count(connection)
        .await
        .unwrap();
    for (sort, key) in [
        (None, Column::Id),
        (Some(SortKey::Created), Column::CreatedAt),
        (Some(SortKey::Updated), Column::UpdatedAt),
    ] {
        let ids = sorted_ids(connection, pull, key).await;
        for (number, descending) in [(1, false), (90, false), (170, false), (2, true), (80, true)] {
            let descending = descending && sort.is_some();
            let direction = descending.then_some(Direction::Descending);
            let request = list_request(sort, direction, number);
            let listed = list::<review_comment::Entity>(connection, Scope::Subject(pull), request)
                .await
                .unwrap();
            assert_eq!(listed.total, total, "{when}");
            let listed_ids: Vec<i64> = listed.comments.iter().map(|row| row.id).collect();
            let mut expected = ids.clone();
            if descending {
                expected.reverse();
            }
            let expected = expected.into_iter().skip((number as usize - 1) * 100);
            let expected: Vec<i64> = expected.take(100).collect();
            assert_eq!(listed_ids, expected, "{when}: {request:?}");
        }
    }
}

async fn stored_length(connection: &Connection, pull: i64) -> Option<i64> {
    let row = list_length::Entity::find()
        .filter(list_length::Column::List.eq("review_comment.pull_id"))
        .filter(list_length::Column::OwnerId.eq(pull))
        .one(connection)
        .await;
    row.unwrap().map(|row| row.length)
}

#[tokio::test]
async fn every_page_is_correct_after_every_change() {
    let service = start().await;
    let seed = create_comment(&service, "alice", "seed").await["id"]
        .as_i64()
        .unwrap();
    let connection = service.app.db.reads();
    let row = review_comment::Entity::find_by_id(seed)
        .one(connection)
        .await;
    let pull = row.unwrap().unwrap().pull_id;
    let delete = async |from: i64, to: i64| {
        let ids = format!("id - {seed} >= {from} AND id - {seed} < {to}");
        run(&service, &format!("DELETE FROM review_comment WHERE {ids}")).await;
    };
    insert_copies(&service, seed, 1_000_000, MANY).await;
    assert_eq!(stored_length(connection, pull).await, Some(MANY));
    check(connection, pull, "inserted").await;
    delete(1_003_000, 1_008_000).await;
    check(connection, pull, "deleted in the middle").await;
    let update = "UPDATE review_comment
         SET updated_at = 2000000 + id % 100, created_at = created_at - 2000000
         WHERE id % 7 = 3";
    run(&service, update).await;
    check(connection, pull, "updated, also to before 1970").await;
    delete(1_000_001, 1_002_500).await;
    check(connection, pull, "deleted at the beginning").await;
    delete(1_011_000, 1_000_000 + MANY).await;
    check(connection, pull, "deleted at the end").await;
    insert_copies(&service, seed, 500_000, 600).await;
    check(connection, pull, "inserted before the others").await;
    delete(0, 1_011_000).await;
    check(connection, pull, "all deleted").await;
    assert_eq!(stored_length(connection, pull).await, None);
}

/// No request does this, but an administrator might.
#[tokio::test]
async fn totals_are_correct_when_comments_change_or_lose_their_pull_request() {
    let service = start().await;
    let seed = create_comment(&service, "alice", "seed").await["id"]
        .as_i64()
        .unwrap();
    insert_copies(&service, seed, 1_000_000, 100).await;
    let connection = service.app.db.reads();
    let row = review_comment::Entity::find_by_id(seed)
        .one(connection)
        .await;
    let pull = row.unwrap().unwrap().pull_id;
    let total = async |pull: i64| {
        let request = list_request(None, None, 1);
        list::<review_comment::Entity>(connection, Scope::Subject(pull), request)
            .await
            .unwrap()
            .total
    };
    assert_eq!(total(pull).await, 100);
    let other = format!("SELECT MAX(id) FROM pull WHERE id <> {pull}");
    let to_other =
        format!("UPDATE review_comment SET pull_id = ({other}) WHERE id <= {seed} + 1000010");
    run(&service, &to_other).await;
    assert_eq!(total(pull).await, 89);
    run(&service, &format!("DELETE FROM pull WHERE id = {pull}")).await;
    assert_eq!(total(pull).await, 0);
    let report = examine(connection, false).await.unwrap();
    let is_count_finding = |name: &&str| *name == "comment-counts-match";
    let names = report.findings.iter().map(|finding| finding.name.as_str());
    assert_eq!(names.filter(is_count_finding).count(), 0);
}

#[tokio::test]
async fn list_pull_review_comments_200_limits_the_size_of_a_page() {
    let service = start().await;
    let comment = create_comment(&service, "alice", "long").await;
    let id = comment["id"].as_i64().unwrap();
    let html = "x".repeat(400_000);
    let sql = format!("UPDATE review_comment SET body_html = '{html}' WHERE id = {id}");
    run(&service, &sql).await;
    insert_copies(&service, id, 1_000_000, 61).await;
    let reader = service
        .as_("alice")
        .header("Accept", "application/vnd.github.html+json");
    let page = reader
        .get(&format!("{}?per_page=100", super::COMMENTS))
        .await;
    let page = page.expect(200);
    assert!(page.text.len() < 18 << 20, "{} bytes", page.text.len());
    let page = page.json();
    let lengths = page.as_array().unwrap().iter();
    let lengths: Vec<_> = lengths
        .map(|comment| comment["body_html"].as_str().unwrap().len())
        .collect();
    assert_eq!(lengths.len(), 61);
    assert_eq!(lengths[0], 400_000);
    let last = &page[60];
    let message = "This page is too large to show every comment rendered.";
    assert_eq!(last["body_html"], message);
    // On its own, the comment is rendered.
    let path = super::comment_path(&last["id"]);
    let alone = reader.get(&path).await.expect(200).json();
    assert_eq!(alone["body_html"].as_str().unwrap().len(), 400_000);
}
