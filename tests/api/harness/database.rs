//! A private database for each test, copied from a migrated template.

use forgewright::database::{Database, Options};
use tempfile::TempDir;
use tokio::sync::OnceCell;

use super::server::OnServer;

/// A database that nobody else uses.
pub enum Private {
    File { folder: TempDir },
    Server { database: OnServer },
}

impl Private {
    pub async fn new() -> Self {
        match Self::on_server().await {
            Some(database) => database,
            None => Self::file().await,
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
            Self::Server { database } => database.url(),
        }
    }

    async fn file() -> Self {
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
        Self::File { folder }
    }

    async fn on_server() -> Option<Self> {
        static TEMPLATE: OnceCell<Option<OnServer>> = OnceCell::const_new();
        let template = TEMPLATE
            .get_or_init(|| async {
                let template = OnServer::empty().await?;
                Database::migrate(&template.url()).await.unwrap();
                Some(template)
            })
            .await;
        let database = template.as_ref()?.copy().await;
        Some(Self::Server { database })
    }
}
