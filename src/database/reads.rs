//! The connections for queries that change nothing.

use async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult, Statement,
};
use tracing::{Instrument, Span};

/// The time that a query takes. Its text has placeholders where values go.
pub(super) fn query_span(sql: &str) -> Span {
    tracing::debug_span!("query", sql)
}

/// Connections that change nothing; on SQLite a write through one fails.
#[derive(Clone, Debug)]
pub struct Reads {
    connection: DatabaseConnection,
}

impl Reads {
    pub(super) fn new(connection: DatabaseConnection) -> Self {
        Self { connection }
    }

    /// For what takes one of SeaORM's own. Queries through it are not checked
    /// (`check.rs`), so no cached result may come from it.
    pub fn untracked(&self) -> &DatabaseConnection {
        &self.connection
    }

    #[cfg(debug_assertions)]
    fn note(&self, sql: &str) {
        super::dependencies::note_query(sql);
    }

    #[cfg(not(debug_assertions))]
    fn note(&self, _: &str) {}
}

#[async_trait]
impl ConnectionTrait for Reads {
    fn get_database_backend(&self) -> DbBackend {
        self.connection.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.note(&statement.sql);
        let span = query_span(&statement.sql);
        self.connection
            .execute_raw(statement)
            .instrument(span)
            .await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.note(sql);
        let query = self.connection.execute_unprepared(sql);
        query.instrument(query_span(sql)).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.note(&statement.sql);
        let span = query_span(&statement.sql);
        self.connection
            .query_one_raw(statement)
            .instrument(span)
            .await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.note(&statement.sql);
        let span = query_span(&statement.sql);
        self.connection
            .query_all_raw(statement)
            .instrument(span)
            .await
    }
}
