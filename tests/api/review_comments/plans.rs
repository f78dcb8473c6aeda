//! The cost of a page of a long list: which indexes are used, and on PostgreSQL how
//! many rows are read.

use std::sync::Arc;

use contract::paging::Page;
use contract::review_comments::{CommentList, Direction, SortKey};
use contract::values::Timestamp;
use forge::comments::pages::{Scope, list};
use sea_orm::{ConnectionTrait, DbBackend};
use storage::entities::review_comment;

use super::listing::insert_comments;
use super::start;
use crate::harness::explaining::Explaining;

/// Half of the comments were updated after the first time, and few after the second.
const SINCE: [i64; 2] = [2_150_000, 2_900_000];

fn list_request(
    sort: Option<SortKey>,
    descending: bool,
    since: Option<i64>,
    number: u64,
) -> CommentList {
    CommentList {
        sort,
        direction: descending.then_some(Direction::Descending),
        since: since.map(Timestamp),
        page: Page {
            per_page: 100,
            number,
        },
    }
}

#[tokio::test]
async fn every_page_of_a_long_list_is_read_from_the_nearer_end_of_an_index() {
    let service = start().await;
    let rows = insert_comments(&service, 9000).await;
    let comment = rows.iter().find(|row| row.repository_id == 2002).unwrap();
    let scopes = [Scope::Repository(2002), Scope::Subject(comment.pull_id)];
    let transaction = Arc::new(service.app.db.begin().await.unwrap());
    if transaction.get_database_backend() == DbBackend::Postgres {
        // The table is so small that PostgreSQL would scan it. Turning scans off raises the
        // estimated costs, which would start JIT compilation.
        let prepare = "ANALYZE review_comment, list_length;
                       SET LOCAL enable_seqscan = off; SET LOCAL jit = off";
        transaction.execute_unprepared(prepare).await.unwrap();
    }
    for scope in scopes {
        for sort in [None, Some(SortKey::Created), Some(SortKey::Updated)] {
            for (since, page) in [
                (None, 1),
                (None, 17),
                (None, 60),
                (Some(SINCE[0]), 1),
                (Some(SINCE[0]), 17),
                (Some(SINCE[1]), 1),
            ] {
                for descending in [false, true] {
                    let request = list_request(sort, descending, since, page);
                    let explaining = Explaining::new(&transaction, "review_comment");
                    let listed = list::<review_comment::Entity>(&explaining, scope, request)
                        .await
                        .unwrap();
                    assert_eq!(listed.comments.len(), 100);
                    let filtered = since.is_some() && sort != Some(SortKey::Updated);
                    let few = filtered && since == Some(SINCE[1]);
                    let request = format!("{scope:?} {request:?}");
                    // Those that are counted (PostgreSQL may filter an index of all), those on
                    // the way from the nearer end, and those of the page, by their ids and by
                    // their rows.
                    let counted = since.map_or(0, |_| rows.len() as u64);
                    let (read, most) = (explaining.rows(), counted + listed.total / 2 + 2 * 100);
                    assert!(filtered || read <= most, "{request}: {read} rows");
                    check(&explaining.ways(), few, &request);
                }
            }
        }
    }
}

/// `few`: the comments since a time are sorted, instead of picked out of the sorted list.
fn check(steps: &[String], few: bool, request: &str) {
    for step in steps {
        let by_index = step.contains("USING COVERING INDEX") || step.contains("PRIMARY KEY");
        let reads_comments = step.contains(" review_comment ");
        assert!(!reads_comments || by_index, "{request}: {step}");
        assert!(few || !step.contains("TEMP B-TREE"), "{request}: {step}");
    }
    let by_update = |step: &String| step.contains("_updated (") && step.contains("updated_at>");
    assert!(
        !few || steps.is_empty() || steps.iter().any(by_update),
        "{request}: {steps:?}"
    );
}
