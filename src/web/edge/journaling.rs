//! What the journal keeps of a request, and why it was refused. Nothing happens here
//! unless the control API is served.

use std::sync::Arc;
use std::time::Instant;

use http_body_util::combinators::BoxBody;
use hyper::body::Body as _;
use poem::http::{HeaderName, HeaderValue, Method, Uri, header};
use poem::{Body, Request, Response};

use super::reasons;
use crate::app::App;
use crate::contract::control::journal::JOURNAL_HEADER;
use crate::contract::problem::Problem;
use crate::contract::values::Timestamp;
use crate::explain::Recorder;
use crate::journal::{Headers, Journal, Message, RecordedBody, RecordedExchange, Tap, credentials};
use crate::web::headers::Facts;

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
    /// None unless the control API is served, and for a request that wants no entry.
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

    /// Keeps the beginning of a body that has arrived, or of one that is still read.
    pub async fn see_body(&mut self, request: &mut Request, arrived: bool) {
        let body = request.take_body();
        if body.is_empty() {
            return;
        }
        if arrived {
            let bytes = body.into_bytes().await.unwrap_or_default();
            self.body = RecordedBody::of(&bytes);
            request.set_body(bytes);
        } else {
            self.tap(Tap::keeping(), body, request);
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
        self.body = RecordedBody::Passing(tap);
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
        let kept = match body.size_hint().exact() {
            Some(_) => {
                let bytes = Body::from(body).into_bytes().await.unwrap_or_default();
                let kept = RecordedBody::of(&bytes);
                response.set_body(bytes);
                kept
            }
            None => {
                let tap = Tap::keeping();
                response.set_body(tap.on(body.into()));
                RecordedBody::Passing(tap)
            }
        };
        self.add(app, facts, response, (kept, problem)).await;
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
        let kept = RecordedBody::Passing(tap);
        self.add(app, facts, response, (kept, problem)).await;
    }

    async fn add(
        self,
        app: &App,
        facts: &Facts,
        response: &mut Response,
        (kept, problem): (RecordedBody, Option<&Problem>),
    ) {
        let steps = self.recorder.take();
        let account = match &facts.caller {
            Some(caller) if problem.is_some() => app.access.account_of(caller).await,
            _ => None,
        };
        let asked = reasons::RequestSummary {
            method: &self.method,
            path: self.uri.path(),
            caller: facts.caller.as_deref(),
            token: self.token.as_deref(),
            account: account.as_deref(),
            operation: facts.operation,
        };
        let explanation = reasons::explain(&asked, steps, problem, response.status());
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
                body: kept,
            },
            explanation,
        });
        let name = HeaderName::from_static(JOURNAL_HEADER);
        response.headers_mut().insert(name, HeaderValue::from(id));
    }
}
