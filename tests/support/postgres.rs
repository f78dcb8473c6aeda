//! Databases on the PostgreSQL server that TEST_DATABASE_URL names. Each is dropped with the test
//! that created it, so that a whole run needs little space.
//!
//! They sort text by English rules, which reveals columns that should be ordered by bytes and are
//! not.

use sea_orm::sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tokio::sync::Mutex;

use super::setting;

/// A database that is dropped with this value, even if the test fails.
pub struct OnServer {
    server: String,
    name: String,
}

impl OnServer {
    /// An empty database, if there is a server.
    pub async fn empty() -> Option<Self> {
        let origin = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'";
        Some(Self::create(setting("TEST_DATABASE_URL")?, origin).await)
    }

    /// A copy of the database, which must have no connections.
    pub async fn copy(&self) -> Self {
        // PostgreSQL refuses to copy one database twice at the same time.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());
        let _turn = ONE_AT_A_TIME.lock().await;
        Self::create(self.server.clone(), &format!("TEMPLATE {}", self.name)).await
    }

    async fn create(server: String, origin: &str) -> Self {
        let name = format!("forgewright_test_{:016x}", rand::random::<u64>());
        administer(&server, &format!("CREATE DATABASE {name} {origin}")).await;
        Self { server, name }
    }

    pub fn url(&self) -> String {
        let (address, _) = self.server.rsplit_once('/').unwrap();
        format!("{address}/{}", self.name)
    }
}

impl Drop for OnServer {
    fn drop(&mut self) {
        let server = self.server.clone();
        let sql = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        // On a thread of its own, because the test's runtime cannot be awaited here.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(administer(&server, &sql));
        });
        let dropped = dropping.join();
        assert!(
            dropped.is_ok() || std::thread::panicking(),
            "the database of the test stays"
        );
    }
}

async fn administer(server: &str, sql: &str) {
    let mut connection = PgConnection::connect(server).await.unwrap();
    let executed = connection.execute(AssertSqlSafe(sql.to_owned())).await;
    executed.unwrap_or_else(|error| panic!("{sql}: {error}"));
}
