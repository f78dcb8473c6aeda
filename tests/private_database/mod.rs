//! Empty databases for tests that want one of their own: a SQLite file always,
//! and a PostgreSQL database when TEST_DATABASE_URL names a server.
//!
//! The PostgreSQL database sorts text by English rules, so that a column which
//! must be ordered by bytes and is not will show.

use sea_orm::sqlx::{self, AssertSqlSafe, Connection, Executor, PgConnection};

/// Runs a check on an empty database of each kind.
pub async fn on_each(check: impl AsyncFn(&str)) {
    let folder = tempfile::tempdir().unwrap();
    check(&format!("sqlite://{}/test.db", folder.path().display())).await;
    if let Some(server) = server() {
        let name = format!("forgewright_test_{:016x}", rand::random::<u64>());
        let create = format!(
            "CREATE DATABASE {name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"
        );
        administer(&server, create).await.unwrap();
        let (address, _) = server.rsplit_once('/').unwrap();
        check(&format!("{address}/{name}")).await;
        let drop = format!("DROP DATABASE {name} WITH (FORCE)");
        administer(&server, drop).await.unwrap();
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "tests are configured by the environment alone"
)]
fn server() -> Option<String> {
    std::env::var("TEST_DATABASE_URL").ok()
}

async fn administer(server: &str, sql: String) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(server).await?;
    connection.execute(AssertSqlSafe(sql)).await?;
    connection.close().await
}
