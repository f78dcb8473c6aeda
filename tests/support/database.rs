//! A private database for each test: a SQLite file, or a database on the PostgreSQL
//! server that TEST_DATABASE_URL names. One with a schema, or with a world, is copied from
//! a template that each test binary creates once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use storage::database::Database;
use tempfile::TempDir;
use tokio::sync::OnceCell;

use super::postgres::PostgresDatabase;

/// The name of a SQLite file.
const FILE: &str = "test.db";

/// A database that no other test uses. Dropping this deletes it.
pub enum PrivateDatabase {
    Sqlite(TempDir),
    Postgres(PostgresDatabase),
}

impl PrivateDatabase {
    /// A database without tables.
    pub async fn empty() -> Self {
        match PostgresDatabase::empty().await {
            Some(database) => Self::Postgres(database),
            None => Self::Sqlite(tempfile::tempdir().unwrap()),
        }
    }

    /// A database with the current schema, and no rows.
    pub async fn migrated() -> Self {
        static TEMPLATE: OnceCell<Template> = OnceCell::const_new();
        let template = TEMPLATE.get_or_init(|| async {
            let database = Self::empty().await;
            Database::migrate(&database.url()).await.unwrap();
            Template::of(database)
        });
        template.await.copy().await
    }

    /// A database with the current schema and the rows that `fill` inserts, once for all tests
    /// of this name.
    pub async fn filled(name: &str, fill: impl AsyncFnOnce(&str)) -> Self {
        static TEMPLATES: Mutex<BTreeMap<String, Arc<OnceCell<Template>>>> =
            Mutex::new(BTreeMap::new());
        let template = {
            let mut templates = TEMPLATES.lock().unwrap();
            templates.entry(name.to_owned()).or_default().clone()
        };
        let filled = template.get_or_init(|| async {
            let database = Self::migrated().await;
            fill(&database.url()).await;
            Template::of(database)
        });
        filled.await.copy().await
    }

    pub fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => format!("sqlite://{}/{FILE}", folder.path().display()),
            Self::Postgres(database) => database.url(),
        }
    }
}

/// A database to copy. It has no connections.
enum Template {
    Sqlite(Vec<u8>),
    Postgres(PostgresDatabase),
}

impl Template {
    fn of(database: PrivateDatabase) -> Self {
        match database {
            PrivateDatabase::Sqlite(folder) => {
                Self::Sqlite(std::fs::read(folder.path().join(FILE)).unwrap())
            }
            PrivateDatabase::Postgres(database) => Self::Postgres(database),
        }
    }

    async fn copy(&self) -> PrivateDatabase {
        match self {
            Self::Sqlite(content) => {
                let folder = tempfile::tempdir().unwrap();
                std::fs::write(folder.path().join(FILE), content).unwrap();
                PrivateDatabase::Sqlite(folder)
            }
            Self::Postgres(database) => PrivateDatabase::Postgres(database.copy().await),
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
