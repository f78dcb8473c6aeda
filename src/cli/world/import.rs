//! `forgewright world import`: repositories of GitHub as a world.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use import::client::ApiClient;
use import::client::pace::ClientPace;
use import::progress::Progress;
use import::{AnswerStore, Api, Import, ImportError, WorldWriter};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use storage::clock::{Clock, SystemClock};
use storage::database::{Database, Options};
use storage::entropy::{Entropy, SystemEntropy};
use world::load::{WORLD_FILE, WorldSource};
use world::written::WorldFile;

use super::{check_in, counted};
use crate::cli::Failure;
use crate::cli::print::say;
use crate::config::ImportConfig;

/// The world while it is written, beside its final name: its paths are relative to the folder.
const UNFINISHED: &str = ".world.yaml.new";

pub async fn run(config: &ImportConfig) -> Result<(), Failure> {
    let token = config.token().map_err(Failure::Other)?;
    if token.is_some() && config.from.is_cleartext() {
        tracing::warn!(
            "{} is not encrypted: whoever sees the traffic sees the token",
            config.from
        );
    }
    let folder = config.out.as_path();
    let store = AnswerStore::open(folder, &config.from.to_string()).map_err(Failure::of)?;
    let progress = Arc::new(Lines::default());
    let client = ApiClient::new(
        config.from.clone(),
        token,
        Arc::new(SystemPace),
        progress.clone(),
    );
    let client = client.map_err(Failure::Other)?;
    let generation = store.generation();
    let api = Api { client, store };
    let import = Import {
        api: &api,
        folder,
        generation,
        limits: config.limits(),
        progress: &*progress,
    };
    let unfinished = folder.join(UNFINISHED);
    remove(&unfinished)?;
    let mut out = Writer(WorldFile::create(&unfinished).map_err(Failure::of)?);
    let left_out = import
        .run(&config.repositories, &config.projects, &mut out)
        .await;
    progress.clear();
    let left_out = left_out.map_err(|error| resumable(&error))?;
    out.0.finish().map_err(Failure::of)?;
    let totals = check(&unfinished).await?;
    let name = |from: &Path, to: &Path| {
        fs::rename(from, to)?;
        File::open(folder)?.sync_all()
    };
    name(&unfinished, &folder.join(WORLD_FILE)).map_err(Failure::of)?;
    import.remove_old_mirrors();
    api.store.finish().map_err(Failure::of)?;
    say!("Imported {totals} into {}.", folder.display())?;
    if !left_out.is_empty() {
        say!("Left out:\n{}", left_out.to_string().trim_end())?;
    }
    say!(
        "Serve it: forgewright serve --world {0} --data-dir {0}-data",
        folder.display()
    )
}

/// What is read stays on the disk, whatever the error.
fn resumable(error: &ImportError) -> Failure {
    match error {
        ImportError::Request(_) | ImportError::Git(_) => {
            Failure::Other(format!("{error}; the same command continues the import"))
        }
        _ => Failure::of(error),
    }
}

/// Loads the world into a database of its own, so that no file gets its name that `serve` would
/// refuse.
async fn check(file: &Path) -> Result<String, Failure> {
    let folder = tempfile::tempdir().map_err(Failure::of)?;
    let url = format!("sqlite://{}/check.db", folder.path().display());
    Database::migrate(&url).await?;
    let loaded = check_in(&url, Options::default(), &WorldSource::file(file)).await;
    let loaded = loaded.map_err(|error| {
        Failure::Other(format!(
            "the imported world does not load; this is a defect:\n{error}"
        ))
    })?;
    Ok(counted(&loaded.totals))
}

fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure::Other(format!(
            "cannot remove {}: {error}",
            path.display()
        ))),
        _ => Ok(()),
    }
}

struct Writer(WorldFile);

impl WorldWriter for Writer {
    fn open(&mut self, key: &'static str) {
        self.0.open(key);
    }

    fn item(&mut self, item: &Value) -> Result<(), String> {
        self.0.item(item).map_err(|error| error.to_string())
    }

    fn close(&mut self) {
        self.0.close();
    }
}

/// Real time, and real chance.
struct SystemPace;

#[async_trait]
impl ClientPace for SystemPace {
    fn now(&self) -> i64 {
        SystemClock.now().0
    }

    async fn wait(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn chance(&self) -> f64 {
        let mut bytes = [0; 4];
        SystemEntropy.fill(&mut bytes);
        f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
    }
}

/// Progress on standard error: a bar on a terminal, and else a line for each step.
struct Lines(ProgressBar);

impl Default for Lines {
    fn default() -> Self {
        let bar = ProgressBar::no_length();
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} {msg} {human_pos} of {human_len}")
        {
            bar.set_style(style);
        }
        Self(bar)
    }
}

impl Lines {
    fn clear(&self) {
        self.0.finish_and_clear();
    }

    fn line(&self, text: &str) {
        match self.0.is_hidden() {
            true => eprintln!("{text}"),
            false => self.0.println(text),
        }
    }
}

impl Progress for Lines {
    fn step(&self, name: &str) {
        self.0.reset();
        self.0.set_message(name.to_owned());
        if self.0.is_hidden() {
            eprintln!("{name}");
        }
    }

    fn done(&self, done: usize, total: Option<usize>) {
        if let Some(total) = total {
            self.0.set_length(total as u64);
        }
        self.0.set_position(done as u64);
    }

    fn retrying(&self, reason: &str, wait: Duration) {
        self.line(&format!(
            "{reason}; trying again in {} s",
            wait.as_secs_f64().ceil()
        ));
    }

    fn limited(&self, wait: Duration) {
        self.line(&format!(
            "waiting {} s for the rate limit of the server",
            wait.as_secs()
        ));
    }
}
