//! The cost of a page of a long list: which indexes are used, and on PostgreSQL how
//! many rows are read.

use forgewright::comments::pages::{Scope, list};
use forgewright::contract::paging::Page;
use forgewright::contract::review_comments::{CommentList, Direction, SortKey};
use forgewright::contract::values::Timestamp;
use forgewright::entities::review_comment;
use sea_orm::{ConnectionTrait, DbBackend};

use super::listing::many;
use super::start;
use crate::harness::explaining::Explaining;

/// The walk to a page of the list that `many` makes: what is near, or a bucket of
/// fewer comments; the ids and the rows of the page; and for `since` a bucket that is
/// counted.
const MOST_ROWS: u64 = 1000 + 2 * 100 + 500;

/// Half of the comments were updated since the first, and few since the second.
const SINCE: [i64; 2] = [2_150_000, 2_900_000];

fn asked(sort: Option<SortKey>, falling: bool, since: Option<i64>, number: u64) -> CommentList {
    CommentList {
        sort,
        direction: falling.then_some(Direction::Descending),
        since: since.map(Timestamp),
        page: Page {
            per_page: 100,
            number,
        },
    }
}

#[tokio::test]
async fn any_page_of_a_long_list_costs_as_little_as_the_first() {
    let service = start().await;
    let rows = many(&service, 9000).await;
    let comment = rows.iter().find(|row| row.repository_id == 2002).unwrap();
    let scopes = [Scope::Repository(2002), Scope::Subject(comment.pull_id)];
    let on = service.app.db.begin().await.unwrap();
    if on.get_database_backend() == DbBackend::Postgres {
        // So few comments would be read whole; what counts is how many are.
        // What is forbidden is dear, and what is dear would be compiled first.
        let prepare = "ANALYZE review_comment, comment_count;
                       SET LOCAL enable_seqscan = off; SET LOCAL jit = off";
        on.execute_unprepared(prepare).await.unwrap();
    }
    for scope in scopes {
        for sort in [None, Some(SortKey::Created), Some(SortKey::Updated)] {
            for (since, page) in [
                (None, 1),
                (None, 17),
                (Some(SINCE[0]), 1),
                (Some(SINCE[0]), 17),
                (Some(SINCE[1]), 1),
            ] {
                for falling in [false, true] {
                    let asked = asked(sort, falling, since, page);
                    let explaining = Explaining::new(&on, "review_comment");
                    let listed = list::<review_comment::Entity>(&explaining, scope, asked)
                        .await
                        .unwrap();
                    assert_eq!(listed.comments.len(), 100);
                    let filtered = since.is_some() && sort != Some(SortKey::Updated);
                    let few = filtered && since == Some(SINCE[1]);
                    check(&explaining, filtered, few, &format!("{scope:?} {asked:?}"));
                }
            }
        }
    }
}

/// `filtered`: comments updated since a moment, in another order, are picked out of
/// the sorted list, or sorted if they are few.
fn check(explaining: &Explaining<'_>, filtered: bool, few: bool, what: &str) {
    let rows = explaining.rows();
    assert!(filtered || rows <= MOST_ROWS, "{what}: {rows} rows");
    let ways = explaining.ways();
    for way in &ways {
        let by_index = way.contains("USING COVERING INDEX") || way.contains("PRIMARY KEY");
        let comments = way.contains(" review_comment ");
        assert!(!comments || by_index, "{what}: {way}");
        assert!(few || !way.contains("TEMP B-TREE"), "{what}: {way}");
    }
    let by_update = |way: &String| way.contains("_updated (") && way.contains("updated_at>");
    assert!(
        !few || ways.is_empty() || ways.iter().any(by_update),
        "{what}: {ways:?}"
    );
}
