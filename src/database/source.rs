//! Where queries go that belong to a cached result when they are read, and to a
//! transaction when something is written.

use migration::aggregates::Aggregate;
use sea_orm::ConnectionTrait;

use super::{Database, Reads, Transaction};

/// Gives a connection to whoever names the aggregates that they read.
pub trait Source: Sync {
    type Connection: ConnectionTrait;

    fn reading(&self, aggregates: &[Aggregate]) -> impl Future<Output = &Self::Connection> + Send;
}

impl Source for Database {
    type Connection = Reads;

    async fn reading(&self, aggregates: &[Aggregate]) -> &Reads {
        Self::reading(self, aggregates).await
    }
}

/// What is read within a transaction is never cached.
impl Source for Transaction {
    type Connection = Self;

    async fn reading(&self, _: &[Aggregate]) -> &Self {
        self
    }
}
