//! Starts a service for one test, and speaks to it.
//!
//! The database is a SQLite file; with TEST_DATABASE_URL it is a database on
//! that PostgreSQL server instead. Either is copied from a template that is
//! migrated once for the whole run.

mod database;
mod documented;
pub mod explaining;
#[path = "../../private_database/server.rs"]
mod server;

use std::io::Read;
use std::sync::Arc;

use forgewright::app::{App, Settings};
use forgewright::clock::HeldClock;
use forgewright::contract::values::Timestamp;
use forgewright::entropy::SeededEntropy;
use forgewright::web;
use forgewright::world::load::{Loader, Source};
use poem::endpoint::BoxEndpoint;
use poem::http::{HeaderMap, Method, StatusCode};
use poem::test::TestClient;
use serde_json::Value;

use documented::assert_documented;

/// When every test begins.
pub const START: &str = "2026-03-10T09:30:00Z";

/// The world that tests share unless they bring their own.
pub const WORLD: &str = include_str!("world.yaml");

/// A service of its own for one test.
pub struct Service {
    pub app: Arc<App>,
    pub clock: HeldClock,
    client: TestClient<BoxEndpoint<'static, poem::Response>>,
    _database: database::Private,
}

impl Service {
    /// A service with the shared world.
    pub async fn start() -> Self {
        Self::with(WORLD, Settings::default()).await
    }

    /// A service with a world and settings of the test's own.
    pub async fn with(world: &str, settings: Settings) -> Self {
        let database = database::Private::new().await;
        let clock = HeldClock::at(Timestamp::parse(START).unwrap());
        let entropy = Arc::new(SeededEntropy::new(7));
        let db = database.connect().await;
        let app = App::new(db, Arc::new(clock.clone()), entropy, settings);
        let loader = Loader::new(&app.db, &*app.clock, &*app.entropy);
        if let Err(error) = loader.load(&Source::inline("world.yaml", world)).await {
            panic!("the world of the test cannot be loaded:\n{error}");
        }
        Self {
            client: TestClient::new(web::router(&app)),
            app,
            clock,
            _database: database,
        }
    }

    /// Speaks with a token of the world file.
    pub fn as_(&self, token: &str) -> Speaker<'_> {
        self.anonymous()
            .header("Authorization", format!("Bearer {token}"))
    }

    /// Speaks with no credential.
    pub fn anonymous(&self) -> Speaker<'_> {
        Speaker {
            service: self,
            headers: Vec::new(),
        }
    }
}

/// Somebody who calls, with the headers they send.
#[derive(Clone)]
pub struct Speaker<'a> {
    service: &'a Service,
    headers: Vec<(String, String)>,
}

impl Speaker<'_> {
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body.to_string())).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, Some(body.to_string())).await
    }

    pub async fn put(&self, path: &str) -> Answer {
        self.send(Method::PUT, path, None).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await
    }

    pub async fn send(&self, method: Method, path: &str, body: Option<String>) -> Answer {
        let request = self.request(method.clone(), path);
        let answer = match body {
            Some(body) => answered(request.content_type("application/json").body(body)).await,
            None => answered(request).await,
        };
        assert_documented(&method, path, answer.status, &answer.text);
        answer
    }

    /// Sends a body as it comes.
    #[allow(dead_code, reason = "the security suite sends bodies that take long")]
    pub async fn send_body(&self, method: Method, path: &str, body: poem::Body) -> Answer {
        let request = self.request(method.clone(), path);
        let request = request.content_type("application/json").body(body);
        let answer = answered(request).await;
        assert_documented(&method, path, answer.status, &answer.text);
        answer
    }

    fn request(&self, method: Method, path: &str) -> Request<'_> {
        let mut request = self.service.client.request(method, path);
        for (name, value) in &self.headers {
            request = request.header(name.as_str(), value.as_str());
        }
        request
    }
}

type Request<'a> = poem::test::TestRequestBuilder<'a, BoxEndpoint<'static, poem::Response>>;

async fn answered(request: Request<'_>) -> Answer {
    let mut response = request.send().await.0;
    let body = response.take_body().into_vec().await.unwrap();
    Answer {
        status: response.status(),
        text: read(&body, response.header("content-encoding")),
        headers: response.headers().clone(),
    }
}

/// The text of a body, whichever way it is compressed.
fn read(body: &[u8], encoding: Option<&str>) -> String {
    let mut text = String::new();
    let read = match encoding {
        None => return String::from_utf8(body.to_vec()).unwrap(),
        Some("gzip") => flate2::read::GzDecoder::new(body).read_to_string(&mut text),
        Some("br") => brotli::Decompressor::new(body, 4096).read_to_string(&mut text),
        Some(other) => panic!("an unknown encoding: {other}"),
    };
    read.unwrap();
    text
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    /// The body, which must be JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|error| panic!("{error} in the body {:?}", self.text))
    }

    /// The sentence of an error, whose body must have the one shape.
    pub fn message(&self) -> String {
        let body = self.json();
        assert_eq!(body["status"], self.status.as_str(), "{body}");
        assert!(body["documentation_url"].is_string(), "{body}");
        body["message"].as_str().unwrap().to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Fails the test, with the body, unless the status is this one.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        self
    }
}
