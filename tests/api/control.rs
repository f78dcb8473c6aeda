//! The control API: a server with the world `main` and those that a test creates.

mod clock;
mod deliveries;
mod faults;
mod journal;
mod snapshots;
mod worlds;
mod worlds_apart;

use std::sync::Arc;

use forge::app::Settings;
use forge::router;
use forgewright::web::{self, ControlGuard};
use forgewright::worlds::{KnownTokens, LOADED, Worlds, WorldsOptions};
use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem::{Body, Endpoint, Request, Response};
use serde_json::{Value, json};
use storage::clock::SystemClock;
use storage::database::{Database, Options};
use storage::entropy::SystemEntropy;
use storage::limits::Budgets;
use storage::limits::content::ContentBudget;
use tempfile::TempDir;
use world::load::{Loader, WorldSource};

use crate::harness::{Answer, Service, WORLD};
use crate::support::database::PrivateDatabase;

/// The token of the demo world that tests write with.
pub const ALICE: &str = "ghp_demo_alice_admin";

/// A server with the demo world as `main`, like that of `forgewright serve`.
pub struct Site {
    pub worlds: Arc<Worlds>,
    endpoint: BoxEndpoint<'static, Response>,
    /// The folder of the created worlds.
    pub folder: TempDir,
    _database: PrivateDatabase,
}

impl Site {
    pub async fn start() -> Self {
        Self::with_limit(1000).await
    }

    /// A server that allows at most this many worlds.
    pub async fn with_limit(most: usize) -> Self {
        let database = PrivateDatabase::migrated().await;
        let db = Database::connect(&database.url(), Options::default()).await;
        let settings = Settings {
            control: true,
            budgets: Some(Budgets::default()),
            content: Some(ContentBudget::default()),
            ..Settings::default()
        };
        let clock = Arc::new(SystemClock);
        let app = router::app(db.unwrap(), clock, Arc::new(SystemEntropy), settings);
        let loader = Loader::new(&app.db, &*app.clock, &*app.entropy);
        let source = WorldSource::demo();
        let loaded = loader.load(&source).await.unwrap();
        app.db.make_snapshot(LOADED).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let options = WorldsOptions {
            folder: folder.path().join("worlds"),
            most,
            known: KnownTokens::of(&source, &loaded),
            loaded: Some(source),
            ..WorldsOptions::default()
        };
        let worlds = Worlds::with(&app, web::router, options);
        worlds.start_deliveries();
        Self {
            endpoint: web::site(&worlds, ControlGuard::Loopback),
            worlds,
            folder,
            _database: database,
        }
    }

    /// Sends a request. Returns the status and the body, which is null if it is empty.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        token: Option<&str>,
        body: Option<Value>,
    ) -> (u16, Value) {
        let mut request = Request::builder().method(method).uri_str(path);
        request = request.header("Content-Type", "application/json");
        if let Some(token) = token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let request = request.body(body);
        let mut response = self.endpoint.get_response(request).await;
        let status = response.status().as_u16();
        let body = response.take_body().into_vec().await.unwrap();
        let body = match body.is_empty() {
            true => Value::Null,
            false => serde_json::from_slice(&body).unwrap(),
        };
        (status, body)
    }

    /// Sends a request to the control API.
    pub async fn control(&self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let path = format!("/_forgewright/worlds{path}");
        self.send(method, &path, None, body).await
    }

    /// Creates a world. Returns its base path.
    pub async fn create_world(&self, body: Value) -> String {
        let (status, world) = self.control(Method::POST, "", Some(body)).await;
        assert_eq!(status, 201, "{world}");
        let name = world["name"].as_str().unwrap();
        format!("/_worlds/{name}")
    }

    pub async fn reset(&self, world: &str) {
        let (status, answer) = self
            .control(Method::POST, &format!("/{world}/reset"), None)
            .await;
        assert_eq!(status, 204, "{answer}");
    }

    /// Creates a branch of acme/gadgets in the world at this base path. Returns the status.
    pub async fn branch(&self, base: &str, name: &str) -> u16 {
        let sha = self.main_sha(base).await;
        let body = json!({"ref": format!("refs/heads/{name}"), "sha": sha});
        let path = format!("{base}/repos/acme/gadgets/git/refs");
        self.send(Method::POST, &path, Some(ALICE), Some(body))
            .await
            .0
    }

    pub async fn main_sha(&self, base: &str) -> String {
        let path = format!("{base}/repos/acme/gadgets/git/ref/heads/main");
        let (status, found) = self.send(Method::GET, &path, Some(ALICE), None).await;
        assert_eq!(status, 200, "{found}");
        found["object"]["sha"].as_str().unwrap().to_owned()
    }

    /// The names of the branches of acme/gadgets that start with this prefix.
    pub async fn branches(&self, base: &str, prefix: &str) -> Vec<String> {
        let path = format!("{base}/repos/acme/gadgets/git/matching-refs/heads/{prefix}");
        let (status, found) = self.send(Method::GET, &path, Some(ALICE), None).await;
        assert_eq!(status, 200, "{found}");
        let found = found.as_array().unwrap().iter();
        let names = found.map(|found| found["ref"].as_str().unwrap().to_owned());
        names.collect()
    }

    /// Replies to the first review comment of a pull request in acme/gadgets. Returns the id.
    pub async fn comment(&self, base: &str, text: &str) -> i64 {
        let path = format!("{base}/repos/acme/gadgets/pulls/1/comments");
        let (status, found) = self.send(Method::GET, &path, Some(ALICE), None).await;
        assert_eq!(status, 200, "{found}");
        let first = &found[0]["id"];
        let path = format!("{path}/{first}/replies");
        let body = json!({"body": text});
        let (status, created) = self
            .send(Method::POST, &path, Some(ALICE), Some(body))
            .await;
        assert_eq!(status, 201, "{created}");
        created["id"].as_i64().unwrap()
    }
}

/// A service with the control API.
async fn start() -> Service {
    with(WORLD, Settings::default()).await
}

async fn with(world: &str, settings: Settings) -> Service {
    let settings = Settings {
        control: true,
        ..settings
    };
    Service::with(world, settings).await
}

/// The path of the control API for the world `main`.
fn main_path(path: &str) -> String {
    format!("/_forgewright/worlds/main/{path}")
}

/// Expects 404 with the message for an unknown world.
fn expect_unknown_world(answer: Answer) {
    let message = answer.expect(404).message();
    assert_eq!(message, "There is no world named 'nowhere'");
}
