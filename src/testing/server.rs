//! The server itself, on a runtime of its own.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::StartError;
use super::world::{AppCredentials, Token, World};
use crate::web::server::ConnectionLimits;
use crate::web::{self, ControlGuard};
use crate::worlds::{KnownTokens, LOADED, LoadedWorld, MAIN, Worlds, WorldsOptions};
use contract::control::WORLDS_PATH;
use forge::app::Settings;
use forge::router;
use storage::clock::{Clock, SystemClock};
use storage::database::{Database, Options};
use storage::entropy::SystemEntropy;
use storage::files::{LARGEST_KEY, read_regular};
use storage::limits::Budgets;
use storage::limits::content::ContentBudget;
use world::load::{LoadError, Loader, WorldSource, named_apps};

/// Concurrent connections.
const CLIENTS: u32 = 1000;

/// The time limit of a shutdown. It is short, because nothing is kept.
const END: Duration = Duration::from_secs(2);

/// A server that listens.
pub struct Started {
    pub main: World,
    pub runtime: Handle,
    pub server: ServerHandle,
}

/// Creates worlds on a server.
#[derive(Clone)]
pub struct ServerHandle {
    pub worlds: Arc<Worlds>,
    origin: String,
    /// The private keys of apps, by their slugs.
    keys: Arc<HashMap<String, String>>,
}

impl std::fmt::Debug for ServerHandle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_tuple("ServerHandle")
            .field(&self.origin)
            .finish()
    }
}

impl ServerHandle {
    /// A world as a test sees it.
    pub fn introduce(&self, name: &str, about: LoadedWorld) -> World {
        let tokens = about.tokens.into_iter().filter_map(|token| {
            Some(Token {
                holder: token.holder,
                kind: token.kind,
                value: token.value?,
            })
        });
        let apps = about.apps.into_iter().map(|app| AppCredentials {
            private_key: app
                .private_key
                .or_else(|| self.keys.get(&app.slug).cloned()),
            id: app.id,
            slug: app.slug,
            client_id: app.client_id,
        });
        let url = match name {
            MAIN => self.origin.clone(),
            name => format!("{}{WORLDS_PATH}/{name}", self.origin),
        };
        World {
            origin: self.origin.clone(),
            name: name.to_owned(),
            url,
            tokens: tokens.collect(),
            apps: apps.collect(),
            ending: None,
        }
    }
}

/// Serves until the other end of `stopped` is dropped. Everything is gone when it returns.
pub fn run(
    source: WorldSource,
    ready: oneshot::Sender<Result<Started, StartError>>,
    stopped: oneshot::Receiver<()>,
) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let (runtime, folder) = match runtime.and_then(|runtime| Ok((runtime, tempfile::tempdir()?))) {
        Ok(both) => both,
        Err(error) => {
            let _ = ready.send(Err(error.into()));
            return;
        }
    };
    runtime.block_on(async {
        match prepare(source, &folder).await {
            Ok((started, listener)) => {
                let server = started.server.clone();
                let _ = ready.send(Ok(started));
                serve(&server.worlds, listener, stopped).await;
            }
            Err(error) => {
                let _ = ready.send(Err(error));
            }
        }
    });
    runtime.shutdown_timeout(END);
}

async fn prepare(
    source: WorldSource,
    folder: &TempDir,
) -> Result<(Started, TcpListener), StartError> {
    let path = folder.path();
    let url = format!("sqlite://{}", path.join("main.db").display());
    Database::migrate(&url).await?;
    let options = Options {
        request_timeout: Some(web::REQUEST_TIMEOUT),
        ..Options::ephemeral()
    };
    let db = Database::connect(&url, options).await?;
    let loader = Loader::new(&db, &SystemClock, &SystemEntropy);
    let loaded = loader.load(&source).await?;
    db.make_snapshot(LOADED).await?;
    let known = KnownTokens::of(&source, &loaded);
    let about = LoadedWorld::of(&db, known.clone(), SystemClock.now().0).await?;
    let keys = Arc::new(app_keys(&source)?);
    let settings = Settings {
        control: true,
        request_timeout: Some(web::REQUEST_TIMEOUT),
        budgets: Some(Budgets::default()),
        content: Some(ContentBudget::default()),
        ..Settings::default()
    };
    let app = router::app(db, Arc::new(SystemClock), Arc::new(SystemEntropy), settings);
    let options = WorldsOptions {
        folder: path.join("worlds"),
        loaded: Some(source),
        known,
        ..WorldsOptions::default()
    };
    let worlds = Worlds::with(&app, web::router, options);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    let server = ServerHandle {
        worlds,
        origin,
        keys,
    };
    let started = Started {
        main: server.introduce(MAIN, about),
        runtime: Handle::current(),
        server,
    };
    Ok((started, listener))
}

/// The private keys in files that a world names.
fn app_keys(source: &WorldSource) -> Result<HashMap<String, String>, LoadError> {
    let named = named_apps(source)?.into_iter();
    let keys = named.filter_map(|(slug, file)| {
        let key = read_regular(&file?, LARGEST_KEY).ok()?;
        let key = String::from_utf8(key).ok()?;
        Some((slug, key))
    });
    Ok(keys.collect())
}

async fn serve(worlds: &Arc<Worlds>, listener: TcpListener, stopped: oneshot::Receiver<()>) {
    let site = web::site(worlds, ControlGuard::Loopback);
    worlds.start_deliveries();
    let limits = ConnectionLimits::for_clients(CLIENTS, 1.0);
    let serving = web::server::serve(
        listener,
        site,
        limits,
        Arc::default(),
        std::future::pending(),
    );
    tokio::select! {
        () = serving => {}
        _ = stopped => {}
    }
    // Requests in flight are given up with the runtime; what is stored is closed in order.
    let _ = tokio::time::timeout(END, worlds.end()).await;
}
