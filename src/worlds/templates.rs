//! Templates: SQLite files that new worlds are copied from. Each is created when it is first
//! needed, and kept as long as the process runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::OnceCell;

use super::folder::ProcessFolder;
use super::known::{KnownTokens, known_credentials};
use super::making::MakeError;
use contract::control::worlds::{WorldApp, WorldToken};
use storage::clock::{Clock, SystemClock};
use storage::database::{Database, Options};
use storage::entropy::Entropy;
use world::load::{Loader, WorldSource};

/// The most tokens and apps in the summary of a new world.
const MAX_SUMMARY: u64 = 1000;

/// A loaded world in a file that is not open.
#[derive(Debug, Clone)]
pub struct Template {
    pub file: PathBuf,
    pub summary: LoadedWorld,
}

/// The tokens and apps of a new world.
#[derive(Debug, Clone, Default)]
pub struct LoadedWorld {
    pub known: KnownTokens,
    pub tokens: Vec<WorldToken>,
    pub apps: Vec<WorldApp>,
}

pub struct Templates {
    folder: Arc<ProcessFolder>,
    entropy: Arc<dyn Entropy>,
    /// The world that was loaded into `main`.
    loaded: Option<WorldSource>,
    empty: OnceCell<Template>,
    demo: OnceCell<Template>,
    main: OnceCell<Template>,
}

impl Templates {
    pub fn new(
        folder: Arc<ProcessFolder>,
        loaded: Option<WorldSource>,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        Self {
            folder,
            entropy,
            loaded,
            empty: OnceCell::new(),
            demo: OnceCell::new(),
            main: OnceCell::new(),
        }
    }

    /// A database with the schema and no rows.
    pub async fn empty(&self) -> Result<&Template, MakeError> {
        let make = || async {
            let file = self.folder.file("empty.db")?;
            Database::migrate(&url(&file)).await?;
            let summary = LoadedWorld::default();
            Ok::<_, MakeError>(Template { file, summary })
        };
        self.empty.get_or_try_init(make).await
    }

    pub async fn demo(&self) -> Result<&Template, MakeError> {
        let make = || self.load("demo.db", WorldSource::demo());
        self.demo.get_or_try_init(make).await
    }

    /// The world that was loaded into `main`; `None` if there is none.
    pub async fn main(&self) -> Result<Option<&Template>, MakeError> {
        let Some(source) = &self.loaded else {
            return Ok(None);
        };
        if source.demo {
            return self.demo().await.map(Some);
        }
        let make = || self.load("main.db", source.clone());
        self.main.get_or_try_init(make).await.map(Some)
    }

    async fn load(&self, name: &str, source: WorldSource) -> Result<Template, MakeError> {
        let file = self.folder.file(name)?;
        // Remove the leftovers of a failed attempt.
        let _ = tokio::fs::remove_file(&file).await;
        tokio::fs::copy(&self.empty().await?.file, &file).await?;
        let summary = self.load_into(&file, &source, &SystemClock).await?;
        Ok(Template { file, summary })
    }

    /// Loads a world into a file that has the schema.
    pub async fn load_into(
        &self,
        file: &Path,
        source: &WorldSource,
        clock: &dyn Clock,
    ) -> Result<LoadedWorld, MakeError> {
        let db = open(file).await?;
        let loader = Loader::new(&db, clock, &*self.entropy);
        let loaded = loader.load(source).await;
        let summary = match loaded {
            Ok(loaded) => {
                let known = KnownTokens::of(source, &loaded);
                LoadedWorld::of(&db, known, clock.now().0).await
            }
            Err(error) => Err(error.into()),
        };
        // Closing the last connection moves everything into the file itself.
        db.close().await?;
        summary
    }
}

impl LoadedWorld {
    pub async fn of(db: &Database, known: KnownTokens, now: i64) -> Result<Self, MakeError> {
        let (tokens, apps) = known_credentials(db, &known, MAX_SUMMARY, now).await?;
        Ok(Self {
            known,
            tokens,
            apps,
        })
    }
}

/// Opens the file of a created world.
pub async fn open(file: &Path) -> Result<Database, MakeError> {
    Ok(Database::connect(&url(file), Options::ephemeral()).await?)
}

fn url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}
