//! Long lists: after any change, every page has the right pull requests in order, and the
//! right total.

use contract::paging::{Length, Page};
use contract::pulls::{PullList, PullOrder};
use contract::review_comments::Direction;
use contract::shared::state::StateFilter;
use forge::pulls::rows::list;
use forgewright::doctor::examine;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use storage::entities::pull::{self, PullState};

use super::{create_pull, start};
use crate::harness::Service;

const REPOSITORY: i64 = 2002;

/// More pull requests than the server counts in a filtered list.
const MANY: i64 = 7_000;

/// Inserts pull requests whose times and states are in no order; one in fifty is open, and
/// one in a thousand has another base.
async fn insert_pulls(service: &Service) {
    create_pull(service, "alice", "topic").await;
    let sql = format!(
        "WITH RECURSIVE n (i) AS (SELECT 101 UNION ALL SELECT i + 1 FROM n WHERE i < {MANY})
         INSERT INTO pull (repository_id, number, title, author_id, base_ref, base_sha, head_ref,
             head_sha, state, created_at, updated_at, closed_at, merged_at)
         SELECT repository_id, i, title, author_id,
             CASE WHEN i % 1000 = 0 THEN 'flow' ELSE base_ref END, base_sha, head_ref, head_sha,
             CASE WHEN i % 50 = 0 THEN 'open' WHEN i % 3 = 0 THEN 'merged' ELSE 'closed' END,
             i * 7919 % 5000 * 40, 1000000 + i * 31 % 500 * 1000,
             CASE WHEN i % 50 = 0 THEN NULL ELSE 0 END,
             CASE WHEN i % 50 <> 0 AND i % 3 = 0 THEN 0 END
         FROM pull CROSS JOIN n WHERE number < 100"
    );
    service.execute(&sql).await;
}

/// The ids of the requested page, and the length of the list, computed from all rows.
fn expected(all: &[pull::Model], request: &PullList) -> (Vec<i64>, usize) {
    let matches = |row: &&pull::Model| {
        let open = row.state == PullState::Open;
        let in_state = match request.state {
            StateFilter::Open => open,
            StateFilter::Closed => !open,
            StateFilter::All => true,
        };
        in_state
            && request
                .base
                .as_ref()
                .is_none_or(|base| row.base_ref == *base)
    };
    let mut rows: Vec<_> = all.iter().filter(matches).collect();
    rows.sort_by_key(|row| match request.sort {
        PullOrder::Updated => (row.updated_at, row.id),
        _ => (row.created_at, row.id),
    });
    if request.direction == Direction::Descending {
        rows.reverse();
    }
    let skipped = usize::try_from(request.page.skipped()).unwrap();
    let ids = rows.iter().skip(skipped).take(100).map(|row| row.id);
    (ids.collect(), rows.len())
}

async fn check(service: &Service, when: &str) {
    let connection = service.app.db.reads();
    let findings = examine(connection, false).await.unwrap().findings;
    let counts = findings.iter();
    let counts = counts.filter(|finding| finding.name.starts_with("listed-"));
    assert_eq!(counts.count(), 0, "{when}");
    let all = pull::Entity::find().filter(pull::Column::RepositoryId.eq(REPOSITORY));
    let all = all.all(connection).await.unwrap();
    for state in [StateFilter::Open, StateFilter::Closed, StateFilter::All] {
        for sort in [PullOrder::Created, PullOrder::Updated] {
            for direction in [Direction::Ascending, Direction::Descending] {
                for base in [None, Some("main"), Some("flow")] {
                    for number in [1, 2, 30, 60, 69, 71] {
                        let request = PullList {
                            state,
                            head: None,
                            base: base.map(str::to_owned),
                            sort,
                            direction,
                            page: Page {
                                number,
                                per_page: 100,
                            },
                        };
                        let (ids, total) = expected(&all, &request);
                        let (rows, length) = list(connection, REPOSITORY, &request, None, 0)
                            .await
                            .unwrap();
                        let listed: Vec<i64> = rows.iter().map(|row| row.id).collect();
                        assert_eq!(listed, ids, "{when}: {request:?}");
                        let goes_on = number as usize * 100 < total;
                        let expected_length = match base.is_some() && total > 5_000 {
                            true => Length::Uncounted { goes_on },
                            false => Length::Counted(total as u64),
                        };
                        assert_eq!(length, expected_length, "{when}: {request:?}");
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn every_page_is_correct_after_every_change() {
    let service = start().await;
    insert_pulls(&service).await;
    check(&service, "inserted").await;
    for (when, sql) in [
        (
            "merged and updated earlier",
            "UPDATE pull SET state = 'merged', closed_at = 0, merged_at = 0,
                 updated_at = updated_at - 2000000 WHERE number % 100 = 0",
        ),
        (
            "deleted",
            "DELETE FROM pull WHERE number BETWEEN 3000 AND 4000",
        ),
    ] {
        service.execute(sql).await;
        check(&service, when).await;
    }
}
