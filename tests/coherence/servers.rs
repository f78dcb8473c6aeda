//! Servers on one database: each has its own connections and its own cache, as
//! separate processes would.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use forgewright::app::{App, Settings};
use forgewright::cache::CacheSize;
use forgewright::clock::{Clock, SystemClock};
use forgewright::database::{Database, Options};
use forgewright::entropy::SystemEntropy;
use forgewright::web;
use forgewright::world::load::{Loader, Source};
use poem::endpoint::BoxEndpoint;
use poem::http::{HeaderMap, Method};
use poem::{Endpoint, Request, Response};
use serde_json::Value;
use tokio::task::JoinSet;

use super::{COMMENTS, REF, REPOSITORY, WORLD};

const READERS: usize = 32;

/// Whether a server caches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cache {
    On,
    Off,
}

impl Cache {
    /// The only place that knows how the cache is switched off.
    fn settings(self) -> Settings {
        let mut settings = Settings {
            issue_field_visibility: true,
            ..Settings::default()
        };
        if self == Self::Off {
            settings.cache = CacheSize(0);
        }
        settings
    }
}

pub struct Server {
    pub app: Arc<App>,
    router: BoxEndpoint<'static, Response>,
}

/// A request. An empty token is an anonymous caller.
pub struct Call<'a> {
    pub method: Method,
    pub path: &'a str,
    pub token: &'a str,
    pub body: String,
    pub if_none_match: Option<&'a str>,
}

impl<'a> Call<'a> {
    pub fn get(path: &'a str, token: &'a str) -> Self {
        Self {
            method: Method::GET,
            path,
            token,
            body: String::new(),
            if_none_match: None,
        }
    }
}

/// A response with everything that a client can see of it.
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }
}

impl Server {
    pub async fn start(url: &str, clock: Arc<dyn Clock>, cache: Cache) -> Self {
        let db = Database::connect(url, Options::default()).await.unwrap();
        let app = App::new(db, clock, Arc::new(SystemEntropy), cache.settings());
        Self {
            router: web::router(&app),
            app,
        }
    }

    pub async fn send(&self, call: Call<'_>) -> Answer {
        let mut request = Request::builder()
            .method(call.method)
            .uri_str(format!("http://forge.test{}", call.path));
        if !call.token.is_empty() {
            request = request.header("Authorization", format!("Bearer {}", call.token));
        }
        if let Some(tag) = call.if_none_match {
            request = request.header("If-None-Match", tag);
        }
        let mut response = self.router.get_response(request.body(call.body)).await;
        let text = response.take_body().into_string().await.unwrap();
        Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text,
        }
    }

    pub async fn ask(&self, method: Method, path: &str, token: &str, body: Value) -> (u16, Value) {
        let call = Call {
            method,
            body: body.to_string(),
            ..Call::get(path, token)
        };
        let answer = self.send(call).await;
        (answer.status, answer.json())
    }

    pub async fn get(&self, path: &str, token: &str) -> (u16, Value) {
        let answer = self.send(Call::get(path, token)).await;
        (answer.status, answer.json())
    }

    pub async fn load(&self, name: &str, world: &str) {
        let loader = Loader::new(&self.app.db, &SystemClock, &SystemEntropy);
        if let Err(error) = loader.load(&Source::inline(name, world)).await {
            panic!("{name}: {error}");
        }
    }

    pub async fn stop(&self) {
        self.app.db.close().await.unwrap();
    }
}

/// Two servers on one database, and readers that never stop asking both.
pub struct Scene {
    pub servers: Arc<[Server; 2]>,
    readers: JoinSet<()>,
    over: Arc<AtomicBool>,
    pub read: Arc<AtomicU64>,
}

impl Scene {
    pub async fn open(url: &str) -> Self {
        let mut scene = Self::without_readers(url).await;
        for reader in 0..READERS {
            scene.hammer(reader);
        }
        scene
    }

    pub async fn without_readers(url: &str) -> Self {
        Database::migrate(url).await.unwrap();
        let start = || Server::start(url, Arc::new(SystemClock), Cache::On);
        let servers = Arc::new([start().await, start().await]);
        servers[0].load("coherence.yaml", WORLD).await;
        Self {
            servers,
            readers: JoinSet::new(),
            over: Arc::default(),
            read: Arc::default(),
        }
    }

    fn hammer(&mut self, reader: usize) {
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

    /// The answers of both servers, each asked for the first time since a change.
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
