//! Records requests in the journal, with the reasons for refusals. Does nothing unless the control
//! API is served.

use std::sync::Arc;
use std::time::Instant;

use http_body_util::combinators::BoxBody;
use hyper::body::Body as _;
use poem::http::{HeaderName, HeaderValue, Method, Uri, header};
use poem::{Body, Request, Response};

use super::reasons;
use crate::web::headers::Facts;
use contract::control::journal::JOURNAL_HEADER;
use contract::problem::Problem;
use contract::values::Timestamp;
use forge::app::App;
use forge::explain::Recorder;
use forge::journal::{Headers, Journal, Message, RecordedBody, RecordedExchange, Tap, credentials};

/// A request that will be in the journal.
pub struct JournaledRequest {
    journal: Arc<Journal>,
    recorder: Arc<Recorder>,
    at: Timestamp,
    started: Instant,
    method: Method,
    uri: Uri,
    headers: Headers,
    token: Option<String>,
    body: RecordedBody,
}

impl JournaledRequest {
    /// None if the control API is not served, or if the request opts out.
    pub fn begin(app: &App, request: &Request) -> Option<Self> {
        let journal = app.tools.as_ref()?.journal.clone();
        let headers = request.headers();
        if headers
            .get(JOURNAL_HEADER)
            .is_some_and(|value| value == "off")
        {
            return None;
        }
        let token = headers.get(header::AUTHORIZATION);
        let token = token.and_then(|value| credentials::hint(value.as_bytes()));
        Some(Self {
            journal,
            recorder: Arc::default(),
            at: app.clock.now(),
            started: Instant::now(),
            method: request.method().clone(),
            uri: request.uri().clone(),
            headers: Headers::of(headers),
            token,
            body: RecordedBody::default(),
        })
    }

    pub fn recorder(&self) -> Arc<Recorder> {
        self.recorder.clone()
    }

    /// Records the beginning of a body, whether it has arrived or is still being read.
    pub async fn record_body(&mut self, request: &mut Request, arrived: bool) {
        let body = request.take_body();
        if body.is_empty() {
            return;
        }
        if arrived {
            let bytes = body.into_bytes().await.unwrap_or_default();
            self.body = RecordedBody::of(&bytes);
            request.set_body(bytes);
        } else {
            self.tap(Tap::recording(), body, request);
        }
    }

    /// Counts the bytes of a body, for Git clients.
    pub fn count_body(&mut self, request: &mut Request) {
        let body = request.take_body();
        if !body.is_empty() {
            self.tap(Tap::counting(), body, request);
        }
    }

    fn tap(&mut self, tap: Arc<Tap>, body: Body, request: &mut Request) {
        request.set_body(tap.on(body));
        self.body = RecordedBody::Streaming(tap);
    }

    /// Adds an answered request of the API.
    pub async fn end(
        self,
        app: &App,
        facts: &Facts,
        response: &mut Response,
        problem: Option<&Problem>,
    ) {
        let body: BoxBody<_, _> = response.take_body().into();
        let recorded = match body.size_hint().exact() {
            Some(_) => {
                let bytes = Body::from(body).into_bytes().await.unwrap_or_default();
                let recorded = RecordedBody::of(&bytes);
                response.set_body(bytes);
                recorded
            }
            None => {
                let tap = Tap::recording();
                response.set_body(tap.on(body.into()));
                RecordedBody::Streaming(tap)
            }
        };
        self.add(app, facts, response, (recorded, problem)).await;
    }

    /// Adds an answered request of a Git client, without the bytes of its pack.
    pub async fn end_git(
        self,
        app: &App,
        facts: &Facts,
        response: &mut Response,
        problem: Option<&Problem>,
    ) {
        let tap = Tap::counting();
        let body = tap.on(response.take_body());
        response.set_body(body);
        let recorded = RecordedBody::Streaming(tap);
        self.add(app, facts, response, (recorded, problem)).await;
    }

    async fn add(
        self,
        app: &App,
        facts: &Facts,
        response: &mut Response,
        (body, problem): (RecordedBody, Option<&Problem>),
    ) {
        let steps = self.recorder.take();
        let account = match &facts.caller {
            Some(caller) if problem.is_some() => app.access.account_of(caller).await,
            _ => None,
        };
        let summary = reasons::RequestSummary {
            method: &self.method,
            path: self.uri.path(),
            caller: facts.caller.as_deref(),
            token: self.token.as_deref(),
            account: account.as_deref(),
            operation: facts.operation,
        };
        let explanation = reasons::explain(&summary, steps, problem, response.status());
        if let Some(explanation) = &explanation {
            tracing::debug!(request_id = facts.request_id, "{}", explanation.line);
        }
        let id = self.journal.add(RecordedExchange {
            id: 0,
            request_id: facts.request_id.clone(),
            at: self.at,
            elapsed: self.started.elapsed(),
            method: self.method,
            uri: self.uri,
            operation: facts.operation,
            caller: facts.caller.clone(),
            token: self.token,
            status: response.status(),
            cache: facts.cache,
            request: Message {
                headers: self.headers,
                body: self.body,
            },
            answer: Message {
                headers: Headers::of(response.headers()),
                body,
            },
            explanation,
        });
        let name = HeaderName::from_static(JOURNAL_HEADER);
        response.headers_mut().insert(name, HeaderValue::from(id));
    }
}
