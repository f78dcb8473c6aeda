//! Explains refusals, with advice. Built only while a recorder listens.

mod reach;

use super::lack::Lack;
use crate::contract::caller::Caller;
use crate::contract::control::journal::{AdviceAction, Check, ExplanationStep, StepOutcome};
use crate::contract::operation::{Kinds, Rule};
use crate::contract::problem::Problem;
use crate::entities::collaborator::Permission;
use crate::entities::membership;
use crate::explain::{self, step};

/// The resource that a request was refused.
#[derive(Debug, Clone)]
pub struct RefusedResource {
    /// Its kind and name: `repository acme/gadgets`.
    pub label: String,
    /// The account that it belongs to.
    pub owner: String,
    /// The repository, if it is one.
    pub repository: Option<String>,
}

impl RefusedResource {
    pub fn repository(owner: &str, name: &str) -> Self {
        Self {
            label: format!("repository {owner}/{name}"),
            owner: owner.to_owned(),
            repository: Some(format!("{owner}/{name}")),
        }
    }

    pub fn of(label: impl Into<String>, owner: &str) -> Self {
        Self {
            label: label.into(),
            owner: owner.to_owned(),
            repository: None,
        }
    }
}

/// Returns the problem, and records its reason.
pub fn refusal(
    caller: &Caller,
    rule: Option<&Rule>,
    (problem, lack): (Problem, Lack),
    resource: impl FnOnce() -> RefusedResource,
) -> Problem {
    explain::note(|| {
        let outcome = match (&problem, &lack) {
            (Problem::NotFound, Lack::Absent) => StepOutcome::Refused,
            (Problem::NotFound, _) => StepOutcome::Hidden,
            _ => StepOutcome::Refused,
        };
        RefusalExplainer {
            caller,
            rule,
            resource: resource(),
            outcome,
        }
        .explain(&lack)
    });
    problem
}

struct RefusalExplainer<'a> {
    caller: &'a Caller,
    rule: Option<&'a Rule>,
    resource: RefusedResource,
    outcome: StepOutcome,
}

impl RefusalExplainer<'_> {
    fn explain(&self, lack: &Lack) -> ExplanationStep {
        match lack {
            Lack::Token => self.token(),
            Lack::Kind => self.kind(),
            Lack::Absent => self.absent(),
            Lack::Suspended(installation) => self.suspended(*installation),
            Lack::Unreached(reason) => self.unreached(reason),
            Lack::Role { needed, found } => self.role(*needed, *found),
            Lack::Membership { needed, found } => self.membership(*needed, *found),
            Lack::Ownership => self.ownership(),
            Lack::Scope(wanted) => self.scope(wanted),
            Lack::Permission { installation } => self.permission(*installation),
        }
    }

    fn step(&self, check: Check, sentence: impl std::fmt::Display) -> ExplanationStep {
        let label = &self.resource.label;
        step(check, self.outcome, label, format!("{label}: {sentence}"))
    }

    fn token(&self) -> ExplanationStep {
        let kinds = kinds(self.rule.map_or(Kinds::EVERY, |rule| rule.kinds));
        let advice = format!("Send a token ({kinds}).");
        self.step(Check::Credential, "not without a token")
            .comparing("a token", "none")
            .advise(AdviceAction::SendToken, "token", kinds, advice)
    }

    fn kind(&self) -> ExplanationStep {
        let kinds = match self.rule.map(|rule| kinds(rule.kinds)) {
            Some(kinds) if !kinds.is_empty() => kinds,
            _ => "app".to_owned(),
        };
        let kind = self.caller.kind();
        let advice = format!("Use a token of another kind ({kinds}).");
        self.step(
            Check::TokenKind,
            format!("never with a token of kind {kind}"),
        )
        .comparing(kinds.clone(), kind)
        .advise(AdviceAction::ChangeTokenKind, "token", kinds, advice)
    }

    fn absent(&self) -> ExplanationStep {
        let label = &self.resource.label;
        let advice = format!("Check the name, or make {label}.");
        self.step(Check::Existence, "there is none")
            .advise(AdviceAction::Create, label, "", advice)
    }

    fn suspended(&self, installation: i64) -> ExplanationStep {
        let target = format!("installation {installation}");
        let advice = format!("Lift the suspension of {target}.");
        self.step(Check::Suspension, format!("{target} is suspended"))
            .comparing("an installation that is active", "a suspended one")
            .advise(AdviceAction::Unsuspend, target, "", advice)
    }

    fn role(&self, needed: Permission, found: Permission) -> ExplanationStep {
        let user = self.caller.name();
        let repository = self.resource.repository.as_deref().unwrap_or_default();
        let (needed, found) = (needed.word(), found.word());
        let sentence = format!("{user} needs the role {needed} and has {found}");
        let advice = format!("Make {user} a collaborator of {repository} with {needed}.");
        self.step(Check::Role, sentence)
            .comparing(needed, found)
            .advise(AdviceAction::AddCollaborator, repository, needed, advice)
    }

    fn membership(
        &self,
        needed: membership::Role,
        found: Option<membership::Role>,
    ) -> ExplanationStep {
        let (user, owner) = (self.caller.name(), &self.resource.owner);
        let needed = match needed {
            membership::Role::Admin => "admin",
            membership::Role::Member => "member",
        };
        let found = match found {
            Some(membership::Role::Admin) => "admin",
            Some(membership::Role::Member) => "member",
            None => "none",
        };
        let sentence = format!("{user} must be {needed} of {owner}, and is {found}");
        let advice = format!("Make {user} {needed} of {owner}.");
        self.step(Check::Role, sentence)
            .comparing(needed, found)
            .advise(AdviceAction::AddMember, owner, needed, advice)
    }

    fn ownership(&self) -> ExplanationStep {
        let (resource, owner) = (&self.resource.label, &self.resource.owner);
        explain::not_theirs(resource, self.outcome, owner, self.caller.name())
    }

    fn scope(&self, accepted: &[&str]) -> ExplanationStep {
        let scopes: Vec<_> = self
            .caller
            .scopes()
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let scopes = match scopes.as_slice() {
            [] => "no scopes".to_owned(),
            scopes => scopes.join(", "),
        };
        let needed = accepted.join(" or ");
        let sentence = format!("scope {needed} needed, token has {scopes}");
        let mut step = self.step(Check::Scope, sentence).comparing(needed, scopes);
        for scope in accepted {
            let advice = format!("Add the scope `{scope}` to the token.");
            step = step.advise(AdviceAction::AddScope, "token", *scope, advice);
        }
        step
    }

    fn permission(&self, installation: Option<i64>) -> ExplanationStep {
        let rule = self.rule;
        let target = installation.map_or("token".to_owned(), |id| format!("installation {id}"));
        let accepted = [
            rule.and_then(|rule| rule.permission),
            rule.and_then(|rule| rule.or_permission),
        ];
        let accepted: Vec<_> = accepted.into_iter().flatten().collect();
        let level_of = |name: &str| match self.caller {
            Caller::FineGrained { permissions, .. } | Caller::Installation { permissions, .. } => {
                let level = permissions.get(name);
                level.map_or("nothing of it", |level| level.word())
            }
            _ => "less",
        };
        let needed: Vec<_> = accepted
            .iter()
            .map(|(name, level)| format!("{name}: {}", level.word()))
            .collect();
        let needed = needed.join(" or ");
        let found = level_of(accepted.first().map_or("", |(name, _)| name));
        let sentence = format!("`{needed}` needed, {target} has {found}");
        let mut step = self
            .step(Check::Permission, sentence)
            .comparing(needed, found);
        for (name, level) in accepted {
            let value = format!("{name}: {}", level.word());
            let advice = format!("Grant `{value}` to the {target}.");
            step = step.advise(AdviceAction::GrantPermission, target.clone(), value, advice);
        }
        step
    }
}

/// The names of the accepted kinds of token.
fn kinds(kinds: Kinds) -> String {
    let names = [
        (kinds.classic, "classic"),
        (kinds.oauth, "oauth"),
        (kinds.fine_grained, "fine_grained"),
        (kinds.app_user, "app_user"),
        (kinds.installation, "installation"),
    ];
    let names = names
        .into_iter()
        .filter_map(|(works, name)| works.then_some(name));
    names.collect::<Vec<_>>().join(", ")
}
