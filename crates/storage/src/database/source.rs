//! A source of connections for queries that run both in cached reads and in write
//! transactions.

use super::{Connection, Database, Transaction};
use migration::aggregates::Aggregate;

/// Provides a connection for reading the named aggregates.
pub trait ReadSource: Sync {
    fn reading(&self, aggregates: &[Aggregate]) -> impl Future<Output = &Connection> + Send;
}

impl ReadSource for Database {
    async fn reading(&self, aggregates: &[Aggregate]) -> &Connection {
        Self::reading(self, aggregates).await
    }
}

/// Reads within a transaction are never cached.
impl ReadSource for Transaction {
    async fn reading(&self, _: &[Aggregate]) -> &Connection {
        self
    }
}
