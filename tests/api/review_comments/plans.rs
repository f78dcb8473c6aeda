//! What a page of a long list costs: which indexes find it, and on PostgreSQL how
//! many rows are looked at. No clock is asked.

use forgewright::areas::review_comments::pages::{Scope, list};
use forgewright::contract::paging::Page;
use forgewright::contract::review_comments::{CommentList, Direction, SortKey};
use forgewright::contract::values::Timestamp;
use sea_orm::{ConnectionTrait, DbBackend};

use super::listing::many;
use super::start;
use crate::harness::explaining::Explaining;

/// A stretch is read to its end at most, or what is near is walked over, and a page
/// beyond; and a stretch is counted.
const MOST_ROWS: u64 = 1000 + 512 + 100;

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
async fn any_page_of_a_long_list_is_found_by_an_index_and_few_rows() {
    let service = start().await;
    let rows = many(&service, 9000).await;
    let comment = rows.iter().find(|row| row.repository_id == 2002).unwrap();
    let scopes = [Scope::Repository(2002), Scope::Pull(comment.pull_id)];
    let on = service.app.db.begin().await.unwrap();
    if on.get_database_backend() == DbBackend::Postgres {
        // So few comments would be read whole; what counts is how many are.
        // What is forbidden is dear, and what is dear would be compiled first.
        let prepare = "ANALYZE review_comment, comment_block;
                       SET LOCAL enable_seqscan = off; SET LOCAL jit = off";
        on.execute_unprepared(prepare).await.unwrap();
    }
    for scope in scopes {
        for sort in [None, Some(SortKey::Created), Some(SortKey::Updated)] {
            for since in [None, Some(2_001_500)] {
                for (falling, page) in [(false, 1), (true, 1), (false, 17), (true, 17)] {
                    let asked = asked(sort, falling, since, page);
                    // Stretches are few, and are added up.
                    let explaining = Explaining::new(&on, "review_comment");
                    let listed = list(&explaining, scope, asked).await.unwrap();
                    assert_eq!(listed.comments.len(), 100);
                    let sorted = since.is_some() && sort != Some(SortKey::Updated);
                    check(&explaining, sorted, &format!("{scope:?} {asked:?}"));
                }
            }
        }
    }
}

/// `sorted`: the comments since a moment, in another order, are all looked at, in
/// the index that holds what they are ordered by.
fn check(explaining: &Explaining<'_>, sorted: bool, what: &str) {
    let rows = explaining.rows();
    assert!(sorted || rows <= MOST_ROWS, "{what}: {rows} rows");
    let ways = explaining.ways();
    for way in &ways {
        assert!(!way.starts_with("SCAN review_comment"), "{what}: {way}");
        assert!(sorted || !way.contains("TEMP B-TREE"), "{what}: {way}");
    }
    if sorted && !ways.is_empty() {
        let covering = |way: &String| way.contains("COVERING INDEX") && way.contains("updated");
        assert!(ways.iter().any(covering), "{what}: {ways:?}");
    }
}
