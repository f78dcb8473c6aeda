//! `forgewright serve`: from a command line to a listening server, and down
//! again without losing a request.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use rustix::process::{Resource, getrlimit, setrlimit};
use sea_orm::EntityTrait;
use tokio::net::{TcpListener, TcpSocket};

use super::{Failure, demo, open_with, print};
use crate::app::App;
use crate::clock::SystemClock;
use crate::config::ServeConfig;
use crate::database::{Database, Options};
use crate::entities::account;
use crate::entropy::SystemEntropy;
use crate::notify;
use crate::web;
use crate::web::server::Limits;
use crate::world::load::{Loader, Source, brings_the_demo};

/// Descriptors that are not connections of clients: the database, the log.
const OWN_DESCRIPTORS: u64 = 64;

/// Connections that may wait to be taken.
const BACKLOG: u32 = 1024;

/// Nothing is made or loaded before it is known that it will be served.
pub async fn run(config: &ServeConfig) -> Result<(), Failure> {
    let named = config.world.as_ref().map(Source::file);
    let well_known = match &named {
        Some(source) => brings_the_demo(source).map_err(Failure::of)?,
        None => !config.database.exists(),
    };
    refuse_to_others(well_known, config)?;
    let socket = reserve(config.listen)?;
    let options = Options {
        patience: Some(web::PATIENCE),
        ..config.database.options()
    };
    let db = open_with(&config.database, options).await?;
    let source = match named {
        None if is_empty(&db).await? => Some(Source::demo()),
        named => named,
    };
    let demo =
        source.as_ref().is_some_and(|source| source.demo) || well_known || demo::is_in(&db).await?;
    refuse_to_others(demo, config)?;
    if let Some(source) = source {
        load(&db, &source, config).await?;
    }
    if config.trusts_any_host() {
        tracing::warn!(
            "links will name whatever host a caller claims, also those in webhooks; name this \
             server's address with --base-url"
        );
    }
    let listener = listen(socket, config.listen)?;
    let address = listener.local_addr().unwrap_or(config.listen);
    let app = App::new(
        db.clone(),
        Arc::new(SystemClock),
        Arc::new(SystemEntropy),
        config.settings(),
    );
    greet(address, demo.then(|| config.database.data_dir()));
    let deliveries = notify::start(app.clone());
    web::server::serve(listener, web::router(&app), limits(config), told_to_stop()).await;
    deliveries.stop().await;
    app.limits.settle(app.clock.now()).await;
    db.close().await?;
    Ok(())
}

/// Everybody knows the tokens and the key of the demo world.
fn refuse_to_others(demo: bool, config: &ServeConfig) -> Result<(), Failure> {
    if !demo || config.listen.ip().is_loopback() || config.allow_demo_tokens {
        return Ok(());
    }
    Err(Failure::Other(format!(
        "the demo world's tokens and key are known to everybody, so it is not served on {}; load a \
         world of your own into another --data-dir, or insist with --allow-demo-tokens",
        config.listen
    )))
}

async fn is_empty(db: &Database) -> Result<bool, Failure> {
    let account = account::Entity::find().one(db.reads()).await?;
    Ok(account.is_none())
}

async fn load(db: &Database, source: &Source, config: &ServeConfig) -> Result<(), Failure> {
    let loader = Loader::new(db, &SystemClock, &SystemEntropy);
    let loaded = loader.load(source).await.map_err(Failure::of)?;
    if config.world.is_some() {
        // Standard output may be closed; that is no reason not to serve.
        let _ = print::all(format_args!("{}", super::world::summary(&loaded)));
    }
    Ok(())
}

fn limits(config: &ServeConfig) -> Limits {
    Limits {
        shutdown_grace: config.shutdown_grace(),
        ..Limits::for_clients(clients(config), config.max_clients_per_address)
    }
}

/// As many connections as were asked for, if there are descriptors for them. The
/// limit that a shell gives is raised as far as it may be.
fn clients(config: &ServeConfig) -> u32 {
    let limit = getrlimit(Resource::Nofile);
    let raised = rustix::process::Rlimit {
        current: limit.maximum,
        ..limit
    };
    let current = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    let own = OWN_DESCRIPTORS + u64::from(config.database.options().connections);
    let room = current.map_or(u64::MAX, |most| most.saturating_sub(own).max(1));
    let clients = u64::from(config.max_clients).min(room);
    if clients < u64::from(config.max_clients) {
        tracing::warn!("there are descriptors for {clients} clients only; raise `ulimit -n`");
    }
    u32::try_from(clients).unwrap_or(config.max_clients)
}

/// Takes the address, so that nobody else can, without listening yet.
fn reserve(address: SocketAddr) -> Result<TcpSocket, Failure> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    };
    let reserved = socket.and_then(|socket| {
        // The connections of a server that has just ended are not in the way.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(socket)
    });
    reserved.map_err(|error| cannot_listen(address, &error))
}

fn listen(socket: TcpSocket, address: SocketAddr) -> Result<TcpListener, Failure> {
    let listener = socket.listen(BACKLOG);
    listener.map_err(|error| cannot_listen(address, &error))
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Failure {
    let advice = match error.kind() {
        std::io::ErrorKind::AddrInUse => "stop the other program, or choose another with --listen",
        std::io::ErrorKind::PermissionDenied => {
            "ports below 1024 need privileges; choose another with --listen"
        }
        _ => "choose another with --listen",
    };
    Failure::Other(format!("cannot listen on {address}: {error}; {advice}"))
}

/// What a person wants to know first. The folder is where the demo leaves the key of its app.
fn greet(address: SocketAddr, demo: Option<&Path>) {
    let base = format!("http://{address}");
    let mut text = format!("Forgewright {}\n\n", env!("CARGO_PKG_VERSION"));
    text.push_str(&format!("  API   {base}/\n  Docs  {base}/docs/\n"));
    if let Some(folder) = demo {
        text.push_str(&demo::introduction(&base, folder));
    }
    let _ = print::line(format_args!("{text}"));
}

async fn told_to_stop() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => {
                tokio::select! {
                    _ = interrupt => {}
                    _ = terminate.recv() => {}
                }
            }
            Err(_) => {
                let _ = interrupt.await;
            }
        }
    }
    #[cfg(not(unix))]
    {
        let _ = interrupt.await;
    }
    tracing::info!("finishing the requests in flight");
}
