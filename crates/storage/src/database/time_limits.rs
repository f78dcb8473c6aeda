//! Time limits for PostgreSQL. The service abandons a slow request (`web/edge.rs`), but the
//! database would continue its statement and keep a connection and its locks. SQLite has
//! one writer, which this process owns.
//!
//! The limits are startup parameters of the connection, so they cost no query. Loads and
//! migrations lift them for their transaction, including limits that an operator set on the
//! role.

use std::time::Duration;

use sea_orm::sqlx::{self, postgres::PgConnectOptions};
use sea_orm::{ConnectionTrait, DbBackend, DbErr};

use super::Connection;

/// Sets the statement timeout and the idle-in-transaction timeout, unless the URL does. A
/// statement ends shortly before its request, so that its connection is free when the
/// response is sent. A transaction may be idle for as long as the longest request takes; a
/// longer pause means that its process is frozen while it holds locks.
pub(super) fn limited(server: PgConnectOptions, request_timeout: Duration) -> PgConnectOptions {
    let url_options = server.get_options().unwrap_or_default().to_owned();
    let limits = [
        ("statement_timeout", request_timeout * 9 / 10),
        ("idle_in_transaction_session_timeout", request_timeout * 2),
    ];
    let missing = limits
        .into_iter()
        .filter(|(name, _)| !url_options.contains(name))
        .map(|(name, limit)| (name, format!("{}ms", limit.as_millis())));
    server.options(missing)
}

/// The longest time that this process waits for a statement. The database usually ends it
/// sooner; only if its machine or the network is gone, nothing else does. `None` if the URL has
/// a limit of its own for statements.
pub(super) fn longest_statement(
    server: &PgConnectOptions,
    request_timeout: Duration,
) -> Option<Duration> {
    let url_options = server.get_options().unwrap_or_default();
    (!url_options.contains("statement_timeout")).then_some(request_timeout * 2)
}

/// Whether a pooler rejects startup parameters: PgBouncer accepts only those it knows.
pub(super) fn are_refused(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| {
        error.code().as_deref() == Some("08P01") && error.message().contains("startup parameter")
    })
}

/// Lifts the time limits for a transaction on PostgreSQL.
pub(super) const NO_TIME_LIMITS: &str = "SET LOCAL statement_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = 0";

/// Lifts the time limits for a transaction. Call it first.
pub async fn without_time_limits(transaction: &Connection) -> Result<(), DbErr> {
    if transaction.get_database_backend() == DbBackend::Postgres {
        transaction.execute_unprepared(NO_TIME_LIMITS).await?;
        transaction.lift_time_limit();
    }
    Ok(())
}
