//! Long lists show every issue once and in order, and know how many there are, whatever was done
//! to the issues and by whom; and no page of them takes more than a part of the list.

use forgewright::areas::issues::store::list;
use forgewright::contract::issues::{IssueList, IssueOrder};
use forgewright::contract::paging::{Length, Page};
use forgewright::contract::pulls::StateFilter;
use forgewright::contract::review_comments::Direction;
use forgewright::contract::values::Timestamp;
use forgewright::doctor::examine;
use forgewright::entities::issue::{self, IssueState};
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, QueryFilter};

use super::{opened, start, titled};
use crate::harness::Service;
use crate::harness::explaining::Explaining;

const REPOSITORY: i64 = 2002;

/// More than are counted for each page of a filtered list.
const MANY: i64 = 12_000;

/// The moment after which a tenth was updated.
const SINCE: i64 = 1_000_000 + 9 * 50_000;

/// Issues whose times, comments and states are in no order. Every third has the label `bug`, and
/// all but a few have `old`; one in a hundred is assigned to bob, and carol opened a few.
async fn many(service: &Service) {
    for label in ["bug", "old"] {
        let mut body = titled(label);
        body["labels"] = serde_json::json!([label]);
        opened(service, "alice", body).await;
    }
    let labeled = |name: &str, fits: &str| {
        format!(
            "INSERT INTO issue_label (issue_id, label_id)
             SELECT issue.id, label.id FROM issue CROSS JOIN label
             WHERE issue.repository_id = {REPOSITORY} AND number > 100
                 AND label.repository_id = {REPOSITORY} AND label.name = '{name}' AND {fits}"
        )
    };
    for sql in [
        format!(
            "WITH RECURSIVE n (i) AS (SELECT 101 UNION ALL SELECT i + 1 FROM n WHERE i < {MANY})
             INSERT INTO issue (repository_id, number, title, author_id, state, comments,
                 created_at, updated_at, closed_at)
             SELECT {REPOSITORY}, i, 'x', CASE WHEN i % 500 = 0 THEN 1003 ELSE 1001 END,
                 CASE WHEN i % 40 = 0 THEN 'open' ELSE 'closed' END, 0,
                 i * 7919 % 5000 * 40, 1000000 + i * 31 % 500 * 1000,
                 CASE WHEN i % 40 = 0 THEN NULL ELSE 0 END
             FROM n"
        ),
        labeled("bug", "number % 3 = 0"),
        labeled("old", "number % 1000 <> 0"),
        format!(
            "INSERT INTO issue_assignee (issue_id, user_id) SELECT id, 1002 FROM issue
             WHERE repository_id = {REPOSITORY} AND number > 100 AND number % 100 = 1"
        ),
    ] {
        service.execute(&sql).await;
    }
}

fn asked(state: StateFilter, sort: IssueOrder, direction: Direction, number: u64) -> IssueList {
    IssueList {
        state,
        assignee: None,
        creator: None,
        labels: None,
        sort,
        direction,
        since: None,
        page: Page {
            number,
            per_page: 100,
        },
    }
}

const STATES: [StateFilter; 3] = [StateFilter::Open, StateFilter::Closed, StateFilter::All];
const ORDERS: [IssueOrder; 3] = [
    IssueOrder::Created,
    IssueOrder::Updated,
    IssueOrder::Comments,
];

/// Every combination of state, order, direction and page.
fn combinations() -> impl Iterator<Item = IssueList> {
    let pages = [1, 2, 30, 60, 90, 119, 121, u64::MAX];
    let directions = [Direction::Ascending, Direction::Descending];
    let lists = STATES.into_iter().flat_map(move |state| {
        ORDERS
            .into_iter()
            .flat_map(move |sort| directions.map(move |direction| (state, sort, direction)))
    });
    lists.flat_map(move |(state, sort, direction)| {
        pages.map(move |number| asked(state, sort, direction, number))
    })
}

async fn everything(on: &impl ConnectionTrait) -> Vec<issue::Model> {
    let all = issue::Entity::find().filter(issue::Column::RepositoryId.eq(REPOSITORY));
    all.all(on).await.unwrap()
}

/// What a list should have, by sorting all of it, of those that fit.
fn expected(
    all: &[issue::Model],
    asked: &IssueList,
    fits: impl Fn(&issue::Model) -> bool,
) -> (Vec<i64>, usize) {
    let stated = |row: &&issue::Model| match asked.state {
        StateFilter::Open => row.state == IssueState::Open,
        StateFilter::Closed => row.state == IssueState::Closed,
        StateFilter::All => true,
    };
    let recent = |row: &&issue::Model| asked.since.is_none_or(|since| row.updated_at >= since.0);
    let rows = all.iter().filter(stated).filter(recent);
    let mut rows: Vec<_> = rows.filter(|row| fits(row)).collect();
    rows.sort_by_key(|row| match asked.sort {
        IssueOrder::Created => (row.created_at, row.id),
        IssueOrder::Updated => (row.updated_at, row.id),
        IssueOrder::Comments => (row.comments, row.id),
    });
    if asked.direction == Direction::Descending {
        rows.reverse();
    }
    let skipped = usize::try_from(asked.page.skipped()).unwrap_or(usize::MAX);
    let ids = rows.iter().skip(skipped).take(100).map(|row| row.id);
    (ids.collect(), rows.len())
}

/// Asks the doctor, and for pages of every list.
async fn check(service: &Service, when: &str) {
    let on = service.app.db.reads();
    let findings = examine(on, false).await.unwrap().findings;
    let counts = findings
        .iter()
        .filter(|finding| finding.name.starts_with("listed-"));
    assert_eq!(counts.count(), 0, "{when}");
    let all = everything(on).await;
    for mut asked in combinations() {
        for since in [None, Some(SINCE)] {
            asked.since = since.map(Timestamp);
            let (ids, total) = expected(&all, &asked, |_| true);
            let (rows, length) = list(on, REPOSITORY, &asked).await.unwrap();
            let shown: Vec<i64> = rows.iter().map(|row| row.id).collect();
            assert_eq!(length, Length::Counted(total as u64), "{when}: {asked:?}");
            assert_eq!(shown, ids, "{when}: {asked:?}");
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
            "closed and moved",
            "UPDATE issue SET state = 'closed', closed_at = 0, updated_at = updated_at - 2000000 WHERE number % 80 = 0",
        ),
        (
            "removed",
            "DELETE FROM issue WHERE number BETWEEN 4000 AND 9000",
        ),
        (
            "made earlier",
            "UPDATE issue SET created_at = created_at - 100000000 WHERE number % 7 = 1",
        ),
    ] {
        service.execute(sql).await;
        check(&service, when).await;
    }
}

/// Filters by their names, and which issues fit.
type Case = (fn(&mut IssueList), fn(&issue::Model) -> bool);

const CASES: [Case; 8] = [
    (
        |asked| asked.labels = some("bug"),
        |row| row.number % 3 == 0,
    ),
    (
        |asked| asked.labels = some("old"),
        |row| row.number % 1000 != 0,
    ),
    (
        |asked| asked.labels = some("bug,old"),
        |row| row.number % 3 == 0 && row.number % 1000 != 0,
    ),
    (
        |asked| asked.creator = some("carol"),
        |row| row.number % 500 == 0,
    ),
    (
        |asked| asked.creator = some("alice"),
        |row| row.number % 500 != 0,
    ),
    (
        |asked| asked.assignee = some("bob"),
        |row| row.number % 100 == 1,
    ),
    (
        |asked| asked.assignee = some("none"),
        |row| row.number % 100 != 1,
    ),
    (
        |asked| asked.assignee = some("*"),
        |row| row.number % 100 == 1,
    ),
];

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[tokio::test]
async fn filtered_lists_are_counted_unless_they_are_long() {
    let service = start().await;
    many(&service).await;
    let on = service.app.db.reads();
    service
        .execute("DELETE FROM issue WHERE number <= 100")
        .await;
    let all = everything(on).await;
    let mut uncounted = 0;
    for (filter, fits) in CASES {
        for mut asked in combinations() {
            filter(&mut asked);
            let (ids, total) = expected(&all, &asked, fits);
            let (rows, length) = list(on, REPOSITORY, &asked).await.unwrap();
            let shown: Vec<i64> = rows.iter().map(|row| row.id).collect();
            assert_eq!(shown, ids, "{asked:?}");
            let end = (asked.page.number as usize).saturating_mul(100);
            let known = match total > 5_000 {
                true => Length::Uncounted {
                    goes_on: end < total,
                },
                false => Length::Counted(total as u64),
            };
            assert_eq!(length, known, "{asked:?}");
            uncounted += usize::from(total > 5_000);
        }
    }
    assert!(uncounted > 0);
}

/// SQLite tells how it finds rows; PostgreSQL is told not to read whole tables, which it would
/// because they are small, and tells how many it looked at.
#[tokio::test]
async fn a_page_takes_a_part_of_the_list() {
    let service = start().await;
    many(&service).await;
    let on = service.app.db.begin().await.unwrap();
    if on.get_database_backend() == DbBackend::Postgres {
        let prepare = "ANALYZE issue, issue_count, issue_label, issue_assignee;
                       SET LOCAL enable_seqscan = off; SET LOCAL jit = off";
        on.execute_unprepared(prepare).await.unwrap();
    }
    for asked in combinations() {
        let explaining = Explaining::new(&on, "issue");
        list(&explaining, REPOSITORY, &asked).await.unwrap();
        // A bucket, and the rows of the page. Nothing helps to find a page in the middle of
        // those that are sorted by their comments.
        if asked.sort != IssueOrder::Comments {
            let rows = explaining.rows();
            assert!(rows <= 4_000, "{asked:?}: {rows} rows");
        }
        let rare = asked.state == StateFilter::Open && asked.sort != IssueOrder::Created;
        for way in explaining.ways() {
            let by_index = way.contains("USING COVERING INDEX") || way.contains("PRIMARY KEY");
            let issues = way.contains(" issue ");
            assert!(!issues || by_index || rare, "{asked:?}: {way}");
            let sorts = way.contains("TEMP B-TREE") && asked.state != StateFilter::All;
            assert!(!sorts || rare, "{asked:?}: {way}");
        }
    }
    on.rollback().await.unwrap();
}
