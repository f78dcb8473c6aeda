//! What is counted of a list of comments stays right, whatever is done to them:
//! stretches and sections are split and become empty, in the middle and at both
//! ends. No request could write as many.

use std::ops::Range;

use forgewright::areas::review_comments::pages::{Scope, list};
use forgewright::contract::paging::Page;
use forgewright::contract::review_comments::{CommentList, Direction, SortKey};
use forgewright::doctor::examine;
use forgewright::entities::comment_block::{self, Level};
use forgewright::entities::review_comment::{self, Column};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};

use super::{commented, start};
use crate::harness::Service;

/// More than one section holds.
const MANY: i64 = 13_000;

/// Comments of one transaction: PostgreSQL keeps every version of a number until
/// the end of the transaction that changes it.
const AT_ONCE: i64 = 250;

/// Runs a statement for the numbers between FROM and TO, some at a time.
async fn in_parts(service: &Service, sql: &str, numbers: Range<i64>) {
    for from in numbers.clone().step_by(AT_ONCE as usize) {
        let to = (from + AT_ONCE).min(numbers.end);
        let sql = sql.replace("FROM_", &from.to_string());
        let sql = sql.replace("TO_", &to.to_string());
        let on = service.app.db.begin().await.unwrap();
        on.execute_unprepared(&sql).await.unwrap();
        on.commit().await.unwrap();
    }
}

/// Writes comments like the one with an id, whose times are in no order.
async fn copies(service: &Service, id: i64, shift: i64, count: i64) {
    let columns = "repository_id, pull_id, review_id, author_id, path, diff_hunk, subject_type, \
                   commit_sha, original_commit_sha, side, line, original_line, position, \
                   original_position, body, body_html, body_text";
    let sql = format!(
        "WITH RECURSIVE n (i) AS (SELECT FROM_ UNION ALL SELECT i + 1 FROM n WHERE i + 1 < TO_)
         INSERT INTO review_comment (id, created_at, updated_at, {columns})
         SELECT {id} + {shift} + i, {shift} + i * 7919 % 5000, {shift} - i, {columns}
         FROM n CROSS JOIN review_comment WHERE id = {id}"
    );
    in_parts(service, &sql, 1..count).await;
}

async fn blocks(on: &impl ConnectionTrait, level: Level) -> u64 {
    let rows = comment_block::Entity::find().filter(comment_block::Column::Level.eq(level));
    rows.count(on).await.unwrap()
}

/// Asks the doctor, and for a page of each list in both directions.
async fn check(on: &impl ConnectionTrait, pull: i64, when: &str) {
    let mut findings = examine(on, false).await.unwrap().findings;
    // The ids were given by hand.
    findings.retain(|finding| finding.name != "next-ids");
    assert_eq!(findings, [], "{when}");
    let total = review_comment::Entity::find()
        .filter(Column::PullId.eq(pull))
        .count(on)
        .await
        .unwrap();
    for (sort, key) in [
        (None, Column::Id),
        (Some(SortKey::Created), Column::CreatedAt),
        (Some(SortKey::Updated), Column::UpdatedAt),
    ] {
        let ids: Vec<i64> = review_comment::Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::PullId.eq(pull))
            .order_by_asc(key)
            .order_by_asc(Column::Id)
            .into_tuple()
            .all(on)
            .await
            .unwrap();
        for (number, falling) in [(1, false), (90, false), (170, false), (2, true), (80, true)] {
            let falling = falling && sort.is_some();
            let page = Page {
                per_page: 100,
                number,
            };
            let asked = CommentList {
                sort,
                direction: falling.then_some(Direction::Descending),
                since: None,
                page,
            };
            let listed = list(on, Scope::Pull(pull), asked).await.unwrap();
            assert_eq!(listed.total, total, "{when}");
            let shown: Vec<i64> = listed.comments.iter().map(|row| row.id).collect();
            let mut expected = ids.clone();
            if falling {
                expected.reverse();
            }
            let expected = expected.into_iter().skip((number as usize - 1) * 100);
            let expected: Vec<i64> = expected.take(100).collect();
            assert_eq!(shown, expected, "{when}: {asked:?}");
        }
    }
}

#[tokio::test]
async fn comments_are_counted_whatever_is_done_to_them() {
    let service = start().await;
    let seed = commented(&service, "alice", "seed").await["id"]
        .as_i64()
        .unwrap();
    let on = service.app.db.reads();
    let row = review_comment::Entity::find_by_id(seed).one(on).await;
    let pull = row.unwrap().unwrap().pull_id;
    let before = blocks(on, Level::Section).await;
    copies(&service, seed, 1_000_000, MANY).await;
    assert!(blocks(on, Level::Section).await >= before + 6);
    check(on, pull, "written").await;
    let all = blocks(on, Level::Stretch).await;
    let (removed, moved) = (
        format!("DELETE FROM review_comment WHERE id - {seed} >= FROM_ AND id - {seed} < TO_"),
        format!(
            "UPDATE review_comment
             SET updated_at = 2000000 + id % 100, created_at = created_at - 900000
             WHERE id % 7 = 3 AND id - {seed} >= FROM_ AND id - {seed} < TO_"
        ),
    );
    in_parts(&service, &removed, 1_003_000..1_008_000).await;
    check(on, pull, "removed in the middle").await;
    in_parts(&service, &moved, 1_000_001..1_000_000 + MANY).await;
    check(on, pull, "moved").await;
    in_parts(&service, &removed, 1_000_001..1_002_500).await;
    check(on, pull, "removed at the beginning").await;
    in_parts(&service, &removed, 1_011_000..1_000_000 + MANY).await;
    check(on, pull, "removed at the end").await;
    assert!(blocks(on, Level::Stretch).await < all);
    copies(&service, seed, 500_000, 600).await;
    check(on, pull, "written before the others").await;
    in_parts(&service, &removed, 0..1).await;
    in_parts(&service, &removed, 500_001..500_600).await;
    in_parts(&service, &removed, 1_002_500..1_011_000).await;
    check(on, pull, "all removed").await;
    let gone = format!("DELETE FROM pull WHERE id = {pull}");
    in_parts(&service, &gone, 0..1).await;
    let left = comment_block::Entity::find()
        .filter(comment_block::Column::List.eq(comment_block::List::PullById))
        .filter(comment_block::Column::OwnerId.eq(pull));
    assert_eq!(left.count(on).await.unwrap(), 0);
}
