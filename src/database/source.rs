//! A source of connections for queries that run both in cached reads and in write
//! transactions.

use migration::aggregates::Aggregate;
use sea_orm::ConnectionTrait;

use super::{Database, Reads, Transaction};

/// Provides a connection for reading the named aggregates.
pub trait ReadSource: Sync {
    type Connection: ConnectionTrait;

    fn reading(&self, aggregates: &[Aggregate]) -> impl Future<Output = &Self::Connection> + Send;
}

impl ReadSource for Database {
    type Connection = Reads;

    async fn reading(&self, aggregates: &[Aggregate]) -> &Reads {
        Self::reading(self, aggregates).await
    }
}

/// Reads within a transaction are never cached.
impl ReadSource for Transaction {
    type Connection = Self;

    async fn reading(&self, _: &[Aggregate]) -> &Self {
        self
    }
}
