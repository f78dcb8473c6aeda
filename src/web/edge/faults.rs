//! Lets a request fail as a rule of the control API says. A server without the control API
//! never comes further than the first line.

mod answers;

use std::sync::Arc;
use std::time::Duration;

use poem::http::{HeaderValue, StatusCode, header};
use poem::{Endpoint, Request, Response};
use tracing::Span;

use super::git::GitRoute;
use super::journaling::JournaledRequest;
use super::{Edge, messages};
use crate::access::credential::Credential;
use crate::contract;
use crate::contract::caller::Caller;
use crate::contract::control::faults::FaultEffect;
use crate::contract::control::journal::{Check, ExplanationStep, StepOutcome};
use crate::contract::operation::Operation;
use crate::contract::problem::{Limit, Problem};
use crate::database::dependencies;
use crate::explain;
use crate::faults::{FaultRule, InjectedFault, RequestFacts};
use crate::limits::Subject;
use crate::web::address::RequestUrl;
use crate::web::arrival;
use crate::web::headers::{self, Facts};
use crate::web::server::{ConnectionDropped, Extended, Patience};

impl<E: Endpoint> Edge<E> {
    /// Answers a request, unless a rule says otherwise.
    pub(super) async fn answer_or_fail(
        &self,
        mut request: Request,
        facts: &mut Facts,
        watched: Option<&mut JournaledRequest>,
        span: &Span,
    ) -> (Response, Option<Problem>) {
        let Some(rule) = self.rule_for(&request, None, facts).await else {
            return self.respond(request, facts, watched, span).await;
        };
        let _patience = delay(&request, rule.fault.latency).await;
        let fault = &rule.fault;
        let answer = match fault.after {
            true => {
                // A body that is cut must be readable up to there.
                request.headers_mut().remove(header::ACCEPT_ENCODING);
                Some(self.respond(request, facts, watched, span).await.0)
            }
            false => {
                if let Ok(rest) = arrival::receive(&mut request).await {
                    if let Some(watched) = watched {
                        watched.see_body(&mut request, rest.is_none()).await;
                    }
                    rest.discard().await;
                }
                None
            }
        };
        let response = match fault.effect {
            FaultEffect::Status => {
                let mut failed = answers::failed(fault, facts.operation);
                if failed.status().is_client_error() {
                    headers::add_shared(facts, &mut failed);
                }
                failed
            }
            FaultEffect::PrimaryLimit | FaultEffect::SecondaryLimit => {
                let problem = self.limited(fault, facts);
                let mut refused = self.refuse(&problem, facts).await;
                set_status(&mut refused, fault);
                refused
            }
            effect => spoiled(effect, answer).await,
        };
        (response, None)
    }

    /// The same for a Git client.
    pub(super) async fn answer_git_or_fail(
        &self,
        route: &GitRoute,
        request: Request,
        facts: &mut Facts,
    ) -> (Response, Option<Problem>) {
        let Some(rule) = self.rule_for(&request, Some(route), facts).await else {
            return self.respond_git(route, request, facts).await;
        };
        let _patience = delay(&request, rule.fault.latency).await;
        let fault = &rule.fault;
        let answer = match fault.after {
            true => Some(self.respond_git(route, request, facts).await.0),
            false => None,
        };
        let response = match fault.effect {
            FaultEffect::Status => answers::failed_git(fault),
            FaultEffect::PrimaryLimit | FaultEffect::SecondaryLimit => {
                let problem = self.limited(fault, facts);
                let mut refused = route.refuse(&problem, facts);
                set_status(&mut refused, fault);
                refused
            }
            effect => spoiled(effect, answer).await,
        };
        (response, None)
    }

    /// The rule that is used for a request. It notes what it found of the request.
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
            None => asked_for(request, &url),
        };
        let caller = dependencies::request(self.claimed_caller(request)).await;
        let asked = RequestFacts {
            method: request.method(),
            path: &url.path,
            operation: operation.map(|operation| operation.id),
            caller: caller.as_deref(),
        };
        let now = self.app.clock.now();
        let rule = tools.faults.strike(&asked, &*self.app.entropy, now)?;
        explain::note(|| used(&rule));
        facts.operation = operation;
        facts.caller = caller;
        facts.address = messages::remote_address(request);
        Some(rule)
    }

    /// Who a request says it is from; None if the credential is not valid.
    async fn claimed_caller(&self, request: &Request) -> Option<Arc<Caller>> {
        let given = request.headers().get(header::AUTHORIZATION);
        let credential = Credential::of(given.map(HeaderValue::as_bytes)).ok()?;
        let identity = self.app.access.identify(&credential).await.ok()?;
        Some(identity.caller)
    }

    /// The limit that a rule says was exceeded.
    fn limited(&self, fault: &InjectedFault, facts: &mut Facts) -> Problem {
        if fault.effect == FaultEffect::SecondaryLimit {
            return Problem::Limited(Limit::Secondary {
                retry_after: fault.retry_after.unwrap_or_default(),
            });
        }
        let caller = facts.caller.as_deref().unwrap_or(&Caller::Anonymous);
        let subject = Subject::of(caller, facts.address);
        let now = self.app.clock.now();
        let known = subject.and_then(|subject| self.app.limits.last_standing(subject, now));
        let reset = now.0 + fault.reset_after.unwrap_or_default();
        facts.budget = Some(answers::exhausted(known, caller, reset));
        Problem::Limited(Limit::Primary {
            subject: subject.map_or_else(|| caller.name().to_owned(), |it| it.to_string()),
        })
    }
}

/// What the journal says of a rule that was used.
fn used(rule: &FaultRule) -> ExplanationStep {
    let name = format!("fault {}", rule.id);
    let sentence = format!("{name} was used: {}", rule.fault.effect);
    explain::step(Check::Fault, StepOutcome::Refused, name, sentence)
}

/// The operation that a request would reach.
fn asked_for(request: &Request, url: &RequestUrl) -> Option<&'static Operation> {
    let method = url.routed_method(request.method());
    contract::operation_at(method.as_str(), url.routed()?.path())
}

/// Waits, with the connection kept open, and keeps it open for the answer.
async fn delay(request: &Request, latency: Duration) -> Option<Extended> {
    let patience = request.extensions().get::<Patience>().map(Patience::extend);
    if !latency.is_zero() {
        tokio::time::sleep(latency).await;
    }
    patience
}

fn set_status(response: &mut Response, fault: &InjectedFault) {
    if let Some(status) = fault.status.and_then(|it| StatusCode::from_u16(it).ok()) {
        response.set_status(status);
    }
}

/// What a client gets of an answer that is not given to it as it is.
async fn spoiled(effect: FaultEffect, answer: Option<Response>) -> Response {
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
