//! Concurrent writers on PostgreSQL. A writer that waits for a row lock holds its
//! connection. A semaphore keeps writers from taking all connections, so that readers never
//! wait for them.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseConnection, DbErr, QueryResult, Statement,
    TransactionTrait,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tracing::Instrument;

use super::connection::{Session, query_span};
use super::primary::Primary;
use super::{Options, Transaction};

#[derive(Clone, Debug)]
pub struct PostgresWriters {
    pool: DatabaseConnection,
    primary: Arc<Primary>,
    permits: Arc<Semaphore>,
    wait: Duration,
}

impl PostgresWriters {
    pub fn new(pool: DatabaseConnection, primary: Arc<Primary>, options: Options) -> Self {
        let for_readers = options.connections / 4;
        let permits = (options.connections - for_readers) as usize;
        Self {
            pool,
            primary,
            permits: Arc::new(Semaphore::new(permits)),
            wait: options.wait,
        }
    }

    pub fn connection(&self) -> &DatabaseConnection {
        &self.pool
    }

    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        let permit = self.acquire().await?;
        let session = Session::of_transaction(Arc::clone(&self.primary));
        let inner = session.run(self.pool.begin()).await?;
        Ok(Transaction::own(inner, session, permit))
    }

    /// Runs one statement in its own transaction, and returns its rows.
    pub(super) async fn write(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let _permit = self.acquire().await?;
        let span = query_span(&statement.sql);
        let written = self.pool.query_all_raw(statement).instrument(span);
        Session::of_pool(Arc::clone(&self.primary))
            .run(written)
            .await
    }

    async fn acquire(&self) -> Result<OwnedSemaphorePermit, DbErr> {
        let permit = tokio::time::timeout(self.wait, self.permits.clone().acquire_owned());
        let late = |_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout);
        let permit = permit.await.map_err(late)?;
        let closed = |_| DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed);
        permit.map_err(closed)
    }
}
