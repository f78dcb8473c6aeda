//! A private database with one repository in it.

use std::path::{Path, PathBuf};

use git::import::{Imported, import};
use git::{GitError, Sha};
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, EntityTrait};
use storage::database::{Connection, Database, Options};
use storage::entities::{account, repository};

use crate::support::{database, setting};

/// The current time of the tests.
pub const NOW: i64 = 1_800_000_000;

/// A database, and the id of a repository in it.
pub struct Db {
    database: Database,
    pub repository_id: i64,
}

impl Db {
    async fn open(url: &str) -> Self {
        let database = Database::connect(url, Options::default()).await.unwrap();
        let transaction = database.begin().await.unwrap();
        let owner = account::ActiveModel {
            login: Set("acme".to_owned()),
            login_key: Set("acme".to_owned()),
            kind: Set(account::AccountKind::User),
            site_admin: Set(false),
            created_at: Set(NOW),
            updated_at: Set(NOW),
            ..Default::default()
        };
        let owner = owner.insert(&*transaction).await.unwrap();
        let repository = repository::ActiveModel {
            owner_id: Set(owner.id),
            name: Set("gadgets".to_owned()),
            name_key: Set("gadgets".to_owned()),
            visibility: Set(repository::Visibility::Public),
            default_branch: Set("main".to_owned()),
            created_at: Set(NOW),
            updated_at: Set(NOW),
            ..Default::default()
        };
        let row = repository::Entity::insert(repository)
            .exec_with_returning(&*transaction)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        Self {
            database,
            repository_id: row.id,
        }
    }

    pub fn database(&self) -> &Database {
        &self.database
    }

    pub fn reads(&self) -> &Connection {
        self.database.reads()
    }

    pub async fn begin(&self) -> storage::database::Transaction {
        self.database.begin().await.unwrap()
    }

    /// The database of a world that is created from this one.
    pub async fn copied_to(&self, folder: &Path) -> Self {
        let [empty, copy] = ["empty.db", "copy.db"].map(|name| folder.join(name));
        let url = |path: &Path| format!("sqlite://{}", path.display());
        Database::migrate(&url(&empty)).await.unwrap();
        self.database.copy_to(&copy, &empty).await.unwrap();
        let database = Database::connect(&url(&copy), Options::default()).await;
        Self {
            database: database.unwrap(),
            repository_id: self.repository_id,
        }
    }

    /// Imports in one transaction; a failure rolls it back.
    pub async fn import(&self, path: PathBuf) -> Result<Imported, GitError> {
        let transaction = self.begin().await;
        let imported = import(&transaction, self.repository_id, path, NOW, &mut |_| {}).await?;
        transaction.commit().await.unwrap();
        Ok(imported)
    }
}

/// Runs a check on a private database with one repository.
pub async fn with_repository(check: impl AsyncFn(&Db)) {
    database::with_database(async |url| check(&Db::open(url).await).await).await;
}

/// How many commits the timed histories have.
pub fn commits() -> usize {
    setting("TEST_GIT_SCALE").map_or(1000, |text| text.parse().unwrap())
}

/// Multiplies the number of random cases.
pub fn trial_factor() -> usize {
    (commits() / 1000).clamp(1, 20)
}

/// The base seed of the random cases.
pub fn seed() -> u64 {
    setting("TEST_GIT_SEED").map_or(0, |text| text.parse().unwrap())
}

pub fn sha(text: &str) -> Sha {
    text.trim().parse().unwrap()
}
