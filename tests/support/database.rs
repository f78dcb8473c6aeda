//! A private database for each test: a SQLite file, or a database on the PostgreSQL
//! server that TEST_DATABASE_URL names. A migrated one is copied from a template
//! that each test binary migrates once.

use forgewright::database::Database;
use tempfile::TempDir;
use tokio::sync::OnceCell;

use super::postgres::OnServer;

/// A database that no other test uses. It goes with its owner.
pub enum PrivateDatabase {
    Sqlite(TempDir),
    Postgres(OnServer),
}

impl PrivateDatabase {
    /// A database without tables.
    pub async fn empty() -> Self {
        match OnServer::empty().await {
            Some(database) => Self::Postgres(database),
            None => Self::Sqlite(tempfile::tempdir().unwrap()),
        }
    }

    /// A database with the current schema, and no rows.
    pub async fn migrated() -> Self {
        static TEMPLATE: OnceCell<Option<OnServer>> = OnceCell::const_new();
        let template = TEMPLATE
            .get_or_init(|| async {
                let template = OnServer::empty().await?;
                Database::migrate(&template.url()).await.unwrap();
                Some(template)
            })
            .await;
        match template {
            Some(template) => Self::Postgres(template.copy().await),
            None => Self::migrated_file().await,
        }
    }

    async fn migrated_file() -> Self {
        static TEMPLATE: OnceCell<Vec<u8>> = OnceCell::const_new();
        let template = TEMPLATE
            .get_or_init(|| async {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("template.db");
                Database::migrate(&format!("sqlite://{}", path.display()))
                    .await
                    .unwrap();
                std::fs::read(path).unwrap()
            })
            .await;
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("test.db"), template).unwrap();
        Self::Sqlite(folder)
    }

    pub fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => format!("sqlite://{}/test.db", folder.path().display()),
            Self::Postgres(database) => database.url(),
        }
    }
}

/// Runs a check on a private database with the current schema.
pub async fn with_database(check: impl AsyncFn(&str)) {
    let database = PrivateDatabase::migrated().await;
    check(&database.url()).await;
}

/// Runs a check on a private database without tables.
pub async fn with_empty_database(check: impl AsyncFn(&str)) {
    let database = PrivateDatabase::empty().await;
    check(&database.url()).await;
}
