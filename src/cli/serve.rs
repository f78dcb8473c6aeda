//! `forgewright serve`: from a command line to a listening server, and down
//! again without losing a request.

use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use poem::Server;
use poem::listener::{Acceptor, Listener, TcpListener};
use sea_orm::EntityTrait;

use super::{Failure, demo, open};
use crate::app::App;
use crate::clock::SystemClock;
use crate::config::ServeConfig;
use crate::database::Database;
use crate::entities::account;
use crate::entropy::SystemEntropy;
use crate::notify;
use crate::web;
use crate::world::load::{Loader, Source};

/// A connection on which nothing happens for so long is closed.
const IDLE: Duration = Duration::from_secs(75);

pub async fn run(config: &ServeConfig) -> Result<(), Failure> {
    let db = open(&config.database).await?;
    fill(&db, config).await?;
    let demo = demo::is_in(&db).await?;
    if demo && !config.listen.ip().is_loopback() && !config.allow_demo_tokens {
        return Err(Failure::Other(format!(
            "the demo world's tokens and key are known to everybody, so it is not served on {}; load a \
             world of your own into another --data-dir, or insist with --allow-demo-tokens",
            config.listen
        )));
    }
    if config.trusts_any_host() {
        tracing::warn!(
            "links will name whatever host a caller claims, also those in webhooks; name this \
             server's address with --base-url"
        );
    }
    let acceptor = listen(config.listen).await?;
    let address = acceptor
        .local_addr()
        .first()
        .and_then(|address| address.as_socket_addr().copied())
        .unwrap_or(config.listen);
    let app = App::new(
        db.clone(),
        Arc::new(SystemClock),
        Arc::new(SystemEntropy),
        config.settings(),
    );
    greet(address, demo.then(|| config.database.data_dir()));
    let deliveries = notify::start(app.clone());
    Server::new_with_acceptor(acceptor)
        .idle_timeout(IDLE)
        .run_with_graceful_shutdown(
            web::router(&app),
            told_to_stop(),
            Some(config.shutdown_grace()),
        )
        .await
        .map_err(|error| Failure::Other(format!("the server stopped: {error}")))?;
    deliveries.stop().await;
    db.close().await?;
    Ok(())
}

/// Loads the world file, or the demo world into an empty database.
async fn fill(db: &Database, config: &ServeConfig) -> Result<(), Failure> {
    let source = match &config.world {
        Some(path) => Source::file(path),
        None if account::Entity::find().one(db.reads()).await?.is_none() => Source::demo(),
        None => return Ok(()),
    };
    let loader = Loader::new(db, &SystemClock, &SystemEntropy);
    let loaded = loader.load(&source).await.map_err(Failure::of)?;
    if config.world.is_some() {
        print!("{}", super::world::summary(&loaded));
    }
    Ok(())
}

async fn listen(address: SocketAddr) -> Result<impl Acceptor, Failure> {
    TcpListener::bind(address)
        .into_acceptor()
        .await
        .map_err(|error| {
            let advice = match error.kind() {
                std::io::ErrorKind::AddrInUse => {
                    "stop the other program, or choose another with --listen"
                }
                std::io::ErrorKind::PermissionDenied => {
                    "ports below 1024 need privileges; choose another with --listen"
                }
                _ => "choose another with --listen",
            };
            Failure::Other(format!("cannot listen on {address}: {error}; {advice}"))
        })
}

/// What a person wants to know first. Standard output may be closed; that is no
/// reason not to serve. The folder is where the demo leaves the key of its app.
fn greet(address: SocketAddr, demo: Option<&Path>) {
    let base = format!("http://{address}");
    let mut text = format!("Forgewright {}\n\n", env!("CARGO_PKG_VERSION"));
    text.push_str(&format!("  API   {base}/\n  Docs  {base}/docs/\n"));
    if let Some(folder) = demo {
        text.push_str(&demo::introduction(&base, folder));
    }
    let _ = writeln!(std::io::stdout(), "{text}");
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
