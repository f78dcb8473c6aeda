//! Writers on PostgreSQL, who write at the same time. One that waits for a row holds
//! its connection, so they do not get all of them: readers would wait with them.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseConnection, DbErr, QueryResult, Statement,
    TransactionTrait,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tracing::Instrument;

use super::reads::query_span;
use super::{Options, Transaction};

#[derive(Clone, Debug)]
pub struct Writers {
    pool: DatabaseConnection,
    places: Arc<Semaphore>,
    wait: Duration,
}

impl Writers {
    pub fn new(pool: DatabaseConnection, options: Options) -> Self {
        let for_readers = options.connections / 4;
        let places = (options.connections - for_readers) as usize;
        Self {
            pool,
            places: Arc::new(Semaphore::new(places)),
            wait: options.wait,
        }
    }

    pub fn connection(&self) -> &DatabaseConnection {
        &self.pool
    }

    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        let place = self.place().await?;
        let inner = self.pool.begin().await?;
        Ok(Transaction::alone(inner, place))
    }

    /// Runs one statement as a transaction of its own, and returns its rows.
    pub(super) async fn write(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let _place = self.place().await?;
        let span = query_span(&statement.sql);
        self.pool.query_all_raw(statement).instrument(span).await
    }

    async fn place(&self) -> Result<OwnedSemaphorePermit, DbErr> {
        let place = tokio::time::timeout(self.wait, self.places.clone().acquire_owned());
        let late = |_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout);
        let place = place.await.map_err(late)?;
        let closed = |_| DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed);
        place.map_err(closed)
    }
}
