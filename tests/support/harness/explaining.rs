//! Query plans: which indexes a query uses, and how many rows it reads.

use std::fmt::{self, Debug, Formatter};
use std::ops::Deref;
use std::sync::{Arc, Mutex};

use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, Statement};
use serde_json::Value;
use storage::database::{Connection, QueryRunner, Transaction};

/// A connection that also runs EXPLAIN for every query of one table.
pub struct Explaining {
    explained: Arc<ExplainedQueries>,
    connection: Connection,
}

struct ExplainedQueries {
    inner: Arc<Transaction>,
    table: &'static str,
    ways: Mutex<Vec<String>>,
    rows: Mutex<u64>,
}

impl Explaining {
    pub fn new(inner: &Arc<Transaction>, table: &'static str) -> Self {
        let explained = Arc::new(ExplainedQueries {
            inner: inner.clone(),
            table,
            ways: Mutex::default(),
            rows: Mutex::default(),
        });
        let queries: Arc<dyn QueryRunner> = explained.clone();
        Self {
            explained,
            connection: queries.into(),
        }
    }

    /// SQLite: how the queries find rows of the table.
    pub fn ways(&self) -> Vec<String> {
        self.explained.ways.lock().unwrap().clone()
    }

    /// PostgreSQL: how many rows of the table the queries read.
    pub fn rows(&self) -> u64 {
        *self.explained.rows.lock().unwrap()
    }
}

impl Deref for Explaining {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl Debug for ExplainedQueries {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("ExplainedQueries")
            .field(&self.table)
            .finish()
    }
}

impl ExplainedQueries {
    async fn explain(&self, mut statement: Statement) -> Result<(), DbErr> {
        if !statement.sql.contains(self.table) {
            return Ok(());
        }
        let postgres = self.backend() == DbBackend::Postgres;
        let prefix = match postgres {
            true => "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON)",
            false => "EXPLAIN QUERY PLAN",
        };
        // If the SQL has several statements, only the first can be explained.
        let sql = statement.sql.split(';').next().unwrap_or_default();
        statement.sql = format!("{prefix} {sql}");
        for row in self.inner.query_all_raw(statement).await? {
            if postgres {
                let plan: Value = row.try_get_by_index(0)?;
                *self.rows.lock().unwrap() += rows_read(&plan[0]["Plan"], self.table);
            } else {
                self.ways.lock().unwrap().push(row.try_get("", "detail")?);
            }
        }
        Ok(())
    }
}

/// The number of rows of a table that a plan and its subplans have read.
fn rows_read(plan: &Value, table: &str) -> u64 {
    let number = |key: &str| plan[key].as_f64().unwrap_or_default();
    let own = match plan["Relation Name"].as_str() {
        Some(name) if name == table => {
            (number("Actual Rows") + number("Rows Removed by Filter")) * number("Actual Loops")
        }
        _ => 0.0,
    };
    let below = plan["Plans"].as_array().into_iter().flatten();
    own as u64 + below.map(|plan| rows_read(plan, table)).sum::<u64>()
}

#[async_trait::async_trait]
impl QueryRunner for ExplainedQueries {
    fn backend(&self) -> DbBackend {
        self.inner.get_database_backend()
    }

    /// PostgreSQL makes a change to explain it, so the change is rolled back.
    async fn execute(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let postgres = self.backend() == DbBackend::Postgres;
        if postgres {
            self.inner.execute_unprepared("SAVEPOINT explained").await?;
        }
        self.explain(statement.clone()).await?;
        if postgres {
            let undo = "ROLLBACK TO explained; RELEASE explained";
            self.inner.execute_unprepared(undo).await?;
        }
        self.inner.execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.inner.execute_unprepared(sql).await
    }

    async fn query_one(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.explain(statement.clone()).await?;
        self.inner.query_one_raw(statement).await
    }

    async fn query_all(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.explain(statement.clone()).await?;
        self.inner.query_all_raw(statement).await
    }
}
