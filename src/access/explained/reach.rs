//! Explains why a token or an app cannot access a resource.

use super::super::lack::Unreached;
use super::{RefusalExplainer, kinds};
use crate::contract::control::journal::{AdviceAction, Check, ExplanationStep};
use crate::contract::operation::Kinds;

impl RefusalExplainer<'_> {
    pub(super) fn unreached(&self, reason: &Unreached) -> ExplanationStep {
        let owner = &self.resource.owner;
        let repository = self.resource.repository.as_deref().unwrap_or_default();
        match reason {
            Unreached::ResourceOwner => self
                .reach(format!("the resource owner of the token is not {owner}"))
                .comparing(owner, "another resource owner")
                .advise(
                    AdviceAction::ChangeResourceOwner,
                    "token",
                    owner,
                    format!("Make the token one whose resource owner is {owner}."),
                ),
            Unreached::TokenSelection => self
                .reach("not among the repositories of the token")
                .comparing(repository, "other repositories")
                .advise(
                    AdviceAction::SelectRepository,
                    "token",
                    repository,
                    format!("Give the token {repository}."),
                ),
            Unreached::Account => self
                .reach(format!("the installation is not on {owner}"))
                .comparing(owner, "another account")
                .advise(
                    AdviceAction::ChangeInstallation,
                    "token",
                    owner,
                    format!("Use a token of the app's installation on {owner}."),
                ),
            Unreached::Selection(installation) => self
                .reach(format!(
                    "not among those selected in installation {installation}"
                ))
                .comparing(repository, "other repositories")
                .advise(
                    AdviceAction::SelectRepository,
                    format!("installation {installation}"),
                    repository,
                    format!("Select {repository} in installation {installation}."),
                ),
            Unreached::NotInstalled => self
                .reach(format!("the app is not installed on {owner}"))
                .comparing(owner, "no installation")
                .advise(
                    AdviceAction::InstallApp,
                    owner,
                    repository,
                    format!("Install the app on {owner}."),
                ),
            Unreached::AppItself => self.app_itself(),
            Unreached::NoToken => self.token(),
            Unreached::Scope(scopes) => self.scope(scopes),
            Unreached::Suspended(installation) => self.suspended(*installation),
        }
    }

    fn reach(&self, sentence: impl std::fmt::Display) -> ExplanationStep {
        self.step(Check::Reach, sentence)
    }

    /// A JSON web token is for managing the app; its installations access resources.
    fn app_itself(&self) -> ExplanationStep {
        let kinds = kinds(self.rule.map_or(Kinds::EVERY, |rule| rule.kinds));
        let advice = format!("Use a token ({kinds}), not the JSON web token of an app.");
        self.step(Check::TokenKind, "an app itself reaches nothing")
            .comparing(kinds.clone(), "app")
            .advise(AdviceAction::ChangeTokenKind, "token", kinds, advice)
    }
}
