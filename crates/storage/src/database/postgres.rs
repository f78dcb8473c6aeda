//! Connection pools of PostgreSQL.

use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sea_orm::sqlx::{ConnectOptions, Connection};
use sea_orm::{DatabaseConnection, SqlxPostgresConnector};

use super::connect_error::{postgres_error, server_name};
use super::{ConnectError, Options, STATEMENTS, time_limits};

/// How long to wait for the first response of a PostgreSQL server.
const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// A connection that was idle for this long may be dead, so it is tested before use.
const LONG_IDLE: Duration = Duration::from_secs(1);

/// Connects once before it opens the pool: a pool retries until its timeout and then loses
/// the reason.
pub async fn connect_postgres(
    server: &PgConnectOptions,
    options: Options,
) -> Result<DatabaseConnection, ConnectError> {
    // No column holds a float, and poolers reject settings that they do not know.
    let unlimited = server
        .clone()
        .statement_cache_capacity(STATEMENTS)
        .extra_float_digits(None);
    let mut server = match options.request_timeout {
        Some(request_timeout) => time_limits::limited(unlimited.clone(), request_timeout),
        None => unlimited.clone(),
    };
    match tokio::time::timeout(FIRST_ANSWER, server.connect()).await {
        Err(_) => {
            return Err(ConnectError::Unreachable {
                server: server_name(&server),
                reason: "no answer".to_owned(),
            });
        }
        Ok(Err(error)) if time_limits::are_refused(&error) => {
            tracing::warn!(
                "the pooler rejects time limits; set statement_timeout on the role instead"
            );
            server = unlimited;
        }
        Ok(Err(error)) => return Err(postgres_error(&server, &error)),
        Ok(Ok(probe)) => drop(probe.close().await),
    }
    let pool = PgPoolOptions::new()
        .max_connections(options.pool_size())
        .acquire_timeout(options.wait)
        // Testing every connection before use would double the round trips.
        .test_before_acquire(false)
        .before_acquire(|connection, about| {
            Box::pin(async move {
                if about.idle_for > LONG_IDLE {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .connect_with(server.clone())
        .await
        .map_err(|error| postgres_error(&server, &error))?;
    Ok(SqlxPostgresConnector::from_sqlx_postgres_pool(pool))
}
