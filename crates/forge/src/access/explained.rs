//! Explains refusals, with advice. Built only while a recorder listens.

mod reach;

use super::denial::DenialReason;
use crate::explain;
use crate::explain::step;
use contract::caller::{Caller, Permissions};
use contract::control::journal::{AdviceAction, Check, ExplanationStep, StepOutcome};
use contract::operation::{Grant, Kinds, Rule};
use contract::problem::Problem;
use storage::entities::account::AccountKind;
use storage::entities::collaborator::Permission;
use storage::entities::membership;

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
    (problem, reason): (Problem, DenialReason),
    resource: impl FnOnce() -> RefusedResource,
) -> Problem {
    explain::note(|| {
        let outcome = match (&problem, &reason) {
            (Problem::NotFound, DenialReason::Absent | DenialReason::OtherAccountKind(_)) => {
                StepOutcome::Refused
            }
            (Problem::NotFound, _) => StepOutcome::Hidden,
            _ => StepOutcome::Refused,
        };
        RefusalExplainer {
            caller,
            rule,
            resource: resource(),
            outcome,
        }
        .explain(&reason)
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
    fn explain(&self, reason: &DenialReason) -> ExplanationStep {
        match reason {
            DenialReason::Token => self.token(),
            DenialReason::Kind => self.kind(),
            DenialReason::Absent => self.absent(),
            DenialReason::OtherAccountKind(kind) => self.other_account_kind(*kind),
            DenialReason::Suspended(installation) => self.suspended(*installation),
            DenialReason::NoAccess(reason) => self.no_access(reason),
            DenialReason::Role { needed, found } => self.role(*needed, *found),
            DenialReason::Membership { needed, found } => self.membership(*needed, *found),
            DenialReason::Ownership => self.ownership(),
            DenialReason::Scope(wanted) => self.scope(wanted),
            DenialReason::Permission {
                installation,
                granted,
            } => self.permission(*installation, granted),
        }
    }

    fn step(&self, check: Check, sentence: impl std::fmt::Display) -> ExplanationStep {
        let label = &self.resource.label;
        step(check, self.outcome, label, format!("{label}: {sentence}"))
    }

    fn token(&self) -> ExplanationStep {
        let kinds = kinds(self.rule.map_or(Kinds::EVERY, |rule| rule.kinds));
        let advice = format!("Send a token ({kinds}).");
        self.step(Check::Credential, "requires a token")
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
            format!("does not accept a token of kind {kind}"),
        )
        .comparing(kinds.clone(), kind)
        .advise(AdviceAction::ChangeTokenKind, "token", kinds, advice)
    }

    fn absent(&self) -> ExplanationStep {
        let label = &self.resource.label;
        let advice = format!("Check the name, or create {label}.");
        self.step(Check::Existence, "does not exist").advise(
            AdviceAction::Create,
            label,
            "",
            advice,
        )
    }

    /// Paths name an organization below `/orgs`, and a user below `/users`.
    fn other_account_kind(&self, found: AccountKind) -> ExplanationStep {
        let owner = &self.resource.owner;
        let (needed, found, folder) = match found {
            AccountKind::Organization => ("a user", "an organization", "orgs"),
            AccountKind::User => ("an organization", "a user", "users"),
            AccountKind::Bot => ("a user or an organization", "the bot of an app", "users"),
        };
        let sentence = format!("{owner} is {found}, and the path is that of {needed}");
        let advice = format!("Use the path of {found}, which begins with /{folder}/{owner}.");
        self.step(Check::Existence, sentence)
            .comparing(needed, found)
            .advise(AdviceAction::ChangeRequest, "request", folder, advice)
    }

    fn suspended(&self, installation: i64) -> ExplanationStep {
        let target = format!("installation {installation}");
        let advice = format!("Lift the suspension of {target}.");
        self.step(Check::Suspension, format!("{target} is suspended"))
            .comparing("an active installation", "a suspended installation")
            .advise(AdviceAction::Unsuspend, target, "", advice)
    }

    fn role(&self, needed: Permission, found: Permission) -> ExplanationStep {
        let user = self.caller.name();
        let repository = self.resource.repository.as_deref().unwrap_or_default();
        let (needed, found) = (needed.as_str(), found.as_str());
        let sentence = format!("requires the role {needed}, {user} has {found}");
        let advice =
            format!("Add {user} to {repository} as a collaborator with the role {needed}.");
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
        let sentence = format!("requires the role {needed} in {owner}, {user} has {found}");
        let advice = format!("Add {user} to {owner} with the role {needed}.");
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
        let sentence = format!("requires the scope {needed}, the token has {scopes}");
        let mut step = self.step(Check::Scope, sentence).comparing(needed, scopes);
        for scope in accepted {
            let advice = format!("Add the scope `{scope}` to the token.");
            step = step.advise(AdviceAction::AddScope, "token", *scope, advice);
        }
        step
    }

    fn permission(&self, installation: Option<i64>, granted: &Permissions) -> ExplanationStep {
        let target = installation.map_or("token".to_owned(), |id| format!("installation {id}"));
        let grants = |rule: &Rule| [rule.permission, rule.and_permission, rule.or_permission];
        let accepted = self.rule.map(grants).into_iter().flatten().flatten();
        let is_missing = |(name, level): &Grant| granted.get(*name).is_none_or(|held| held < level);
        let missing: Vec<_> = accepted.filter(is_missing).collect();
        let needed: Vec<_> = missing
            .iter()
            .map(|(name, level)| format!("{name}: {}", level.as_str()))
            .collect();
        let all = self.rule.is_some_and(|rule| rule.and_permission.is_some());
        let needed = needed.join(if all { " and " } else { " or " });
        let first = missing.first().and_then(|(name, _)| granted.get(*name));
        let found = first.map_or("none", |level| level.as_str());
        let sentence = format!("requires `{needed}`, the {target} has {found}");
        let mut step = self
            .step(Check::Permission, sentence)
            .comparing(needed, found);
        for (name, level) in missing {
            let value = format!("{name}: {}", level.as_str());
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
