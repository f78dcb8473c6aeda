//! A connection that counts queries and rows, so that a test can assert how much of a history
//! a query read instead of how long it took.

use std::sync::atomic::{AtomicUsize, Ordering};

use forgewright::database::Reads;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, Statement};

pub struct Counting<'a> {
    inner: &'a Reads,
    queries: AtomicUsize,
    rows: AtomicUsize,
}

impl<'a> Counting<'a> {
    pub fn new(inner: &'a Reads) -> Self {
        Self {
            inner,
            queries: AtomicUsize::new(0),
            rows: AtomicUsize::new(0),
        }
    }

    pub fn queries(&self) -> usize {
        self.queries.load(Ordering::Relaxed)
    }

    pub fn rows(&self) -> usize {
        self.rows.load(Ordering::Relaxed)
    }

    fn count(&self, rows: usize) {
        self.queries.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }
}

#[async_trait::async_trait]
impl ConnectionTrait for Counting<'_> {
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
        let row = self.inner.query_one_raw(statement).await?;
        self.count(usize::from(row.is_some()));
        Ok(row)
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let rows = self.inner.query_all_raw(statement).await?;
        self.count(rows.len());
        Ok(rows)
    }
}
