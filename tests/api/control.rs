//! The control API: a server with `main` and the worlds that a test makes.

mod clock;
mod deliveries;
mod faults;
mod journal;
mod snapshots;
mod worlds;
mod worlds_apart;

use std::sync::Arc;

use forgewright::app::{App, Settings};
use forgewright::clock::SystemClock;
use forgewright::database::{Database, Options};
use forgewright::entropy::SystemEntropy;
use forgewright::limits::Budgets;
use forgewright::limits::content::ContentBudget;
use forgewright::web::{self, ControlGuard};
use forgewright::world::load::{Loader, WorldSource};
use forgewright::worlds::{KnownTokens, LOADED, Worlds, WorldsOptions};
use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem::{Body, Endpoint, Request, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Answer, Service, WORLD};
use crate::support::database::PrivateDatabase;

/// The token of the demo world that tests write with.
pub const ALICE: &str = "ghp_demo_alice_admin";

/// A server with the demo world as `main`, as `forgewright serve` makes one.
pub struct Site {
    pub worlds: Arc<Worlds>,
    endpoint: BoxEndpoint<'static, Response>,
    /// The folder of made worlds.
    pub folder: TempDir,
    _database: PrivateDatabase,
}

impl Site {
    pub async fn start() -> Self {
        Self::with(1000).await
    }

    /// A server that makes so many worlds at most.
    pub async fn with(most: usize) -> Self {
        let database = PrivateDatabase::migrated().await;
        let db = Database::connect(&database.url(), Options::default()).await;
        let settings = Settings {
            control: true,
            budgets: Some(Budgets::default()),
            content: Some(ContentBudget::default()),
            ..Settings::default()
        };
        let clock = Arc::new(SystemClock);
        let app = App::new(db.unwrap(), clock, Arc::new(SystemEntropy), settings);
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
        let worlds = Worlds::with(&app, options);
        worlds.start_deliveries();
        Self {
            endpoint: web::site(&worlds, ControlGuard::Loopback),
            worlds,
            folder,
            _database: database,
        }
    }

    /// The status and the body of an answer; null if it is empty.
    pub async fn ask(
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

    /// Asks the control API.
    pub async fn control(&self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let path = format!("/_forgewright/worlds{path}");
        self.ask(method, &path, None, body).await
    }

    /// Makes a world, and returns where it is.
    pub async fn make(&self, body: Value) -> String {
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

    /// Creates a branch of acme/gadgets in the world at a place, and returns the status.
    pub async fn branch(&self, place: &str, name: &str) -> u16 {
        let sha = self.main_sha(place).await;
        let body = json!({"ref": format!("refs/heads/{name}"), "sha": sha});
        let path = format!("{place}/repos/acme/gadgets/git/refs");
        self.ask(Method::POST, &path, Some(ALICE), Some(body))
            .await
            .0
    }

    pub async fn main_sha(&self, place: &str) -> String {
        let path = format!("{place}/repos/acme/gadgets/git/ref/heads/main");
        let (status, found) = self.ask(Method::GET, &path, Some(ALICE), None).await;
        assert_eq!(status, 200, "{found}");
        found["object"]["sha"].as_str().unwrap().to_owned()
    }

    /// The names of the branches of acme/gadgets that begin like this.
    pub async fn branches(&self, place: &str, beginning: &str) -> Vec<String> {
        let path = format!("{place}/repos/acme/gadgets/git/matching-refs/heads/{beginning}");
        let (status, found) = self.ask(Method::GET, &path, Some(ALICE), None).await;
        assert_eq!(status, 200, "{found}");
        let found = found.as_array().unwrap().iter();
        let names = found.map(|found| found["ref"].as_str().unwrap().to_owned());
        names.collect()
    }

    /// Comments on the first pull request of acme/gadgets, and returns the id.
    pub async fn comment(&self, place: &str, text: &str) -> i64 {
        let path = format!("{place}/repos/acme/gadgets/pulls/1/comments");
        let (status, found) = self.ask(Method::GET, &path, Some(ALICE), None).await;
        assert_eq!(status, 200, "{found}");
        let first = &found[0]["id"];
        let path = format!("{path}/{first}/replies");
        let body = json!({"body": text});
        let (status, made) = self.ask(Method::POST, &path, Some(ALICE), Some(body)).await;
        assert_eq!(status, 201, "{made}");
        made["id"].as_i64().unwrap()
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

/// Where the main world is controlled.
fn main(path: &str) -> String {
    format!("/_forgewright/worlds/main/{path}")
}

/// Fails unless the world is unknown to an operation.
fn expect_unknown_world(answer: Answer) {
    let message = answer.expect(404).message();
    assert_eq!(message, "There is no world named 'nowhere'");
}
