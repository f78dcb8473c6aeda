//! The request pipeline, from the socket to an operation and back.
//!
//! In: request id, URL, API version, media type, caller, rate limit. Out: error body,
//! conditional 304, common headers, log line.

mod budget;
mod faults;
mod git;
mod head;
mod journaling;
mod messages;
mod reasons;
mod reporting;
mod responding;
mod work;

use std::sync::Arc;
use std::time::{Duration, Instant};

use poem::http::Method;
use poem::{Endpoint, Request, Response, Result};
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::address::RequestUrl;
use super::conditional::{Conditions, ValidatorMatch};
use super::headers::{self, Facts};
use super::indentation;
use super::links::{self, is_browser};
use super::metrics::Metrics;
use super::{arrival, docs, request_id};
use crate::telemetry;
use contract::call::RequestContext;
use contract::problem::Problem;
use forge::access::credential::Identity;
use forge::app::App;
use forge::explain;
use forge::git_transport::GitTransport;
use git::GitRoute;
use head::RequestHead;
use journaling::JournaledRequest;
use messages::{begin_stream, remote_address, without_body};
use responding::from_cache;
use storage::database::dependencies;
use storage::heavy;
use work::GuardedWrite;

/// The time limit of a request after it has arrived. Clients have given up by then.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The endpoint between the socket and the operations.
pub struct Edge<E> {
    operations: E,
    git: GitTransport,
    app: Arc<App>,
    metrics: Arc<Metrics>,
}

impl<E> Edge<E> {
    pub fn new(operations: E, app: Arc<App>, metrics: Arc<Metrics>) -> Self {
        Self {
            operations,
            git: GitTransport::new(app.clone()),
            app,
            metrics,
        }
    }
}

impl<E: Endpoint> Endpoint for Edge<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        if request.method() == Method::GET && request.uri().path() == "/" && is_browser(&request) {
            return Ok(docs::redirect());
        }
        if let Some(route) = GitRoute::of(&request) {
            return Ok(Box::pin(self.serve_git(&route, request)).await);
        }
        if let Some(response) = links::follow(&request, &self.app.settings) {
            return Ok(response);
        }
        let started = Instant::now();
        let mut watched = JournaledRequest::begin(&self.app, &request);
        let method = request.method().clone();
        let mut facts = Facts {
            request_id: request_id::next(self.app.clock.now()),
            indented: indentation::is_requested(&request),
            ..Facts::default()
        };
        let span = tracing::debug_span!(
            "request",
            method = method.as_str(),
            request_id = facts.request_id,
            operation = Empty,
            cache = Empty,
            status = Empty
        );
        telemetry::continue_trace(&span, request.headers());
        let recorder = watched.as_ref().map(JournaledRequest::recorder);
        // Boxed, like other large or rare futures here: a future passed by value is copied each
        // time, as a whole.
        let answer = Box::pin(self.answer_or_fail(request, &mut facts, watched.as_mut(), &span));
        let (mut response, problem) = explain::recording(recorder, answer).await;
        span.record("operation", facts.operation.map(|operation| operation.id));
        span.record("cache", facts.cache);
        span.record("status", response.status().as_u16());
        headers::add_per_request(&facts, &mut response);
        if method == Method::HEAD {
            without_body(&mut response).await;
        }
        if let Some(watched) = watched {
            let end = watched.end(&self.app, &facts, &mut response, problem.as_ref());
            Box::pin(end).await;
        }
        self.record(&method, &facts, response.status(), started.elapsed());
        Ok(response)
    }
}

impl<E: Endpoint> Edge<E> {
    /// Answers within the time limit.
    async fn respond(
        &self,
        request: Request,
        facts: &mut Facts,
        watched: Option<&mut JournaledRequest>,
        span: &Span,
    ) -> (Response, Option<Problem>) {
        match self.answer_in_time(request, facts, watched, span).await {
            Ok(response) => (response, None),
            Err(problem) => {
                let response = Box::pin(self.refuse(&problem, facts)).await;
                (response, Some(problem))
            }
        }
    }

    /// Receives the request and answers it, each within its time limit.
    async fn answer_in_time(
        &self,
        mut request: Request,
        facts: &mut Facts,
        watched: Option<&mut JournaledRequest>,
        span: &Span,
    ) -> Result<Response, Problem> {
        let rest = arrival::receive(&mut request, &self.app.settings.memory).await?;
        if let Some(watched) = watched {
            watched.record_body(&mut request, rest.is_none()).await;
        }
        let answer = dependencies::request(Box::pin(self.answer_durably(request, facts)));
        let answer = answer.instrument(span.clone());
        let answer = match self.app.settings.request_timeout {
            None => answer.await,
            Some(limit) => tokio::time::timeout(limit + rest.remaining_time(), answer)
                .await
                .unwrap_or_else(|elapsed| Err(Problem::Unavailable(elapsed.into()))),
        };
        rest.discard().await;
        answer
    }

    /// Answers only after every change that the response depends on is durable.
    async fn answer_durably(
        &self,
        request: Request,
        facts: &mut Facts,
    ) -> Result<Response, Problem> {
        let answer = self.answer(request, facts).await;
        self.app.db.wait_for_group_commit().await?;
        answer
    }

    async fn answer(&self, mut request: Request, facts: &mut Facts) -> Result<Response, Problem> {
        if request.method() == Method::OPTIONS {
            return Ok(headers::preflight(facts));
        }
        let address = RequestUrl::of(
            &request,
            self.app.settings.base_url.as_deref(),
            &self.app.settings.mount,
        );
        let head = RequestHead::of(&request, &address, facts)?;
        let key = match *request.method() {
            Method::GET | Method::HEAD => head.key(&address, self.app.clock.now().0),
            _ => None,
        };
        let candidate = match &key {
            Some(key) => self.app.cache.candidate(key).await,
            None => None,
        };
        let token = (!request.method().is_safe()).then(|| head.token());
        let (call, expires_at) = self.call(head, &request, &address, facts).await?;
        let writer = token.map(|token| GuardedWrite::new(&self.app, token, &call, expires_at));
        let subject = budget::count(&self.app, &call, facts).await?;
        let conditions = Conditions::of(request.method(), request.headers());
        let with_body = request.method() != Method::HEAD;
        request.set_method(address.routed_method(request.method()));
        let hit = match &candidate {
            Some(candidate) => self.app.cache.get(candidate).await,
            None => None,
        };
        let mut response = match hit {
            Some(answer) => from_cache(&answer, "hit", facts),
            None => {
                let permits = work::caller_permits(&self.app, &call);
                let answer = Box::pin(self.fresh(key, request, call, &address, facts));
                let answer = heavy::request(permits, answer);
                match writer {
                    Some(writer) => writer.write(&self.app, answer).await?,
                    None => answer.await?,
                }
            }
        };
        match conditions.apply(&mut response) {
            ValidatorMatch::Exact => budget::give_back(&self.app, subject, facts),
            ValidatorMatch::No if with_body => begin_stream(&mut response, facts.encoding),
            _ => {}
        }
        Ok(response)
    }

    /// Authenticates the caller, and collects everything needed before routing.
    async fn call(
        &self,
        head: RequestHead<'_>,
        request: &Request,
        address: &RequestUrl,
        facts: &mut Facts,
    ) -> Result<(RequestContext, Option<i64>), Problem> {
        let access = &self.app.access;
        let identified = match &head.credential {
            Ok(credential) if request.method().is_safe() => access.identify(credential).await,
            Ok(credential) => Box::pin(access.identify_writer(credential)).await,
            Err(_) => Err(Problem::BAD_CREDENTIALS),
        };
        let Identity { caller, expires_at } = match identified {
            Err(problem @ Problem::BadCredentials(_)) => {
                let address = remote_address(request);
                let refused = budget::count_failed_login(&self.app, problem, address, facts);
                return Err(Box::pin(refused).await);
            }
            identified => identified?,
        };
        facts.caller = Some(caller.clone());
        let accepted = head.accepted?;
        let call = RequestContext {
            caller,
            address: remote_address(request),
            media: accepted.media,
            form: accepted.form,
            version: head.version,
            origin: address.origin.as_str().into(),
            prefix: address.prefix,
            path: address.path.clone(),
            query: address.query.clone(),
        };
        Ok((call, expires_at))
    }
}
