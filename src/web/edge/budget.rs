//! Charges a request to its caller's budget, and refunds it.

use std::net::IpAddr;

use crate::web::headers::Facts;
use contract::call::RequestContext;
use contract::caller::Caller;
use contract::control::journal::{Check, StepOutcome};
use contract::problem::{Limit, Problem};
use forge::app::App;
use forge::explain;
use forge::explain::step;
use storage::limits::{Admission, Subject};

/// Charges the request. Querying the budget itself is free.
pub async fn count(
    app: &App,
    call: &RequestContext,
    facts: &mut Facts,
) -> Result<Option<Subject>, Problem> {
    let Some(subject) = Subject::of(&call.caller, call.address) else {
        return Ok(None);
    };
    let now = app.clock.now();
    if contract::is_unlimited(&call.path) {
        facts.budget = Box::pin(app.limits.current_budget(subject, now)).await;
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
            Err(Problem::limited(Limit::Primary {
                subject: subject.to_string(),
                anonymous: !subject.is_known(),
            }))
        }
    }
}

/// A failed login is charged like an anonymous request, and too many get a different
/// response. Valid credentials never do: callers behind one proxy share an address, and any
/// of them could lock the others out.
pub async fn count_failed_login(
    app: &App,
    problem: Problem,
    address: Option<IpAddr>,
    facts: &mut Facts,
) -> Problem {
    let (limits, now) = (&app.limits, app.clock.now());
    let logins = limits.admit(Subject::failed_logins(address), now).await;
    if matches!(logins, Some(Admission::Refused(_))) {
        explain::note(|| {
            let reason = "too many failed logins from this address";
            step(Check::Limit, StepOutcome::Refused, "failed logins", reason)
        });
        return Problem::TOO_MANY_LOGINS;
    }
    if let Some(subject) = Subject::of(&Caller::Anonymous, address) {
        let admission = limits.admit(subject, now).await;
        facts.budget = admission.map(|admission| match admission {
            Admission::Admitted(budget) | Admission::Refused(budget) => budget,
        });
    }
    problem
}

/// Refunds a 304 for a version that the client named, except for anonymous callers.
pub fn give_back(app: &App, subject: Option<Subject>, facts: &mut Facts) {
    if let Some(subject) = subject.filter(|subject| subject.is_known()) {
        let now = app.clock.now();
        app.limits.refund(subject, now);
        facts.budget = app.limits.cached_budget(subject, now);
    }
}
