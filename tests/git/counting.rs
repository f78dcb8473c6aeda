//! A connection that counts queries and rows, so that a test can assert how much of a history
//! a query read instead of how long it took.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, Statement};
use storage::database::{Connection, Database, QueryRunner};

pub struct Counting {
    counted: Arc<CountedReads>,
    connection: Connection,
}

#[derive(Debug)]
struct CountedReads {
    inner: Database,
    queries: AtomicUsize,
    rows: AtomicUsize,
}

impl Counting {
    pub fn new(inner: &Database) -> Self {
        let counted = Arc::new(CountedReads {
            inner: inner.clone(),
            queries: AtomicUsize::new(0),
            rows: AtomicUsize::new(0),
        });
        let queries: Arc<dyn QueryRunner> = counted.clone();
        Self {
            counted,
            connection: queries.into(),
        }
    }

    pub fn queries(&self) -> usize {
        self.counted.queries.load(Ordering::Relaxed)
    }

    pub fn rows(&self) -> usize {
        self.counted.rows.load(Ordering::Relaxed)
    }
}

impl Deref for Counting {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl CountedReads {
    fn count(&self, rows: usize) {
        self.queries.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }
}

#[async_trait::async_trait]
impl QueryRunner for CountedReads {
    fn backend(&self) -> DbBackend {
        self.inner.reads().get_database_backend()
    }

    async fn execute(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.inner.reads().execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.inner.reads().execute_unprepared(sql).await
    }

    async fn query_one(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let row = self.inner.reads().query_one_raw(statement).await?;
        self.count(usize::from(row.is_some()));
        Ok(row)
    }

    async fn query_all(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let rows = self.inner.reads().query_all_raw(statement).await?;
        self.count(rows.len());
        Ok(rows)
    }
}
