//! Puts the decisions on a request into their order, and adds what only the edge knows:
//! who asked, whether there is such an operation, and what the operation itself answered.

use poem::http::{Method, StatusCode};

use crate::contract::caller::Caller;
use crate::contract::control::journal::{
    AdviceAction, Check, Explanation, ExplanationStep, StepOutcome,
};
use crate::contract::operation::Operation;
use crate::contract::problem::{Limit, Problem};
use crate::explain::step;
use crate::journal::{catalogue, describe};

/// A request as far as it matters for its explanation.
pub struct RequestSummary<'a> {
    pub method: &'a Method,
    pub path: &'a str,
    pub caller: Option<&'a Caller>,
    /// The hint at the token.
    pub token: Option<&'a str>,
    /// The account that the token is for.
    pub account: Option<&'a str>,
    pub operation: Option<&'static Operation>,
}

/// Why a request was refused; of one that was not, only the faults that were asked for.
pub fn explain(
    asked: &RequestSummary<'_>,
    mut steps: Vec<ExplanationStep>,
    problem: Option<&Problem>,
    status: StatusCode,
) -> Option<Explanation> {
    let Some(problem) = problem else {
        steps.retain(|step| step.check == Check::Fault);
        return (!steps.is_empty()).then(|| finish(asked, steps, status));
    };
    if !steps.iter().any(|step| step.outcome != StepOutcome::Passed) {
        steps.push(last(asked, problem));
    }
    Some(finish(asked, steps, status))
}

fn finish(
    asked: &RequestSummary<'_>,
    mut steps: Vec<ExplanationStep>,
    status: StatusCode,
) -> Explanation {
    // Whoever writes is identified twice.
    steps.dedup_by(|later, earlier| later.sentence == earlier.sentence);
    if let Some(name) = repository(asked.path) {
        steps
            .iter_mut()
            .for_each(|step| step.name_repository(&name));
    }
    let who = describe(asked.caller, asked.token, asked.account);
    match steps.first_mut() {
        Some(first) if first.check == Check::Credential && asked.caller.is_none() => {
            let hint = asked.token.unwrap_or("that cannot be read");
            first.sentence = first
                .sentence
                .replacen("token:", &format!("token {hint}:"), 1);
        }
        _ => {
            let credential = step(Check::Credential, StepOutcome::Passed, &who, &who);
            steps.insert(0, credential);
        }
    }
    let hidden = steps.iter().any(|step| step.outcome == StepOutcome::Hidden);
    let mut words: Vec<_> = steps.iter().map(|step| step.sentence.clone()).collect();
    if hidden {
        words.push("hidden".to_owned());
    }
    words.push(status.as_u16().to_string());
    let line = words.join(" → ");
    let mut letters = line.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    Explanation {
        line: first.unwrap_or_default() + letters.as_str(),
        steps,
    }
}

/// The repository that a path is about.
fn repository(path: &str) -> Option<String> {
    let (_, rest) = path.split_once("/repos/")?;
    let mut segments = rest.split('/');
    Some(format!("{}/{}", segments.next()?, segments.next()?))
}

/// What no other step has told: a limit, a path without an operation, or the words of the
/// operation itself.
fn last(asked: &RequestSummary<'_>, problem: &Problem) -> ExplanationStep {
    let refused = StepOutcome::Refused;
    match problem {
        Problem::Limited(limit) => limited(limit, problem),
        Problem::BadCredentials(message) => {
            let advice = "Sign or issue a new one, or correct the one that is sent.";
            step(
                Check::Credential,
                refused,
                "token",
                format!("token: {message}"),
            )
            .advise(AdviceAction::RenewToken, "token", "", advice)
        }
        Problem::NotFound if asked.operation.is_none() => routed(asked),
        _ => decided(asked, problem),
    }
}

fn limited(limit: &Limit, problem: &Problem) -> ExplanationStep {
    let subject = match limit {
        Limit::Primary { subject } => subject.clone(),
        Limit::Secondary { .. } => "content of the account".to_owned(),
    };
    let sentence = format!("{subject}: {}", problem.message());
    let advice = "Wait, or start the server with other limits.";
    step(Check::Limit, StepOutcome::Refused, subject, sentence).advise(
        AdviceAction::Wait,
        "limit",
        "",
        advice,
    )
}

fn routed(asked: &RequestSummary<'_>) -> ExplanationStep {
    let path = asked.path.strip_prefix("/api/v3").unwrap_or(asked.path);
    let method = asked.method.as_str();
    let verdict = catalogue::judge(method, path).sentence(method);
    let subject = format!("{method} {path}");
    let sentence = format!("{subject}: {verdict}");
    step(Check::Route, StepOutcome::Refused, subject, sentence).advise(
        AdviceAction::ChangeRequest,
        "request",
        "",
        "Ask for an operation of this server.",
    )
}

/// The caller was admitted, and the operation refused.
fn decided(asked: &RequestSummary<'_>, problem: &Problem) -> ExplanationStep {
    let operation = asked
        .operation
        .map_or("the request", |operation| operation.id);
    let (check, words) = match problem {
        Problem::NotFound => (
            Check::Existence,
            "admitted, and what the path names does not exist".to_owned(),
        ),
        other => (Check::Operation, other.message().into_owned()),
    };
    let errors = problem.body("").errors.unwrap_or_default();
    let errors: String = errors
        .iter()
        .map(|error| format!("; {} {}", error.field, error.code))
        .collect();
    let sentence = format!("{operation}: {words}{errors}");
    step(check, StepOutcome::Refused, operation, sentence).advise(
        AdviceAction::ChangeRequest,
        "request",
        "",
        "Change the request, or make what it names.",
    )
}
