//! Databases on the PostgreSQL server of TEST_DATABASE_URL. Each is dropped at the end of the
//! test that created it, so that a whole run needs little space.
//!
//! Their collation is English, which reveals columns that should be ordered by bytes and are not.

use sea_orm::sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tokio::sync::Mutex;

use super::setting;

/// A database. Dropping this value drops the database, even if the test fails.
pub struct PostgresDatabase {
    server: String,
    name: String,
}

impl PostgresDatabase {
    /// An empty database, if there is a server.
    pub async fn empty() -> Option<Self> {
        let options = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'";
        Some(Self::create(setting("TEST_DATABASE_URL")?, options).await)
    }

    /// A copy of the database, which must have no connections.
    pub async fn copy(&self) -> Self {
        // PostgreSQL refuses to copy one database twice at the same time.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());
        let _turn = ONE_AT_A_TIME.lock().await;
        Self::create(self.server.clone(), &format!("TEMPLATE {}", self.name)).await
    }

    async fn create(server: String, options: &str) -> Self {
        let name = format!("forgewright_test_{:016x}", rand::random::<u64>());
        execute(&server, &format!("CREATE DATABASE {name} {options}")).await;
        Self { server, name }
    }

    pub fn url(&self) -> String {
        let (address, _) = self.server.rsplit_once('/').unwrap();
        format!("{address}/{}", self.name)
    }
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        let server = self.server.clone();
        let sql = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        // On a separate thread, because `drop` cannot wait for the runtime of the test.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(execute(&server, &sql));
        });
        let dropped = dropping.join();
        assert!(
            dropped.is_ok() || std::thread::panicking(),
            "the database of the test was not dropped"
        );
    }
}

async fn execute(server: &str, sql: &str) {
    let mut connection = PgConnection::connect(server).await.unwrap();
    let executed = connection.execute(AssertSqlSafe(sql.to_owned())).await;
    executed.unwrap_or_else(|error| panic!("{sql}: {error}"));
}
