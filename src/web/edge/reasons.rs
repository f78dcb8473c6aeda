//! Orders the decisions on a request, and adds those that only the edge knows: the caller, whether
//! the operation exists, and the operation's own error.

use poem::http::{Method, StatusCode};

use contract::caller::Caller;
use contract::control::journal::{AdviceAction, Check, Explanation, ExplanationStep, StepOutcome};
use contract::operation::Operation;
use contract::problem::{FieldProblem, Limit, Problem};
use forge::explain::{MOST_VIOLATIONS, in_one_line, mistake, name_repository, step};
use forge::journal::{catalogue, describe};

/// The parts of a request that its explanation needs.
pub struct RequestSummary<'a> {
    pub method: &'a Method,
    pub path: &'a str,
    pub caller: Option<&'a Caller>,
    /// The hint of the token.
    pub token: Option<&'a str>,
    /// The account that the token is for.
    pub account: Option<&'a str>,
    pub operation: Option<&'static Operation>,
}

/// Why a request was refused; for a successful one, only the injected faults.
pub fn explain(
    request: &RequestSummary<'_>,
    mut steps: Vec<ExplanationStep>,
    problem: Option<&Problem>,
    status: StatusCode,
) -> Option<Explanation> {
    let Some(problem) = problem else {
        // An operation that reports errors in a successful response refuses as well.
        steps.retain(|step| match step.check {
            Check::Fault => true,
            check => check == Check::Operation && step.outcome == StepOutcome::Refused,
        });
        return (!steps.is_empty()).then(|| finish(request, steps, status));
    };
    if !steps.iter().any(|step| step.outcome != StepOutcome::Passed) {
        steps.push(last(request, problem));
    }
    Some(finish(request, steps, status))
}

fn finish(
    request: &RequestSummary<'_>,
    mut steps: Vec<ExplanationStep>,
    status: StatusCode,
) -> Explanation {
    // A write identifies its caller twice.
    steps.dedup_by(|later, earlier| later.sentence == earlier.sentence);
    if let Some(name) = repository(request.path) {
        steps
            .iter_mut()
            .for_each(|step| name_repository(step, &name));
    }
    let caller = describe(request.caller, request.token, request.account);
    match steps.first_mut() {
        Some(first) if first.check == Check::Credential && request.caller.is_none() => {
            let hint = request.token.unwrap_or("of unknown form");
            first.sentence = first
                .sentence
                .replacen("token:", &format!("token {hint}:"), 1);
        }
        _ => {
            let credential = step(Check::Credential, StepOutcome::Passed, &caller, &caller);
            steps.insert(0, credential);
        }
    }
    let hidden = steps.iter().any(|step| step.outcome == StepOutcome::Hidden);
    let mut sentences: Vec<_> = steps.iter().map(|step| step.sentence.clone()).collect();
    if hidden {
        sentences.push("hidden".to_owned());
    }
    sentences.push(status.as_u16().to_string());
    let line = sentences.join(" → ");
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

/// The cause that no other step explains: a limit, an unknown path, or the error of the
/// operation itself.
fn last(request: &RequestSummary<'_>, problem: &Problem) -> ExplanationStep {
    let refused = StepOutcome::Refused;
    match problem {
        Problem::Limited(limit, _) => limited(limit, problem),
        Problem::BadCredentials(message) => {
            let advice = "Sign or issue a new token, or correct the token in the request.";
            step(
                Check::Credential,
                refused,
                "token",
                format!("token: {message}"),
            )
            .advise(AdviceAction::RenewToken, "token", "", advice)
        }
        Problem::NotFound if request.operation.is_none() => routed(request),
        _ => decided(request, problem),
    }
}

fn limited(limit: &Limit, problem: &Problem) -> ExplanationStep {
    let subject = match limit {
        Limit::Primary { subject, .. } => subject.clone(),
        Limit::Secondary { .. } => "content limit of the account".to_owned(),
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

fn routed(request: &RequestSummary<'_>) -> ExplanationStep {
    let path = request.path.strip_prefix("/api/v3").unwrap_or(request.path);
    let method = request.method.as_str();
    let diagnosis = catalogue::diagnose(method, path);
    let subject = format!("{method} {path}");
    let sentence = diagnosis.sentence(method);
    mistake(Check::Route, subject, sentence, diagnosis.advice(path))
}

/// The caller was admitted, but the operation failed.
fn decided(request: &RequestSummary<'_>, problem: &Problem) -> ExplanationStep {
    let operation = request
        .operation
        .map_or("the request", |operation| operation.id);
    if let Problem::NotFound = problem {
        let path = request.path.strip_prefix("/api/v3").unwrap_or(request.path);
        let template = request.operation.map_or("", |operation| operation.path);
        if let Some(name) = catalogue::not_a_number(template, path) {
            let sentence = format!("the value of {{{name}}} in the path is not a number");
            let advice = format!("Send a number for `{name}`.");
            return mistake(Check::Existence, operation, sentence, advice);
        }
        let sentence = "the caller has access, but the resource in the path does not exist";
        let advice = "Correct the path, or create the resource that it names.";
        return mistake(Check::Existence, operation, sentence, advice);
    }
    let errors = problem.body("").errors.unwrap_or_default();
    let sentence = format!("{operation}: {}", in_one_line(problem));
    let action = AdviceAction::ChangeRequest;
    let refused = step(Check::Operation, StepOutcome::Refused, operation, sentence);
    match errors.is_empty() {
        true => refused.advise(
            action,
            "request",
            "",
            "Change the request as the message says.",
        ),
        false => errors
            .iter()
            .take(MOST_VIOLATIONS)
            .fold(refused, |step, error| {
                step.advise(action, &error.field, "", cure(error))
            }),
    }
}

/// What would make a field valid.
fn cure(error: &FieldProblem) -> String {
    let field = match &*error.field {
        "" => "the request",
        field => field,
    };
    match (&*error.code, &error.message) {
        ("missing_field" | "missing", None) => format!("Send `{field}`."),
        ("already_exists", None) => format!("Send another `{field}`, or use what exists."),
        ("unauthorized", None) => format!("Leave `{field}` out, or use a token that may set it."),
        ("too_large", None) => format!("Ask for less than the whole {field}."),
        (_, Some(message)) => format!("Change `{field}`: {message}."),
        _ => format!("Send a valid `{field}`."),
    }
}
