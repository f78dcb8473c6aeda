//! Long lists show every pull request once and in order, and know how many there are.

use forgewright::areas::pulls::store::list;
use forgewright::contract::paging::{Length, Page};
use forgewright::contract::pulls::{PullList, PullOrder, StateFilter};
use forgewright::contract::review_comments::Direction;
use forgewright::doctor::examine;
use forgewright::entities::pull::{self, PullState};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::{opened, start};
use crate::harness::Service;

const REPOSITORY: i64 = 2002;

/// More than are counted for each page of a filtered list.
const MANY: i64 = 7_000;

/// Pull requests whose times and states are in no order; one in fifty is open, and one in
/// a thousand is for another branch.
async fn many(service: &Service) {
    opened(service, "alice", "topic").await;
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

/// What a list should have, by sorting all of it.
fn expected(all: &[pull::Model], asked: &PullList) -> (Vec<i64>, usize) {
    let fits = |row: &&pull::Model| {
        let open = row.state == PullState::Open;
        let stated = match asked.state {
            StateFilter::Open => open,
            StateFilter::Closed => !open,
            StateFilter::All => true,
        };
        stated && asked.base.as_ref().is_none_or(|base| row.base_ref == *base)
    };
    let mut rows: Vec<_> = all.iter().filter(fits).collect();
    rows.sort_by_key(|row| match asked.sort {
        PullOrder::Updated => (row.updated_at, row.id),
        _ => (row.created_at, row.id),
    });
    if asked.direction == Direction::Descending {
        rows.reverse();
    }
    let skipped = usize::try_from(asked.page.skipped()).unwrap();
    let ids = rows.iter().skip(skipped).take(100).map(|row| row.id);
    (ids.collect(), rows.len())
}

async fn check(service: &Service, when: &str) {
    let on = service.app.db.reads();
    let findings = examine(on, false).await.unwrap().findings;
    let counts = findings.iter();
    let counts = counts.filter(|finding| finding.name.starts_with("listed-"));
    assert_eq!(counts.count(), 0, "{when}");
    let all = pull::Entity::find().filter(pull::Column::RepositoryId.eq(REPOSITORY));
    let all = all.all(on).await.unwrap();
    for state in [StateFilter::Open, StateFilter::Closed, StateFilter::All] {
        for sort in [PullOrder::Created, PullOrder::Updated] {
            for direction in [Direction::Ascending, Direction::Descending] {
                for base in [None, Some("main"), Some("flow")] {
                    for number in [1, 2, 30, 60, 69, 71] {
                        let asked = PullList {
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
                        let (ids, total) = expected(&all, &asked);
                        let (rows, length) = list(on, REPOSITORY, &asked, None, 0).await.unwrap();
                        let shown: Vec<i64> = rows.iter().map(|row| row.id).collect();
                        assert_eq!(shown, ids, "{when}: {asked:?}");
                        let goes_on = number as usize * 100 < total;
                        let known = match base.is_some() && total > 5_000 {
                            true => Length::Uncounted { goes_on },
                            false => Length::Counted(total as u64),
                        };
                        assert_eq!(length, known, "{when}: {asked:?}");
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn any_page_is_right_after_any_change() {
    let service = start().await;
    many(&service).await;
    check(&service, "written").await;
    for (when, sql) in [
        (
            "merged and moved",
            "UPDATE pull SET state = 'merged', closed_at = 0, merged_at = 0,
                 updated_at = updated_at - 2000000 WHERE number % 100 = 0",
        ),
        (
            "removed",
            "DELETE FROM pull WHERE number BETWEEN 3000 AND 4000",
        ),
    ] {
        service.execute(sql).await;
        check(&service, when).await;
    }
}
