//! `forgewright serve`: starts the server, and shuts it down without losing a request.

mod listening;

use std::net::SocketAddr;
use std::sync::Arc;

use sea_orm::EntityTrait;

use super::announce::{StartedWorld, announce};
use super::greeting::Greeting;
use super::{Failure, demo, open_with, print, shutdown};
use crate::config::{PreparedTls, ServeConfig};
use crate::web;
use crate::web::ControlGuard;
use crate::web::server::Listening;
use crate::worlds::{KnownTokens, LOADED, Worlds, WorldsOptions};
use forge::app::App;
use forge::router;
use forge::tokens;
use forge::webhooks;
use listening::{limits, listen, reserve};
use storage::clock::{Clock, SystemClock};
use storage::database::{Database, Options, SnapshotError};
use storage::entities::account;
use storage::entropy::SystemEntropy;
use world::load::{Loaded, Loader, WorldSource, contains_demo_key};

/// Checks that it may serve, and reserves the address, before it creates or loads anything.
pub async fn run(config: &ServeConfig) -> Result<(), Failure> {
    let source = config.world.as_ref().map(WorldSource::file);
    let well_known = match &source {
        Some(source) => contains_demo_key(source).map_err(Failure::of)?,
        None => !config.database.exists(),
    };
    reject_remote_demo(well_known, config)?;
    let tls = config.prepare_tls(SystemClock.now().to_calendar());
    let tls = tls.map_err(Failure::of)?;
    let socket = reserve(config.listen)?;
    let options = Options {
        request_timeout: Some(web::REQUEST_TIMEOUT),
        ..config.database.options()
    };
    let db = open_with(&config.database, options).await?;
    let (world, demo) = load_world(&db, config, source, well_known).await?;
    let listener = listen(socket, config.listen)?;
    let address = listener.local_addr().unwrap_or(config.listen);
    let app = router::app(
        db.clone(),
        Arc::new(SystemClock),
        Arc::new(SystemEntropy),
        config.settings(),
    );
    // Before the greeting: whoever has read it may stop the server.
    let shutdown = shutdown::signal(&config.starter);
    introduce(&db, config, address, &tls, world.as_ref(), demo).await?;
    let listening = Listening::new(listener, tls.tls);
    match app.settings.control {
        true => serve_worlds(&app, listening, config, (world, demo), shutdown).await,
        false => serve_alone(&app, listening, config, shutdown).await,
    }
    app.limits.return_shares(app.clock.now()).await;
    db.close().await?;
    Ok(())
}

/// Serves one world, without the control API.
async fn serve_alone(
    app: &Arc<App>,
    listening: Listening,
    config: &ServeConfig,
    shutdown: impl Future<Output = ()>,
) {
    let deliveries = webhooks::start(app.clone());
    let router = web::router(app);
    let memory = app.settings.memory.clone();
    web::server::serve(listening, router, limits(config), memory, shutdown).await;
    deliveries.stop().await;
}

/// Serves `main` and the worlds created through the control API.
async fn serve_worlds(
    app: &Arc<App>,
    listening: Listening,
    config: &ServeConfig,
    (loaded, demo): (Option<(WorldSource, Loaded)>, bool),
    shutdown: impl Future<Output = ()>,
) {
    let worlds = worlds(app, config, loaded, demo).await;
    let site = web::site(&worlds, control_guard(app, config));
    worlds.start_deliveries();
    let memory = app.settings.memory.clone();
    web::server::serve(listening, site, limits(config), memory, shutdown).await;
    worlds.end().await;
}

async fn worlds(
    app: &Arc<App>,
    config: &ServeConfig,
    loaded: Option<(WorldSource, Loaded)>,
    demo: bool,
) -> Arc<Worlds> {
    let mut options = WorldsOptions {
        folder: config.database.data_dir().join("worlds"),
        most: config.max_worlds,
        ..WorldsOptions::default()
    };
    if demo {
        options.known = KnownTokens::of(&WorldSource::demo(), &Loaded::default());
    }
    if let Some((source, loaded)) = loaded {
        if let Err(error) = save_loaded(&app.db, &loaded).await {
            tracing::warn!(%error, "cannot save the loaded state; the world cannot be reset");
        }
        options.known = KnownTokens::of(&source, &loaded);
        options.loaded = Some(source);
    }
    Worlds::with(app, web::router, options)
}

/// Saves the loaded state for resets, unless the load changed nothing and the state was saved
/// before.
async fn save_loaded(db: &Database, loaded: &Loaded) -> Result<(), SnapshotError> {
    let snapshots = db.snapshots().await?;
    let is_saved = snapshots.iter().any(|snapshot| snapshot.name == LOADED);
    if loaded.added + loaded.changed > 0 || !is_saved {
        db.make_snapshot(LOADED).await?;
    }
    Ok(())
}

fn control_guard(app: &App, config: &ServeConfig) -> ControlGuard {
    let token = config.control_token(|| {
        let token = tokens::generate_control(&*app.entropy);
        let _ = print::line(format_args!("The control token of this run: {token}"));
        token
    });
    token.map_or(ControlGuard::Loopback, |token| ControlGuard::token(&token))
}

/// Rejects exposing the demo credentials, which are public, to other machines.
fn reject_remote_demo(demo: bool, config: &ServeConfig) -> Result<(), Failure> {
    if !demo || config.listen.ip().is_loopback() || config.allow_demo_tokens {
        return Ok(());
    }
    Err(Failure::Other(format!(
        "the demo world's tokens and key are public, so it is not served on {}; load your own \
         world into another --data-dir, or pass --allow-demo-tokens",
        config.listen
    )))
}

async fn is_empty(db: &Database) -> Result<bool, Failure> {
    let account = account::Entity::find().one(db.reads()).await?;
    Ok(account.is_none())
}

/// Loads the world that the server is started with, if any: the given one, or the demo world
/// into an empty database. Also returns whether the database has the demo world.
async fn load_world(
    db: &Database,
    config: &ServeConfig,
    given: Option<WorldSource>,
    well_known: bool,
) -> Result<(Option<(WorldSource, Loaded)>, bool), Failure> {
    let source = match given {
        None if is_empty(db).await? => Some(WorldSource::demo()),
        given => given,
    };
    let demo =
        source.as_ref().is_some_and(|source| source.demo) || well_known || demo::is_in(db).await?;
    reject_remote_demo(demo, config)?;
    let Some(source) = source else {
        return Ok((None, demo));
    };
    let loaded = load(db, &source, config).await?;
    Ok((Some((source, loaded)), demo))
}

async fn load(
    db: &Database,
    source: &WorldSource,
    config: &ServeConfig,
) -> Result<Loaded, Failure> {
    let loader = Loader::new(db, &SystemClock, &SystemEntropy);
    let loaded = loader.load(source).await.map_err(Failure::of)?;
    if config.world.is_some() && !config.starter.announce {
        // A closed standard output must not prevent serving.
        let _ = print::all(format_args!("{}", super::world::summary(&loaded)));
    }
    Ok(loaded)
}

/// Prints the address of the server.
async fn introduce(
    db: &Database,
    config: &ServeConfig,
    address: SocketAddr,
    secured: &PreparedTls,
    world: Option<&(WorldSource, Loaded)>,
    demo: bool,
) -> Result<(), Failure> {
    if config.trusts_any_host() {
        tracing::warn!(
            "links, including those in webhooks, use the Host header of each request; set \
             --base-url to the address of this server"
        );
    }
    let scheme = match secured.tls {
        Some(_) => "https",
        None => "http",
    };
    let base = format!("{scheme}://{address}");
    if !config.starter.announce {
        let greeting = Greeting {
            config,
            base: &base,
            authority: secured.authority.as_deref(),
            demo,
        };
        greeting.print();
        return Ok(());
    }
    let world = world.map(|(source, loaded)| StartedWorld {
        source,
        loaded,
        data_dir: config.database.data_dir(),
    });
    announce(db, base, secured.authority.clone(), world).await
}
