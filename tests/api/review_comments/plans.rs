//! What a page of a long list costs: which indexes find it, and on PostgreSQL how
//! many rows are looked at. No clock is asked.

use std::sync::Mutex;

use forgewright::areas::review_comments::pages::{Scope, list};
use forgewright::contract::paging::Page;
use forgewright::contract::review_comments::{CommentList, Direction, SortKey};
use forgewright::contract::values::Timestamp;
use forgewright::database::Transaction;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, Statement};
use serde_json::Value;

use super::listing::many;
use super::start;

/// A stretch is read to its end at most, or what is near is walked over, and a page
/// beyond; and a stretch is counted.
const MOST_ROWS: u64 = 1000 + 512 + 100;

/// A connection that has every question explained as well.
struct Explaining<'a> {
    inner: &'a Transaction,
    /// SQLite: how comments are read.
    ways: Mutex<Vec<String>>,
    /// PostgreSQL: rows of comments that were looked at.
    rows: Mutex<u64>,
}

impl<'a> Explaining<'a> {
    fn new(inner: &'a Transaction) -> Self {
        Self {
            inner,
            ways: Mutex::default(),
            rows: Mutex::default(),
        }
    }

    /// Stretches are few, and are added up; only what is asked of comments counts.
    async fn explain(&self, mut statement: Statement) -> Result<(), DbErr> {
        if !statement.sql.contains("review_comment") {
            return Ok(());
        }
        let postgres = self.get_database_backend() == DbBackend::Postgres;
        let how = match postgres {
            true => "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON)",
            false => "EXPLAIN QUERY PLAN",
        };
        statement.sql = format!("{how} {}", statement.sql);
        for row in self.inner.query_all_raw(statement).await? {
            if postgres {
                let plan: Value = row.try_get_by_index(0)?;
                *self.rows.lock().unwrap() += visited(&plan[0]["Plan"]);
            } else {
                self.ways.lock().unwrap().push(row.try_get("", "detail")?);
            }
        }
        Ok(())
    }
}

/// Comments that a plan and all below it have looked at.
fn visited(plan: &Value) -> u64 {
    let number = |key: &str| plan[key].as_f64().unwrap_or_default();
    let own = match plan["Relation Name"].as_str() {
        Some("review_comment") => {
            (number("Actual Rows") + number("Rows Removed by Filter")) * number("Actual Loops")
        }
        _ => 0.0,
    };
    let below = plan["Plans"].as_array().into_iter().flatten();
    own as u64 + below.map(visited).sum::<u64>()
}

#[async_trait::async_trait]
impl ConnectionTrait for Explaining<'_> {
    fn get_database_backend(&self) -> DbBackend {
        self.inner.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.inner.execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.inner.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.explain(statement.clone()).await?;
        self.inner.query_one_raw(statement).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.explain(statement.clone()).await?;
        self.inner.query_all_raw(statement).await
    }
}

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
                    let explaining = Explaining::new(&on);
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
    let rows = *explaining.rows.lock().unwrap();
    assert!(sorted || rows <= MOST_ROWS, "{what}: {rows} rows");
    let ways = explaining.ways.lock().unwrap();
    for way in ways.iter() {
        assert!(!way.starts_with("SCAN review_comment"), "{what}: {way}");
        assert!(sorted || !way.contains("TEMP B-TREE"), "{what}: {way}");
    }
    if sorted && !ways.is_empty() {
        let covering = |way: &String| way.contains("COVERING INDEX") && way.contains("updated");
        assert!(ways.iter().any(covering), "{what}: {ways:?}");
    }
}
