//! Injects the faults that the rules of the control API define. Without the control API, a request
//! only passes the first check.

mod answers;

use std::sync::Arc;
use std::time::Duration;

use poem::http::{HeaderValue, StatusCode, header};
use poem::{Endpoint, Request, Response};
use tracing::Span;

use super::git::GitRoute;
use super::journaling::JournaledRequest;
use super::{Edge, messages};
use crate::web::address::RequestUrl;
use crate::web::arrival;
use crate::web::headers::{self, Facts};
use crate::web::server::{ConnectionDropped, LongRequestGuard, LongRequests};
use contract::caller::Caller;
use contract::control::faults::FaultEffect;
use contract::control::journal::{Check, ExplanationStep, StepOutcome};
use contract::operation::Operation;
use contract::problem::{Limit, Problem};
use forge::access::credential::Credential;
use forge::explain;
use forge::faults::{FaultRule, InjectedFault, RequestFacts};
use storage::database::dependencies;
use storage::limits::Subject;

impl<E: Endpoint> Edge<E> {
    /// Answers a request, or injects the fault of a matching rule.
    pub(super) async fn answer_or_fail(
        &self,
        request: Request,
        facts: &mut Facts,
        journaled: Option<&mut JournaledRequest>,
        span: &Span,
    ) -> (Response, Option<Problem>) {
        match self.rule_for(&request, None, facts).await {
            Some(rule) => {
                let answer = self.fail(&rule, request, facts, journaled, span);
                (Box::pin(answer).await, None)
            }
            None => self.respond(request, facts, journaled, span).await,
        }
    }

    /// Injects a fault.
    async fn fail(
        &self,
        rule: &FaultRule,
        mut request: Request,
        facts: &mut Facts,
        journaled: Option<&mut JournaledRequest>,
        span: &Span,
    ) -> Response {
        let _long_request = delay(&request, rule.fault.latency).await;
        let fault = &rule.fault;
        let answer = match fault.after {
            true => {
                // Uncompressed, so that the client can read a truncated body.
                request.headers_mut().remove(header::ACCEPT_ENCODING);
                Some(self.respond(request, facts, journaled, span).await.0)
            }
            false => {
                let memory = &self.app.settings.memory;
                if let Ok(rest) = arrival::receive(&mut request, memory).await {
                    if let Some(journaled) = journaled {
                        journaled.record_body(&mut request, rest.is_none()).await;
                    }
                    rest.discard().await;
                }
                None
            }
        };
        match fault.effect {
            FaultEffect::Status => {
                let mut error_response = answers::failed(fault, facts.operation);
                if error_response.status().is_client_error() {
                    headers::add_shared(facts, &mut error_response);
                }
                error_response
            }
            FaultEffect::PrimaryLimit | FaultEffect::SecondaryLimit => {
                let problem = self.limit_error(fault, facts);
                self.refuse(&problem, facts).await
            }
            effect => corrupted(effect, answer).await,
        }
    }

    /// Same as [`Self::answer_or_fail`] for a Git client.
    pub(super) async fn answer_git_or_fail(
        &self,
        route: &GitRoute,
        request: Request,
        facts: &mut Facts,
    ) -> (Response, Option<Problem>) {
        let Some(rule) = self.rule_for(&request, Some(route), facts).await else {
            return self.respond_git(route, request, facts).await;
        };
        let _long_request = delay(&request, rule.fault.latency).await;
        let fault = &rule.fault;
        let answer = match fault.after {
            true => Some(self.respond_git(route, request, facts).await.0),
            false => None,
        };
        let response = match fault.effect {
            FaultEffect::Status => answers::failed_git(fault),
            FaultEffect::PrimaryLimit | FaultEffect::SecondaryLimit => {
                let problem = self.limit_error(fault, facts);
                route.refuse(&problem, facts)
            }
            effect => corrupted(effect, answer).await,
        };
        (response, None)
    }

    /// The rule that matches a request. Records the facts of a request that matches.
    async fn rule_for(
        &self,
        request: &Request,
        route: Option<&GitRoute>,
        facts: &mut Facts,
    ) -> Option<Arc<FaultRule>> {
        let tools = self.app.tools.as_ref()?;
        if tools.faults.is_empty() {
            return None;
        }
        let url = RequestUrl::of(request, None, "");
        let operation = match route {
            Some(route) => Some(route.operation()),
            None => routed_operation(request, &url),
        };
        let caller = dependencies::request(self.claimed_caller(request));
        let caller = Box::pin(caller).await;
        let request_facts = RequestFacts {
            method: request.method(),
            path: &url.path,
            operation: operation.map(|operation| operation.id),
            caller: caller.as_deref(),
        };
        let now = self.app.clock.now();
        let rule = tools
            .faults
            .select(&request_facts, &*self.app.entropy, now)?;
        explain::note(|| applied_step(&rule));
        facts.operation = operation;
        facts.caller = caller;
        facts.address = messages::remote_address(request);
        Some(rule)
    }

    /// The caller of a request; None if its credential is invalid.
    async fn claimed_caller(&self, request: &Request) -> Option<Arc<Caller>> {
        let authorization = request.headers().get(header::AUTHORIZATION);
        let credential = Credential::of(authorization.map(HeaderValue::as_bytes)).ok()?;
        let identity = self.app.access.identify(&credential).await.ok()?;
        Some(identity.caller)
    }

    /// The rate limit error that a rule defines.
    fn limit_error(&self, fault: &InjectedFault, facts: &mut Facts) -> Problem {
        let status = fault
            .status
            .and_then(|code| StatusCode::from_u16(code).ok());
        let status = status.unwrap_or(StatusCode::FORBIDDEN);
        if fault.effect == FaultEffect::SecondaryLimit {
            let retry_after = fault.retry_after.unwrap_or_default();
            return Problem::Limited(Limit::Secondary { retry_after }, status);
        }
        let caller = facts.caller.as_deref().unwrap_or(&Caller::Anonymous);
        let subject = Subject::of(caller, facts.address);
        let now = self.app.clock.now();
        let budget = subject.and_then(|subject| self.app.limits.cached_budget(subject, now));
        let reset = now.0 + fault.reset_after.unwrap_or_default();
        facts.budget = Some(answers::exhausted(budget, caller, reset));
        let limit = Limit::Primary {
            subject: subject
                .map_or_else(|| caller.name().to_owned(), |subject| subject.to_string()),
            anonymous: subject.is_some_and(|subject| !subject.is_known()),
        };
        Problem::Limited(limit, status)
    }
}

/// The journal entry for an applied rule.
fn applied_step(rule: &FaultRule) -> ExplanationStep {
    let name = format!("fault {}", rule.id);
    let sentence = format!("{name} applied: {}", rule.fault.effect);
    explain::step(Check::Fault, StepOutcome::Refused, name, sentence)
}

/// The operation that a request would reach.
fn routed_operation(request: &Request, url: &RequestUrl) -> Option<&'static Operation> {
    let method = url.routed_method(request.method());
    contract::operation_at(method.as_str(), url.routed()?.path())
}

/// Delays the response, and keeps the connection open meanwhile.
async fn delay(request: &Request, latency: Duration) -> Option<LongRequestGuard> {
    let long_request = request
        .extensions()
        .get::<LongRequests>()
        .map(LongRequests::begin);
    if !latency.is_zero() {
        tokio::time::sleep(latency).await;
    }
    long_request
}

/// Drops, truncates or corrupts a response.
async fn corrupted(effect: FaultEffect, answer: Option<Response>) -> Response {
    let answer = answer.unwrap_or_else(|| Response::builder().finish());
    match effect {
        FaultEffect::Drop => {
            let mut response = Response::builder().finish();
            response.set_data(ConnectionDropped);
            response
        }
        FaultEffect::Truncate => answers::truncated(answer).await,
        FaultEffect::Malformed => answers::malformed(answer).await,
        FaultEffect::Latency
        | FaultEffect::Status
        | FaultEffect::PrimaryLimit
        | FaultEffect::SecondaryLimit => answer,
    }
}
