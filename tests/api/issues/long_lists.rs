//! Long lists: after any change, every page has the right issues in order and the right
//! total, and no page reads more than a part of the list.

use std::sync::Arc;

use contract::issues::{IssueList, IssueOrder};
use contract::paging::{Length, Page};
use contract::review_comments::Direction;
use contract::shared::state::StateFilter;
use contract::values::Timestamp;
use forge::issues::rows::list;
use forgewright::doctor::examine;
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, QueryFilter};
use storage::entities::issue::{self, IssueState};

use super::{open_issue, start, titled};
use crate::harness::Service;
use crate::harness::explaining::Explaining;
use storage::database::Connection;

const REPOSITORY: i64 = 2002;

/// More issues than the server counts in a filtered list.
const MANY: i64 = 12_000;

/// A tenth of the issues was updated after this time.
const SINCE: i64 = 1_000_000 + 9 * 50_000;

/// Inserts issues with times and states in no order. Every third has the label `bug`, and
/// all but a few have `old`; one in a hundred is assigned to bob, and carol opened a few.
async fn insert_issues(service: &Service) {
    for label in ["bug", "old"] {
        let mut body = titled(label);
        body["labels"] = serde_json::json!([label]);
        open_issue(service, "alice", body).await;
    }
    let labeled = |name: &str, condition: &str| {
        format!(
            "INSERT INTO issue_label (issue_id, label_id)
             SELECT issue.id, label.id FROM issue CROSS JOIN label
             WHERE issue.repository_id = {REPOSITORY} AND number > 100
                 AND label.repository_id = {REPOSITORY} AND label.name = '{name}' AND {condition}"
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

fn list_request(
    state: StateFilter,
    sort: IssueOrder,
    direction: Direction,
    number: u64,
) -> IssueList {
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
        pages.map(move |number| list_request(state, sort, direction, number))
    })
}

async fn all_issues(connection: &Connection) -> Vec<issue::Model> {
    let all = issue::Entity::find().filter(issue::Column::RepositoryId.eq(REPOSITORY));
    all.all(connection).await.unwrap()
}

/// The ids of the requested page, and the length of the list, computed from all issues.
fn expected(
    all: &[issue::Model],
    request: &IssueList,
    matches: impl Fn(&issue::Model) -> bool,
) -> (Vec<i64>, usize) {
    let in_state = |row: &&issue::Model| match request.state {
        StateFilter::Open => row.state == IssueState::Open,
        StateFilter::Closed => row.state == IssueState::Closed,
        StateFilter::All => true,
    };
    let recent = |row: &&issue::Model| request.since.is_none_or(|since| row.updated_at >= since.0);
    let rows = all.iter().filter(in_state).filter(recent);
    let mut rows: Vec<_> = rows.filter(|row| matches(row)).collect();
    rows.sort_by_key(|row| match request.sort {
        IssueOrder::Created => (row.created_at, row.id),
        IssueOrder::Updated => (row.updated_at, row.id),
        IssueOrder::Comments => (row.comments, row.id),
    });
    if request.direction == Direction::Descending {
        rows.reverse();
    }
    let skipped = usize::try_from(request.page.skipped()).unwrap_or(usize::MAX);
    let ids = rows.iter().skip(skipped).take(100).map(|row| row.id);
    (ids.collect(), rows.len())
}

/// Runs `doctor`, and compares pages of every list.
async fn check(service: &Service, when: &str) {
    let connection = service.app.db.reads();
    let findings = examine(connection, false).await.unwrap().findings;
    let counts = findings
        .iter()
        .filter(|finding| finding.name.starts_with("listed-"));
    assert_eq!(counts.count(), 0, "{when}");
    let all = all_issues(connection).await;
    for mut request in combinations() {
        for since in [None, Some(SINCE)] {
            request.since = since.map(Timestamp);
            let (ids, total) = expected(&all, &request, |_| true);
            let (rows, length) = list(connection, REPOSITORY, &request).await.unwrap();
            let listed: Vec<i64> = rows.iter().map(|row| row.id).collect();
            assert_eq!(length, Length::Counted(total as u64), "{when}: {request:?}");
            assert_eq!(listed, ids, "{when}: {request:?}");
        }
    }
}

#[tokio::test]
async fn every_page_is_correct_after_every_change() {
    let service = start().await;
    insert_issues(&service).await;
    check(&service, "inserted").await;
    for (when, sql) in [
        (
            "closed and updated earlier",
            "UPDATE issue SET state = 'closed', closed_at = 0, updated_at = updated_at - 2000000 WHERE number % 80 = 0",
        ),
        (
            "deleted",
            "DELETE FROM issue WHERE number BETWEEN 4000 AND 9000",
        ),
        (
            "created earlier",
            "UPDATE issue SET created_at = created_at - 100000000 WHERE number % 7 = 1",
        ),
    ] {
        service.execute(sql).await;
        check(&service, when).await;
    }
}

/// A filter, and which issues match it.
type Case = (fn(&mut IssueList), fn(&issue::Model) -> bool);

const CASES: [Case; 8] = [
    (
        |request| request.labels = some("bug"),
        |row| row.number % 3 == 0,
    ),
    (
        |request| request.labels = some("old"),
        |row| row.number % 1000 != 0,
    ),
    (
        |request| request.labels = some("bug,old"),
        |row| row.number % 3 == 0 && row.number % 1000 != 0,
    ),
    (
        |request| request.creator = some("carol"),
        |row| row.number % 500 == 0,
    ),
    (
        |request| request.creator = some("alice"),
        |row| row.number % 500 != 0,
    ),
    (
        |request| request.assignee = some("bob"),
        |row| row.number % 100 == 1,
    ),
    (
        |request| request.assignee = some("none"),
        |row| row.number % 100 != 1,
    ),
    (
        |request| request.assignee = some("*"),
        |row| row.number % 100 == 1,
    ),
];

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[tokio::test]
async fn filtered_lists_are_counted_unless_they_are_long() {
    let service = start().await;
    insert_issues(&service).await;
    let connection = service.app.db.reads();
    service
        .execute("DELETE FROM issue WHERE number <= 100")
        .await;
    let all = all_issues(connection).await;
    let mut uncounted = 0;
    for (filter, matches) in CASES {
        for mut request in combinations() {
            filter(&mut request);
            let (ids, total) = expected(&all, &request, matches);
            let (rows, length) = list(connection, REPOSITORY, &request).await.unwrap();
            let listed: Vec<i64> = rows.iter().map(|row| row.id).collect();
            assert_eq!(listed, ids, "{request:?}");
            let end = (request.page.number as usize).saturating_mul(100);
            let expected_length = match total > 5_000 {
                true => Length::Uncounted {
                    goes_on: end < total,
                },
                false => Length::Counted(total as u64),
            };
            assert_eq!(length, expected_length, "{request:?}");
            uncounted += usize::from(total > 5_000);
        }
    }
    assert!(uncounted > 0);
}

/// Checks the query plans on SQLite, and the number of rows read on PostgreSQL. The tables
/// are so small that PostgreSQL would scan them, so sequential scans are turned off.
#[tokio::test]
async fn a_page_reads_only_a_part_of_the_list() {
    let service = start().await;
    insert_issues(&service).await;
    let transaction = Arc::new(service.app.db.begin().await.unwrap());
    if transaction.get_database_backend() == DbBackend::Postgres {
        let prepare = "ANALYZE issue, list_length, issue_label, issue_assignee;
                       SET LOCAL enable_seqscan = off; SET LOCAL jit = off";
        transaction.execute_unprepared(prepare).await.unwrap();
    }
    for request in combinations() {
        let explaining = Explaining::new(&transaction, "issue");
        list(&explaining, REPOSITORY, &request).await.unwrap();
        // From the nearer end of the list to the page, and the rows of the page.
        let rows = explaining.rows();
        let most = u64::try_from(MANY).unwrap() / 2 + 200;
        assert!(rows <= most, "{request:?}: {rows} rows");
        // Open issues are few, so they may be sorted.
        let few = request.state == StateFilter::Open && request.sort != IssueOrder::Created;
        for step in explaining.ways() {
            let by_index = step.contains("USING COVERING INDEX") || step.contains("PRIMARY KEY");
            let reads_issues = step.contains(" issue ");
            assert!(!reads_issues || by_index || few, "{request:?}: {step}");
            let sorts = step.contains("TEMP B-TREE") && request.state != StateFilter::All;
            assert!(!sorts || few, "{request:?}: {step}");
        }
    }
}
