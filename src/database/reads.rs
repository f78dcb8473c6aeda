//! Connections for read-only queries.

use async_trait::async_trait;
use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    ExecResult, IsolationLevel, QueryResult, Statement, TransactionTrait,
};
use tracing::{Instrument, Span};

/// The span of a query. Its SQL has placeholders, no values.
pub(super) fn query_span(sql: &str) -> Span {
    tracing::debug_span!("query", sql)
}

/// Read-only connections; on SQLite a write through one fails.
#[derive(Clone, Debug)]
pub struct Reads(DatabaseConnection);

impl Reads {
    pub(super) fn new(connection: DatabaseConnection) -> Self {
        Self(connection)
    }

    /// The plain connection, for APIs that require SeaORM's own. Its queries are not
    /// checked (`check.rs`), so no cached result may use them.
    pub fn untracked(&self) -> &DatabaseConnection {
        &self.0
    }

    /// Begins a read-only snapshot. Its queries are not checked either.
    pub async fn snapshot(&self) -> Result<DatabaseTransaction, DbErr> {
        let connection = self.untracked();
        match connection.get_database_backend() {
            DbBackend::Postgres => {
                let (level, mode) = (IsolationLevel::RepeatableRead, AccessMode::ReadOnly);
                connection.begin_with_config(Some(level), Some(mode)).await
            }
            _ => connection.begin().await,
        }
    }

    pub(super) async fn close(&self) -> Result<(), DbErr> {
        self.0.close_by_ref().await
    }

    #[cfg(debug_assertions)]
    fn record(&self, sql: &str) {
        super::dependencies::record_query(sql);
    }

    #[cfg(not(debug_assertions))]
    fn record(&self, _: &str) {}
}

#[async_trait]
impl ConnectionTrait for Reads {
    fn get_database_backend(&self) -> DbBackend {
        self.0.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.record(&statement.sql);
        let span = query_span(&statement.sql);
        self.untracked()
            .execute_raw(statement)
            .instrument(span)
            .await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.record(sql);
        let query = self.untracked().execute_unprepared(sql);
        query.instrument(query_span(sql)).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.record(&statement.sql);
        let span = query_span(&statement.sql);
        self.untracked()
            .query_one_raw(statement)
            .instrument(span)
            .await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.record(&statement.sql);
        let span = query_span(&statement.sql);
        self.untracked()
            .query_all_raw(statement)
            .instrument(span)
            .await
    }
}
