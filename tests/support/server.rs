//! A server in this process, and its clients. Servers that share a database are like separate
//! processes: each has its own connections and its own cache.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use forge::app::{App, Settings};
use forge::router;
use forgewright::web::{self, ControlGuard};
use forgewright::worlds::Worlds;
use poem::endpoint::BoxEndpoint;
use poem::http::{HeaderMap, Method, StatusCode};
use poem::{Body, Endpoint, Request, Response};
use serde_json::Value;
use storage::clock::{Clock, SystemClock};
use storage::database::{Database, Options};
use storage::entropy::SystemEntropy;
use world::load::{Loader, WorldSource};

use super::harness::documented::assert_documented;

/// A request that takes longer hangs. Settings have no limit by default.
const PATIENCE: Duration = Duration::from_secs(600);

pub struct Server {
    pub app: Arc<App>,
    router: BoxEndpoint<'static, Response>,
    documented: bool,
}

impl Server {
    pub fn new(app: Arc<App>) -> Self {
        Self {
            router: match app.settings.control {
                true => web::site(&Worlds::new(&app, web::router), ControlGuard::Loopback),
                false => web::router(&app),
            },
            app,
            documented: false,
        }
    }

    /// A server on a migrated database.
    pub async fn on(url: &str, clock: Arc<dyn Clock>, settings: Settings) -> Self {
        let db = Database::connect(url, Options::default()).await.unwrap();
        Self::new(router::app(db, clock, Arc::new(SystemEntropy), settings))
    }

    /// A server on a migrated database, with the default settings.
    pub async fn start(url: &str) -> Self {
        Self::on(url, Arc::new(SystemClock), Settings::default()).await
    }

    /// Validates every response against the OpenAPI documents from now on.
    #[must_use]
    pub fn documented(mut self) -> Self {
        self.documented = true;
        self
    }

    /// Accepts responses that no document describes, such as injected faults.
    #[must_use]
    pub fn undocumented(mut self) -> Self {
        self.documented = false;
        self
    }

    pub async fn load(&self, name: &str, world: &str) {
        self.load_source(&WorldSource::inline(name, world)).await;
    }

    pub async fn load_source(&self, source: &WorldSource) {
        let app = &self.app;
        let loader = Loader::new(&app.db, &*app.clock, &*app.entropy);
        if let Err(error) = loader.load(source).await {
            panic!("{} cannot be loaded:\n{error}", source.name);
        }
    }

    pub async fn stop(&self) {
        self.app.db.close().await.unwrap();
    }

    /// A client with a token of the world file.
    pub fn as_(&self, token: &str) -> Client<'_> {
        self.anonymous()
            .header("Authorization", format!("Bearer {token}"))
    }

    /// A client without a credential.
    pub fn anonymous(&self) -> Client<'_> {
        Client {
            server: self,
            headers: Vec::new(),
        }
    }

    /// The status and the body of a response to a client with this token.
    pub async fn get(&self, path: &str, token: &str) -> (u16, Value) {
        self.as_(token).get(path).await.parts()
    }

    /// The status and the body of the response to a request with this token.
    pub async fn send(&self, method: Method, path: &str, token: &str, body: Value) -> (u16, Value) {
        let client = self.as_(token);
        let response = client.send(method, path, Some(body.to_string())).await;
        response.parts()
    }
}

/// A client, with the headers that it sends.
#[derive(Clone)]
pub struct Client<'a> {
    server: &'a Server,
    headers: Vec<(String, String)>,
}

impl Client<'_> {
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    /// Reads twice; the second time with the ETag of the first response.
    pub async fn expect_not_modified(&self, path: &str) {
        let response = self.get(path).await.expect(200);
        let tag = response.header("etag").unwrap();
        let conditional = self.clone().header("If-None-Match", tag);
        conditional.get(path).await.expect(304);
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
        match body {
            Some(body) => self.send_body(method, path, body.into()).await,
            None => self.request(method, path, &[], Body::empty()).await,
        }
    }

    /// Sends a body of JSON, which can be a slow stream.
    pub async fn send_body(&self, method: Method, path: &str, body: Body) -> Answer {
        let json = ("Content-Type".to_owned(), "application/json".to_owned());
        self.request(method, path, &[json], body).await
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        extra: &[(String, String)],
        body: Body,
    ) -> Answer {
        let mut request = Request::builder().method(method.clone()).uri_str(path);
        for (name, value) in self.headers.iter().chain(extra) {
            request = request.header(name.as_str(), value.as_str());
        }
        let answer = self.server.router.get_response(request.body(body));
        let answer = tokio::time::timeout(PATIENCE, answer).await;
        let mut response = answer.unwrap_or_else(|_| panic!("{method} {path} hangs"));
        let body = response.take_body().into_vec().await.unwrap();
        let response = Answer {
            status: response.status(),
            text: decode(&body, response.header("content-encoding")),
            headers: response.headers().clone(),
        };
        if self.server.documented {
            assert_documented(
                &method,
                path,
                response.status,
                &response.headers,
                &response.text,
            );
        }
        response
    }
}

/// The text of a body, decompressed if necessary.
fn decode(body: &[u8], encoding: Option<&str>) -> String {
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

/// A response, completely read.
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

    /// The status and the body, which is null if it is empty.
    pub fn parts(&self) -> (u16, Value) {
        let body = if self.text.is_empty() {
            Value::Null
        } else {
            self.json()
        };
        (self.status.as_u16(), body)
    }

    /// The message of an error, whose body must be the standard one.
    pub fn message(&self) -> String {
        let body = self.json();
        assert_eq!(body["status"], self.status.as_str(), "{body}");
        assert!(body["documentation_url"].is_string(), "{body}");
        body["message"].as_str().unwrap().to_owned()
    }

    /// The field and the code of each error of a 422. All errors must be of this resource.
    pub fn refusals(&self, resource: &str) -> Vec<(String, String)> {
        assert_eq!(self.message(), "Validation Failed");
        let body = self.json();
        let errors = body["errors"].as_array().unwrap().iter();
        errors
            .map(|error| {
                assert_eq!(error["resource"], resource, "{error}");
                assert!(error["message"].is_string(), "{error}");
                let text = |key: &str| error[key].as_str().unwrap().to_owned();
                (text("field"), text("code"))
            })
            .collect()
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
