//! Why a request is refused, told by the code that refuses it.
//!
//! Whoever decides calls `note` at the decision. Outside of `recording` that costs a look
//! at a task-local and nothing more: the step is not even made.

use std::sync::{Arc, Mutex, PoisonError};

use crate::contract::control::journal::{
    Advice, AdviceAction, Check, ExplanationStep, StepOutcome,
};
use crate::entities::collaborator::Permission;

/// More steps than any request takes.
const MOST_STEPS: usize = 32;

tokio::task_local! {
    static CURRENT: Arc<Recorder>;
}

/// The decisions on one request so far.
#[derive(Debug, Default)]
pub struct Recorder(Mutex<Vec<ExplanationStep>>);

impl Recorder {
    /// Takes the steps out.
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

/// Runs work whose decisions are recorded, if there is a recorder.
pub async fn recording<T>(recorder: Option<Arc<Recorder>>, work: impl Future<Output = T>) -> T {
    match recorder {
        Some(recorder) => CURRENT.scope(recorder, work).await,
        None => work.await,
    }
}

/// Records a decision, if decisions are recorded.
pub fn note(step: impl FnOnce() -> ExplanationStep) {
    let _ = CURRENT.try_with(|recorder| recorder.push(step()));
}

/// Whether decisions are recorded, for what has to be looked up to tell them.
pub fn is_recording() -> bool {
    CURRENT.try_with(|_| ()).is_ok()
}

/// A step with nothing needed, found or advised yet.
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

/// The repository of the path, where a decision does not know its name. The edge does.
pub const THIS_REPOSITORY: &str = "this repository";

/// A decision on somebody who may not write to the repository.
pub fn lacks_role(needed: Permission, found: Permission) -> ExplanationStep {
    let (needed, found) = (needed.word(), found.word());
    let sentence = format!("{THIS_REPOSITORY}: the role {needed} needed, the caller has {found}");
    let advice = format!("Make the user a collaborator of {THIS_REPOSITORY} with {needed}.");
    step(Check::Role, StepOutcome::Refused, THIS_REPOSITORY, sentence)
        .comparing(needed, found)
        .advise(
            AdviceAction::AddCollaborator,
            THIS_REPOSITORY,
            needed,
            advice,
        )
}

/// A decision on somebody who did not make the thing.
pub fn not_theirs(thing: &str, outcome: StepOutcome, owner: &str, caller: &str) -> ExplanationStep {
    let sentence = format!("{thing}: it belongs to {owner}, not to {caller}");
    let advice = format!("Use a token of {owner}.");
    step(Check::Role, outcome, thing, sentence)
        .comparing(owner, caller)
        .advise(AdviceAction::ChangeUser, "token", owner, advice)
}

/// A decision on an app that did not make the thing.
pub fn of_another_app(thing: &str, owner: &str, caller: &str) -> ExplanationStep {
    let sentence = format!("{thing}: it belongs to the app {owner}, not to {caller}");
    let advice = format!("Use a token of an installation of {owner}.");
    step(Check::Role, StepOutcome::Refused, thing, sentence)
        .comparing(owner, caller)
        .advise(AdviceAction::ChangeApp, "token", owner, advice)
}

impl ExplanationStep {
    /// Names the repository that the path is about.
    pub fn name_repository(&mut self, name: &str) {
        let named = |text: &mut String, name: &str| {
            if text.contains(THIS_REPOSITORY) {
                *text = text.replace(THIS_REPOSITORY, name);
            }
        };
        named(&mut self.subject, &format!("repository {name}"));
        named(&mut self.sentence, &format!("repository {name}"));
        for advice in &mut self.advice {
            named(&mut advice.target, name);
            named(&mut advice.sentence, name);
        }
    }

    /// What was needed, and what there was.
    #[must_use]
    pub fn comparing(mut self, needed: impl Into<String>, found: impl Into<String>) -> Self {
        self.needed = Some(needed.into()).into();
        self.found = Some(found.into()).into();
        self
    }

    /// A change that would let the request pass here.
    #[must_use]
    pub fn advise(
        mut self,
        action: AdviceAction,
        target: impl Into<String>,
        value: impl Into<String>,
        sentence: impl Into<String>,
    ) -> Self {
        self.advice.push(Advice {
            action,
            target: target.into(),
            value: value.into(),
            sentence: sentence.into(),
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused() -> ExplanationStep {
        step(Check::Scope, StepOutcome::Refused, "token", "no scope")
    }

    #[tokio::test]
    async fn steps_are_made_only_while_they_are_recorded() {
        note(|| unreachable!("nobody records"));
        let recorder = Arc::new(Recorder::default());
        recording(Some(recorder.clone()), async { note(refused) }).await;
        recording(None, async { note(|| unreachable!("nobody records")) }).await;
        assert_eq!(recorder.take().len(), 1);
    }

    #[tokio::test]
    async fn no_request_records_without_bound() {
        let recorder = Arc::new(Recorder::default());
        let work = async { (0..1000).for_each(|_| note(refused)) };
        recording(Some(recorder.clone()), work).await;
        assert_eq!(recorder.take().len(), MOST_STEPS);
    }
}
