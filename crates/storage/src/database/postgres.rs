//! Connection pools of PostgreSQL.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sea_orm::sqlx::{self, ConnectOptions, Connection};
use sea_orm::{DatabaseConnection, SqlxPostgresConnector};

use super::connect_error::{postgres_error, server_name};
use super::primary::{Primary, checked};
use super::{ConnectError, Options, STATEMENTS, time_limits};

/// How long to wait for the first response of a PostgreSQL server.
const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// Connects once before it opens the pool: a pool retries until its timeout and then loses
/// the reason.
pub async fn connect_postgres(
    server: &PgConnectOptions,
    options: Options,
) -> Result<(DatabaseConnection, Arc<Primary>), ConnectError> {
    // No column holds a float, and poolers reject settings that they do not know.
    let unlimited = server
        .clone()
        .statement_cache_capacity(STATEMENTS)
        .extra_float_digits(None);
    let mut server = match options.request_timeout {
        Some(request_timeout) => time_limits::limited(unlimited.clone(), request_timeout),
        None => unlimited.clone(),
    };
    let mut first = first_answer(&server).await;
    if first.as_ref().is_err_and(time_limits::are_refused) {
        tracing::warn!("the pooler rejects time limits; set statement_timeout on the role instead");
        server = unlimited.clone();
        first = first_answer(&server).await;
    }
    let unreachable = |error| match error {
        sqlx::Error::PoolTimedOut => ConnectError::Unreachable {
            server: server_name(&server),
            reason: "no answer".to_owned(),
        },
        error => postgres_error(&server, &error),
    };
    let mut first = first.map_err(unreachable)?;
    let (strict, limit) = match options.request_timeout {
        Some(request_timeout) => (
            true,
            time_limits::longest_statement(&unlimited, request_timeout),
        ),
        None => (false, None),
    };
    let primary = Primary::of(&mut first, strict, limit).await;
    let primary = Arc::new(primary.map_err(unreachable)?);
    drop(first.close().await);
    let pool = PgPoolOptions::new()
        .max_connections(options.pool_size())
        .acquire_timeout(options.wait);
    let pool = checked(pool, &primary).connect_with(server.clone()).await;
    let pool = pool.map_err(unreachable)?;
    Ok((
        SqlxPostgresConnector::from_sqlx_postgres_pool(pool),
        primary,
    ))
}

async fn first_answer(server: &PgConnectOptions) -> Result<PgConnection, sqlx::Error> {
    let answer = tokio::time::timeout(FIRST_ANSWER, server.connect()).await;
    answer.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}
