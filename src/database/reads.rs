//! The connections for questions. Which tables a question is about is noted
//! for whoever wants to keep the answer (`watch.rs`).

use async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult, Statement,
};

use super::footprint;
use super::watch::Watch;

/// Connections that change nothing; on SQLite a write through one fails.
#[derive(Clone, Debug)]
pub struct Reads {
    connection: DatabaseConnection,
    watch: Watch,
}

impl Reads {
    pub(super) fn new(connection: DatabaseConnection, watch: Watch) -> Self {
        Self { connection, watch }
    }

    /// For what takes one of SeaORM's own. Nothing is noted, so no answer that is
    /// kept may come from it.
    pub fn unnoted(&self) -> &DatabaseConnection {
        &self.connection
    }

    fn note(&self, sql: &str) {
        footprint::note_read(self.watch.touched_by(sql).read);
    }
}

#[async_trait]
impl ConnectionTrait for Reads {
    fn get_database_backend(&self) -> DbBackend {
        self.connection.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.note(&statement.sql);
        self.connection.execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.note(sql);
        self.connection.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.note(&statement.sql);
        self.connection.query_one_raw(statement).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.note(&statement.sql);
        self.connection.query_all_raw(statement).await
    }
}
