//! A private database for each test, copied from a migrated template.

use std::path::PathBuf;

use forgewright::database::{Database, Options};
use sea_orm::sqlx::{self, AssertSqlSafe, Connection, Executor, PgConnection};
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// A database that nobody else uses.
pub enum Private {
    File { folder: TempDir },
    Server { url: String },
}

impl Private {
    pub async fn new() -> Self {
        match server() {
            None => Self::file().await,
            Some(server) => Self::on_server(&server).await,
        }
    }

    pub async fn connect(&self) -> Database {
        let options = Options {
            connections: 3,
            ..Options::default()
        };
        Database::connect(&self.url(), options).await.unwrap()
    }

    fn url(&self) -> String {
        match self {
            Self::File { folder } => format!("sqlite://{}/test.db", folder.path().display()),
            Self::Server { url } => url.clone(),
        }
    }

    async fn file() -> Self {
        static TEMPLATE: OnceCell<(TempDir, PathBuf)> = OnceCell::const_new();
        let (_, template) = TEMPLATE
            .get_or_init(|| async {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("template.db");
                Database::migrate(&format!("sqlite://{}", path.display()))
                    .await
                    .unwrap();
                (folder, path)
            })
            .await;
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(template, folder.path().join("test.db")).unwrap();
        Self::File { folder }
    }

    /// The server sorts text by English rules, so that a column which must be
    /// ordered by bytes and is not will show.
    async fn on_server(server: &str) -> Self {
        static TEMPLATE: OnceCell<String> = OnceCell::const_new();
        let (address, _) = server.rsplit_once('/').unwrap();
        let template = TEMPLATE
            .get_or_init(|| async {
                let name = fresh_name();
                administer(
                    server,
                    format!("CREATE DATABASE {name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"),
                )
                .await;
                Database::migrate(&format!("{address}/{name}")).await.unwrap();
                name
            })
            .await;
        let name = fresh_name();
        administer(
            server,
            format!("CREATE DATABASE {name} TEMPLATE {template}"),
        )
        .await;
        Self::Server {
            url: format!("{address}/{name}"),
        }
    }
}

fn fresh_name() -> String {
    format!("forgewright_test_{:016x}", rand::random::<u64>())
}

#[allow(
    clippy::disallowed_methods,
    reason = "tests are configured by the environment alone"
)]
fn server() -> Option<String> {
    std::env::var("TEST_DATABASE_URL").ok()
}

/// Two tests that copy the template at once get in each other's way: the second
/// tries again.
async fn administer(server: &str, sql: String) {
    for _ in 0..100 {
        let mut connection = PgConnection::connect(server).await.unwrap();
        let outcome: Result<_, sqlx::Error> = connection.execute(AssertSqlSafe(sql.clone())).await;
        match outcome {
            Ok(_) => return,
            Err(error) if error.to_string().contains("being accessed by other users") => {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
            Err(error) => panic!("{sql}: {error}"),
        }
    }
    panic!("the template is busy");
}
