//! What a request takes of its caller's budget, and what it gets back.

use std::net::IpAddr;

use crate::app::App;
use crate::contract::call::RequestContext;
use crate::contract::caller::Caller;
use crate::contract::lookups::UNLIMITED_PATH;
use crate::contract::problem::{Limit, Problem};
use crate::limits::{Admission, Subject};
use crate::web::headers::Facts;

/// Draws the request from the caller's budget. Asking for the budget is free.
pub async fn count(
    app: &App,
    call: &RequestContext,
    facts: &mut Facts,
) -> Result<Option<Subject>, Problem> {
    let Some(subject) = Subject::of(&call.caller, call.address) else {
        return Ok(None);
    };
    let now = app.clock.now();
    if call.path == UNLIMITED_PATH {
        facts.budget = Box::pin(app.limits.standing(subject, now)).await;
        return Ok(None);
    }
    match app.limits.admit(subject, now).await {
        None => Ok(None),
        Some(Admission::Admitted(budget)) => {
            facts.budget = Some(budget);
            Ok(Some(subject))
        }
        Some(Admission::Refused(budget)) => {
            facts.budget = Some(budget);
            Err(Problem::Limited(Limit::Primary {
                subject: subject.to_string(),
            }))
        }
    }
}

/// A credential that is none costs what a request without one costs, and too
/// many of them get another answer. It is never given to one that is good: those
/// behind a proxy all have one address, and could be locked out by any of them.
pub async fn count_failed_login(
    app: &App,
    problem: Problem,
    address: Option<IpAddr>,
    facts: &mut Facts,
) -> Problem {
    let (limits, now) = (&app.limits, app.clock.now());
    let logins = limits.admit(Subject::failed_logins(address), now).await;
    if matches!(logins, Some(Admission::Refused(_))) {
        return Problem::TOO_MANY_LOGINS;
    }
    if let Some(subject) = Subject::of(&Caller::Anonymous, address) {
        let admission = limits.admit(subject, now).await;
        facts.budget = admission.map(|found| match found {
            Admission::Admitted(budget) | Admission::Refused(budget) => budget,
        });
    }
    problem
}

/// A 304 for a version that the caller names costs nothing, except to those who did
/// not say who they are.
pub fn give_back(app: &App, subject: Option<Subject>, facts: &mut Facts) {
    if let Some(subject) = subject.filter(|subject| subject.is_known()) {
        let now = app.clock.now();
        app.limits.refund(subject, now);
        facts.budget = app.limits.last_standing(subject, now);
    }
}
