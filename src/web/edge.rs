//! The walk of a request, from the socket to an operation and back.
//!
//! In: an id, the address, the version, the media type, the caller, the budget.
//! Out: a problem becomes a body, a validator may shorten the answer to 304, the
//! common headers go on, and one line goes into the log.

mod asked;
mod budget;
mod messages;
mod work;

use std::sync::Arc;
use std::time::{Duration, Instant};

use poem::http::{Method, StatusCode};
use poem::{Endpoint, IntoResponse, Request, Response, Result};
use poem_openapi::OperationId;
use tracing::Instrument;
use tracing::field::Empty;

use super::address::Address;
use super::answers::Answer;
use super::compression::compress;
use super::conditional::{self, Conditions, Known};
use super::headers::{self, Facts};
use super::indentation::{self, indent};
use super::metrics::Metrics;
use super::{arrival, docs, failures, request_id};
use crate::access::aggregates_of;
use crate::access::credential::Identity;
use crate::app::App;
use crate::cache::{CacheKind, Key};
use crate::contract;
use crate::contract::call::RequestContext;
use crate::contract::caller::Caller;
use crate::contract::problem::Problem;
use crate::database::dependencies;
use crate::heavy;
use crate::telemetry;
use asked::Asked;
use messages::{begin_stream, is_browser, remote_address, without_body};
use work::Writer;

/// No request may take longer once it has arrived; a caller who waits has given
/// up by then.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// What stands between the socket and the operations.
pub struct Edge<E> {
    operations: E,
    app: Arc<App>,
    metrics: Arc<Metrics>,
}

impl<E> Edge<E> {
    pub fn new(operations: E, app: Arc<App>, metrics: Arc<Metrics>) -> Self {
        Self {
            operations,
            app,
            metrics,
        }
    }
}

impl<E: Endpoint> Endpoint for Edge<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> Result<Response> {
        if request.method() == Method::GET && request.uri().path() == "/" && is_browser(&request) {
            return Ok(docs::redirect());
        }
        let started = Instant::now();
        let method = request.method().clone();
        let mut facts = Facts {
            request_id: request_id::next(self.app.clock.now()),
            indented: indentation::is_wanted(&request),
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
        let outcome = match arrival::receive(&mut request).await {
            Ok(rest) => {
                // In a box, because what is passed on by value is copied each time.
                let answer = dependencies::request(Box::pin(self.settled(request, &mut facts)));
                let answer = answer.instrument(span.clone());
                let answer = tokio::time::timeout(PATIENCE + rest.patience(), answer).await;
                rest.discard().await;
                answer.unwrap_or_else(|elapsed| Err(Problem::Unavailable(elapsed.into())))
            }
            Err(problem) => Err(problem),
        };
        let mut response = match outcome {
            Ok(response) => response,
            Err(problem) => self.refuse(&problem, &facts).await,
        };
        span.record("operation", facts.operation.map(|operation| operation.id));
        span.record("cache", facts.cache);
        span.record("status", response.status().as_u16());
        headers::add_passing(&facts, &mut response);
        if method == Method::HEAD {
            without_body(&mut response).await;
        }
        self.record(&method, &facts, response.status(), started.elapsed());
        Ok(response)
    }
}

impl<E: Endpoint> Edge<E> {
    /// An answer that depends on nothing that could still be undone.
    async fn settled(&self, request: Request, facts: &mut Facts) -> Result<Response, Problem> {
        let answer = self.answer(request, facts).await;
        self.app.db.settle().await?;
        answer
    }

    async fn answer(&self, mut request: Request, facts: &mut Facts) -> Result<Response, Problem> {
        if request.method() == Method::OPTIONS {
            return Ok(headers::preflight(facts));
        }
        let address = Address::of(&request, self.app.settings.base_url.as_deref());
        let asked = Asked::of(&request, &address, facts)?;
        let key = match *request.method() {
            Method::GET | Method::HEAD => asked.key(&address, self.app.clock.now().0),
            _ => None,
        };
        let candidate = match &key {
            Some(key) => self.app.cache.candidate(key).await,
            None => None,
        };
        let token = (!request.method().is_safe()).then(|| asked.token());
        let (call, expires_at) = self.call(asked, &request, &address, facts).await?;
        let writer = token.map(|token| Writer::new(&self.app, token, &call, expires_at));
        let subject = budget::count(&self.app, &call, facts).await?;
        let conditions = Conditions::of(request.method(), request.headers());
        let whole = request.method() != Method::HEAD;
        request.set_method(address.routed_method(request.method()));
        let found = match &candidate {
            Some(candidate) => self.app.cache.get(CacheKind::Answer, candidate).await,
            None => None,
        };
        let mut response = match found {
            Some(answer) => from_cache(&answer, "hit", facts),
            None => {
                let waiter = work::waiter(&self.app, &call);
                let answer = self.fresh(key, request, call, &address, facts);
                // In a box, because it is large, and mostly not needed.
                let answer = Box::pin(heavy::request(waiter, answer));
                match writer {
                    Some(writer) => writer.write(&self.app, answer).await?,
                    None => answer.await?,
                }
            }
        };
        match conditions.apply(&mut response) {
            Known::Exactly => budget::give_back(&self.app, subject, facts),
            Known::No if whole => begin_stream(&mut response, facts.encoding),
            _ => {}
        }
        Ok(response)
    }

    async fn fresh(
        &self,
        key: Option<Key>,
        request: Request,
        call: RequestContext,
        address: &Address,
        facts: &mut Facts,
    ) -> Result<Response, Problem> {
        match key {
            Some(key) => self.cached(key, request, call, address, facts).await,
            None => self.computed(request, call, address, facts).await,
        }
    }

    /// An answer from the cache, or one that is computed now and may be cached.
    async fn cached(
        &self,
        key: Key,
        request: Request,
        call: RequestContext,
        address: &Address,
        facts: &mut Facts,
    ) -> Result<Response, Problem> {
        let mut hit = true;
        let compute = || async {
            hit = false;
            self.app.db.reading(&aggregates_of(&call.caller)).await;
            let mut response = self.computed(request, call, address, facts).await?;
            let body = response.take_body().into_bytes().await;
            let body = body.map_err(Problem::internal)?;
            Ok::<_, Problem>(Answer::of(&response, body))
        };
        let answer = self.app.cache.get_or_compute(key, compute).await?;
        Ok(from_cache(&answer, if hit { "hit" } else { "miss" }, facts))
    }

    /// Lets the operation answer, and adds the validator and the common headers.
    async fn computed(
        &self,
        mut request: Request,
        call: RequestContext,
        address: &Address,
        facts: &mut Facts,
    ) -> Result<Response, Problem> {
        *request.uri_mut() = address.routed().ok_or(Problem::NotFound)?;
        request.extensions_mut().insert(call);
        let mut response = self.operate(request, facts).await?;
        if facts.indented {
            indent(&mut response).await?;
        }
        conditional::tag(&mut response).await?;
        compress(&mut response, facts.encoding).await?;
        headers::add_lasting(facts, &mut response);
        Ok(response)
    }

    /// Who calls, and what they want: all that must be known before an operation is
    /// chosen.
    async fn call(
        &self,
        asked: Asked<'_>,
        request: &Request,
        address: &Address,
        facts: &mut Facts,
    ) -> Result<(RequestContext, Option<i64>), Problem> {
        let access = &self.app.access;
        let identified = match &asked.credential {
            Ok(credential) if request.method().is_safe() => access.identify(credential).await,
            Ok(credential) => access.identify_writer(credential).await,
            Err(_) => Err(Problem::BAD_CREDENTIALS),
        };
        let Identity { caller, expires_at } = match identified {
            Err(problem @ Problem::BadCredentials(_)) => {
                let address = remote_address(request);
                return Err(budget::count_failed_login(&self.app, problem, address, facts).await);
            }
            identified => identified?,
        };
        facts.caller = Some(caller.clone());
        let call = RequestContext {
            caller,
            address: remote_address(request),
            media: asked.media?,
            version: asked.version,
            origin: address.origin.as_str().into(),
            prefix: address.prefix,
            path: address.path.clone(),
            query: address.query.clone(),
        };
        Ok((call, expires_at))
    }

    async fn operate(&self, request: Request, facts: &mut Facts) -> Result<Response, Problem> {
        match self.operations.call(request).await {
            Ok(answer) => {
                let response = answer.into_response();
                let id = response.data::<OperationId>();
                facts.operation = id.and_then(|id| contract::operation(id.0));
                Ok(response)
            }
            Err(mut error) => {
                let (problem, operation) = failures::read(&mut error);
                facts.operation = operation;
                Err(problem)
            }
        }
    }

    async fn refuse(&self, problem: &Problem, facts: &Facts) -> Response {
        if problem.status().is_server_error() && !matches!(problem, Problem::NotImplemented) {
            let cause = std::error::Error::source(problem).map(ToString::to_string);
            tracing::error!(
                request_id = facts.request_id,
                operation = facts.operation.map(|operation| operation.id),
                cause,
                "{problem}"
            );
        }
        let mut response = failures::response(problem, facts.operation);
        if facts.indented {
            // A body of our own, which cannot fail to arrive.
            let _ = indent(&mut response).await;
        }
        headers::add_lasting(facts, &mut response);
        response
    }

    fn record(&self, method: &Method, facts: &Facts, status: StatusCode, elapsed: Duration) {
        let (operation, route) = match facts.operation {
            Some(operation) => (operation.id, operation.path),
            None => ("none", "-"),
        };
        let caller = facts.caller.as_deref();
        let kind = caller.map_or("unknown", Caller::kind);
        self.metrics
            .record(operation, status.as_u16(), kind, elapsed);
        tracing::info!(
            method = method.as_str(),
            route,
            operation,
            status = status.as_u16(),
            micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
            caller = kind,
            cache = facts.cache.unwrap_or("-"),
            login = caller.map_or("-", Caller::name),
            request_id = facts.request_id,
            "answered"
        );
    }
}

fn from_cache(answer: &Answer, outcome: &'static str, facts: &mut Facts) -> Response {
    facts.operation = answer.operation;
    facts.cache = Some(outcome);
    answer.response()
}
