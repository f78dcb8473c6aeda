//! Explains why a token or an app cannot access a resource.

use super::{RefusalExplainer, kinds};
use crate::access::denial::NoAccess;
use contract::control::journal::{AdviceAction, Check, ExplanationStep};
use contract::operation::Kinds;

impl RefusalExplainer<'_> {
    pub(super) fn no_access(&self, reason: &NoAccess) -> ExplanationStep {
        let owner = &self.resource.owner;
        let repository = self.resource.repository.as_deref().unwrap_or_default();
        match reason {
            NoAccess::ResourceOwner => self
                .reach(format!("the resource owner of the token is not {owner}"))
                .comparing(owner, "another resource owner")
                .advise(
                    AdviceAction::ChangeResourceOwner,
                    "token",
                    owner,
                    format!("Use a token whose resource owner is {owner}."),
                ),
            NoAccess::TokenSelection => self
                .reach("not selected for the token")
                .comparing(repository, "other repositories")
                .advise(
                    AdviceAction::SelectRepository,
                    "token",
                    repository,
                    format!("Select {repository} for the token."),
                ),
            NoAccess::Account => self
                .reach(format!("the installation is not on {owner}"))
                .comparing(owner, "another account")
                .advise(
                    AdviceAction::ChangeInstallation,
                    "token",
                    owner,
                    format!("Use a token of the app's installation on {owner}."),
                ),
            NoAccess::Selection(installation) => self
                .reach(format!("not selected in installation {installation}"))
                .comparing(repository, "other repositories")
                .advise(
                    AdviceAction::SelectRepository,
                    format!("installation {installation}"),
                    repository,
                    format!("Select {repository} in installation {installation}."),
                ),
            NoAccess::NotInstalled => self
                .reach(format!("the app is not installed on {owner}"))
                .comparing(owner, "no installation")
                .advise(
                    AdviceAction::InstallApp,
                    owner,
                    repository,
                    format!("Install the app on {owner}."),
                ),
            NoAccess::AppItself => self.app_itself(),
            NoAccess::NoToken => self.token(),
            NoAccess::Scope(scopes) => self.scope(scopes),
            NoAccess::Suspended(installation) => self.suspended(*installation),
        }
    }

    fn reach(&self, sentence: impl std::fmt::Display) -> ExplanationStep {
        self.step(Check::Reach, sentence)
    }

    /// A JSON web token is for managing the app; its installations access resources.
    fn app_itself(&self) -> ExplanationStep {
        let kinds = kinds(self.rule.map_or(Kinds::EVERY, |rule| rule.kinds));
        let advice = format!("Use a token ({kinds}), not the JSON web token of an app.");
        self.step(Check::TokenKind, "a JSON web token only manages the app")
            .comparing(kinds.clone(), "app")
            .advise(AdviceAction::ChangeTokenKind, "token", kinds, advice)
    }
}
