//! Servers on one database. Each has its own connections and its own cache, like separate
//! processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use forge::app::Settings;
use serde_json::Value;
use storage::cache::CacheSize;
use storage::clock::{Clock, SystemClock};
use tokio::task::JoinSet;

use super::{COMMENTS, REF, REPOSITORY, WORLD};
use crate::support::server::{Client, Server};

const READERS: usize = 32;

/// A server with a cache.
pub async fn caching(url: &str, clock: Arc<dyn Clock>) -> Server {
    let settings = Settings {
        issue_field_visibility: true,
        ..Settings::default()
    };
    Server::on(url, clock, settings).await
}

/// A server without a cache.
pub async fn uncached(url: &str, clock: Arc<dyn Clock>) -> Server {
    let settings = Settings {
        issue_field_visibility: true,
        cache: CacheSize(0),
        ..Settings::default()
    };
    Server::on(url, clock, settings).await
}

/// A caller with a token; an empty token means anonymous.
pub fn caller<'a>(server: &'a Server, token: &str) -> Client<'a> {
    if token.is_empty() {
        server.anonymous()
    } else {
        server.as_(token)
    }
}

/// Two servers on one database, and readers that continuously send requests to both.
pub struct ServerPair {
    pub servers: Arc<[Server; 2]>,
    readers: JoinSet<()>,
    over: Arc<AtomicBool>,
    /// The number of requests of the readers.
    pub read: Arc<AtomicU64>,
}

impl ServerPair {
    pub async fn open(url: &str) -> Self {
        let mut pair = Self::without_readers(url).await;
        for reader in 0..READERS {
            pair.start_reader(reader);
        }
        pair
    }

    pub async fn without_readers(url: &str) -> Self {
        let start = || caching(url, Arc::new(SystemClock));
        let servers = Arc::new([start().await, start().await]);
        servers[0].load("coherence.yaml", WORLD).await;
        Self {
            servers,
            readers: JoinSet::new(),
            over: Arc::default(),
            read: Arc::default(),
        }
    }

    fn start_reader(&mut self, reader: usize) {
        let (servers, over, read) = (self.servers.clone(), self.over.clone(), self.read.clone());
        let path = [REF, COMMENTS, REPOSITORY, "/installation/repositories"][reader % 4];
        let token = ["alice", "bobby", "carol", "ci-token"][reader / 4 % 4];
        self.readers.spawn(async move {
            while !over.load(Ordering::Relaxed) {
                servers[reader / 16].get(path, token).await;
                read.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
        });
    }

    pub async fn close(mut self) {
        self.over.store(true, Ordering::Relaxed);
        while self.readers.join_next().await.is_some() {}
        for server in &*self.servers {
            server.stop().await;
        }
    }

    /// The responses of both servers.
    pub async fn both(&self, path: &str, token: &str) -> [(u16, Value); 2] {
        [
            self.servers[0].get(path, token).await,
            self.servers[1].get(path, token).await,
        ]
    }

    pub async fn statuses(&self, path: &str, token: &str) -> [u16; 2] {
        self.both(path, token).await.map(|(status, _)| status)
    }
}
