//! How long PostgreSQL may work for a request. The service gives up on a request by
//! itself (`web/edge.rs`), but the database would go on with its statement, and keep
//! a connection and its locks. SQLite has one writer, which this process owns.
//!
//! The limits are said when a connection begins, so no query is spent on them.
//! Whoever loads or migrates lifts them for its transaction: also those that an
//! operator gave to the role.

use std::time::Duration;

use sea_orm::sqlx::{self, postgres::PgConnectOptions};
use sea_orm::{ConnectionTrait, DbBackend, DbErr};

/// Limits every statement of a connection, and every pause within a transaction,
/// unless the URL does so. A statement ends a little before its request does, so
/// that its connection is free when the request is answered. A transaction may pause
/// for as long as the longest request takes, one whose body arrives slowly: whoever
/// pauses longer has frozen, and its locks are in the way of others.
pub(super) fn limited(server: PgConnectOptions, patience: Duration) -> PgConnectOptions {
    let given = server.get_options().unwrap_or_default().to_owned();
    let limits = [
        ("statement_timeout", patience * 9 / 10),
        ("idle_in_transaction_session_timeout", patience * 2),
    ];
    let missing = limits
        .into_iter()
        .filter(|(name, _)| !given.contains(name))
        .map(|(name, limit)| (name, format!("{}ms", limit.as_millis())));
    server.options(missing)
}

/// Whether somebody between us and the database wants no settings: PgBouncer takes
/// none that it does not know.
pub(super) fn are_refused(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| {
        error.code().as_deref() == Some("08P01") && error.message().contains("startup parameter")
    })
}

/// Lets a transaction take as long as it takes. Begin with it.
pub async fn without_time_limits(transaction: &impl ConnectionTrait) -> Result<(), DbErr> {
    if transaction.get_database_backend() == DbBackend::Postgres {
        let sql = "SET LOCAL statement_timeout = 0;
            SET LOCAL idle_in_transaction_session_timeout = 0";
        transaction.execute_unprepared(sql).await?;
    }
    Ok(())
}
