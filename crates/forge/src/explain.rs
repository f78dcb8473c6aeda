//! Explains why a request is refused, by recording decisions where they are made.
//!
//! Code that decides calls `note`. Without a recorder that costs a look at a task-local: the step
//! is not even built.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use contract::control::journal::{AdviceAction, Check, ExplanationStep, StepOutcome};
use contract::problem::Problem;
use storage::entities::collaborator::Permission;

/// More steps than any request takes.
const MOST_STEPS: usize = 32;

tokio::task_local! {
    static CURRENT: Arc<Recorder>;
}

/// The decisions on one request so far.
#[derive(Debug, Default)]
pub struct Recorder(Mutex<Vec<ExplanationStep>>);

impl Recorder {
    /// Removes and returns the steps.
    pub fn take(&self) -> Vec<ExplanationStep> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, step: ExplanationStep) {
        let mut steps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if steps.len() < MOST_STEPS {
            steps.push(step);
        }
    }
}

/// Runs work and records its decisions, if there is a recorder.
pub async fn recording<T>(recorder: Option<Arc<Recorder>>, work: impl Future<Output = T>) -> T {
    let work = pin!(work);
    match recorder {
        Some(recorder) => CURRENT.scope(recorder, work).await,
        None => work.await,
    }
}

/// Records a decision, if decisions are recorded.
pub fn note(step: impl FnOnce() -> ExplanationStep) {
    let _ = CURRENT.try_with(|recorder| recorder.push(step()));
}

/// Whether decisions are recorded, for steps that need a lookup.
pub fn is_recording() -> bool {
    CURRENT.try_with(|_| ()).is_ok()
}

/// A step without a comparison or advice.
pub fn step(
    check: Check,
    outcome: StepOutcome,
    subject: impl Into<String>,
    sentence: impl Into<String>,
) -> ExplanationStep {
    ExplanationStep {
        check,
        subject: subject.into(),
        needed: None.into(),
        found: None.into(),
        outcome,
        sentence: sentence.into(),
        advice: Vec::new(),
    }
}

/// A decision on a request that would pass with another value.
pub fn mistake(
    check: Check,
    subject: impl Into<String>,
    sentence: impl std::fmt::Display,
    advice: impl Into<String>,
) -> ExplanationStep {
    let subject = subject.into();
    let sentence = format!("{subject}: {sentence}");
    step(check, StepOutcome::Refused, subject, sentence).advise(
        AdviceAction::ChangeRequest,
        "request",
        "",
        advice,
    )
}

/// More violations of one request are not explained.
pub const MOST_VIOLATIONS: usize = 10;

/// A problem in one line: its message, and what is wrong in each field.
pub fn in_one_line(problem: &Problem) -> String {
    let message = problem.message();
    let lines = message.lines().map(|line| line.trim_end_matches('.'));
    let lines = lines.filter(|line| !line.is_empty()).map(str::to_owned);
    let errors = problem.body("").errors.unwrap_or_default();
    let errors = errors
        .iter()
        .map(|error| match (&*error.field, &error.message) {
            ("", Some(message)) => message.clone(),
            (field, Some(message)) => format!("{field}: {message}"),
            (field, None) => format!("{field} {}", error.code.replace('_', " ")),
        });
    let lines = lines.take(MOST_VIOLATIONS + 1);
    let sentences = lines.chain(errors.take(MOST_VIOLATIONS));
    sentences.collect::<Vec<_>>().join("; ")
}

/// Explains a body that does not have the shape of the operation, by one that has.
pub fn note_shape(subject: &str, problem: &Problem, advice: impl FnOnce() -> String) {
    note(|| mistake(Check::Operation, subject, in_one_line(problem), advice()));
}

/// A placeholder for the repository of the path; the edge replaces it by the name.
pub const THIS_REPOSITORY: &str = "this repository";

/// A decision on a caller without write access to the repository.
pub fn lacks_role(needed: Permission, found: Permission) -> ExplanationStep {
    let (needed, found) = (needed.as_str(), found.as_str());
    let sentence = format!("{THIS_REPOSITORY}: requires the role {needed}, the caller has {found}");
    let advice =
        format!("Add the user to {THIS_REPOSITORY} as a collaborator with the role {needed}.");
    step(Check::Role, StepOutcome::Refused, THIS_REPOSITORY, sentence)
        .comparing(needed, found)
        .advise(
            AdviceAction::AddCollaborator,
            THIS_REPOSITORY,
            needed,
            advice,
        )
}

/// A decision on a caller who does not own the resource.
pub fn not_theirs(
    resource: &str,
    outcome: StepOutcome,
    owner: &str,
    caller: &str,
) -> ExplanationStep {
    let sentence = format!("{resource}: belongs to {owner}, not to {caller}");
    let advice = format!("Use a token of {owner}.");
    step(Check::Role, outcome, resource, sentence)
        .comparing(owner, caller)
        .advise(AdviceAction::ChangeUser, "token", owner, advice)
}

/// A decision on an app that does not own the resource.
pub fn of_another_app(resource: &str, owner: &str, caller: &str) -> ExplanationStep {
    let sentence = format!("{resource}: belongs to the app {owner}, not to {caller}");
    let advice = format!("Use a token of an installation of {owner}.");
    step(Check::Role, StepOutcome::Refused, resource, sentence)
        .comparing(owner, caller)
        .advise(AdviceAction::ChangeApp, "token", owner, advice)
}

/// Replaces the placeholder by the name of the repository.
pub fn name_repository(step: &mut ExplanationStep, name: &str) {
    let replace = |text: &mut String, name: &str| {
        if text.contains(THIS_REPOSITORY) {
            *text = text.replace(THIS_REPOSITORY, name);
        }
    };
    replace(&mut step.subject, &format!("repository {name}"));
    replace(&mut step.sentence, &format!("repository {name}"));
    for advice in &mut step.advice {
        replace(&mut advice.target, name);
        replace(&mut advice.sentence, name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused_step() -> ExplanationStep {
        step(Check::Scope, StepOutcome::Refused, "token", "no scope")
    }

    #[tokio::test]
    async fn steps_are_made_only_while_they_are_recorded() {
        note(|| unreachable!("nobody records"));
        let recorder = Arc::new(Recorder::default());
        recording(Some(recorder.clone()), async { note(refused_step) }).await;
        recording(None, async { note(|| unreachable!("nobody records")) }).await;
        assert_eq!(recorder.take().len(), 1);
    }

    #[tokio::test]
    async fn no_request_records_without_bound() {
        let recorder = Arc::new(Recorder::default());
        let work = async { (0..1000).for_each(|_| note(refused_step)) };
        recording(Some(recorder.clone()), work).await;
        assert_eq!(recorder.take().len(), MOST_STEPS);
    }
}
