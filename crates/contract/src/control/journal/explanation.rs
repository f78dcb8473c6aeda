//! The explanation of a response: the decisions about the request, in order.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::super::values::Nullable;

/// The decisions about a request, in order.
#[schema(example)]
pub struct Explanation {
    /// The whole explanation in one line.
    pub line: String,
    /// The decisions. For a refused request, all of them; for any other, only who the caller is and
    /// what granted access.
    pub steps: Vec<ExplanationStep>,
}

/// A decision about a request.
#[schema(rename = "Step")]
pub struct ExplanationStep {
    pub check: Check,
    /// What the check was applied to, such as `repository acme/secret`.
    pub subject: String,
    /// What the request needs to pass the check.
    pub needed: Nullable<String>,
    /// What the check found, whether it sufficed or not.
    pub found: Nullable<String>,
    pub outcome: StepOutcome,
    /// The decision as text.
    pub sentence: String,
    /// The changes that would let the same request pass the check. Any one of them suffices.
    pub advice: Vec<Advice>,
}

impl ExplanationStep {
    /// Adds the needed and the actual value.
    #[must_use]
    pub fn comparing(mut self, needed: impl Into<String>, found: impl Into<String>) -> Self {
        self.needed = Some(needed.into()).into();
        self.found = Some(found.into()).into();
        self
    }

    /// Adds a change that would let the request pass here.
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

/// The kind of check.
#[schema(rename_all = "snake_case")]
pub enum Check {
    /// Who the credential belongs to.
    Credential,
    /// Whether a limit was exceeded.
    Limit,
    /// An injected fault.
    Fault,
    /// Whether the operation exists.
    Route,
    /// Whether the operation works with this kind of token.
    TokenKind,
    /// Whether the installation is suspended.
    Suspension,
    /// Whether the resource in the path exists.
    Existence,
    /// Whether the token or the app has access to the resource.
    Reach,
    /// The role of the user on the resource.
    Role,
    /// The scopes of the token.
    Scope,
    /// The permissions of the token or the app.
    Permission,
    /// The decision of the operation itself.
    Operation,
}

/// The outcome of a check: `passed`, `refused` with a reason in the response, or `hidden` as if
/// the resource did not exist.
#[schema(rename_all = "snake_case")]
pub enum StepOutcome {
    Passed,
    Refused,
    Hidden,
}

/// A change that would let a request pass a check.
#[schema]
#[derive(PartialEq, Eq)]
pub struct Advice {
    pub action: AdviceAction,
    /// What to change: `token`, or the name of the resource.
    pub target: String,
    /// The value to add or set, such as `repo` or `contents: write`. Empty if the action needs
    /// none.
    pub value: String,
    /// The advice as text.
    pub sentence: String,
}

/// The kind of change.
#[schema(rename_all = "snake_case")]
pub enum AdviceAction {
    /// Send a token; `value` has the kinds that work.
    SendToken,
    /// Send a token that is neither unknown, expired nor revoked.
    RenewToken,
    /// Send a token of another kind; `value` has the kinds that work.
    ChangeTokenKind,
    /// Send a token of this user.
    ChangeUser,
    /// Send a fine-grained token for this resource owner.
    ChangeResourceOwner,
    /// Send a token of the installation on this account.
    ChangeInstallation,
    /// Send a token of an installation of this app.
    ChangeApp,
    /// Add the scope to the token.
    AddScope,
    /// Grant the permission to the token or the installation.
    GrantPermission,
    /// Install the app on the account.
    InstallApp,
    /// Select the repository in the installation or the token.
    SelectRepository,
    /// Lift the suspension of the installation.
    Unsuspend,
    /// Make the user a member of the organization with this role.
    AddMember,
    /// Make the user a collaborator of the repository with this permission.
    AddCollaborator,
    /// Create the resource, or correct its name.
    Create,
    /// Wait until the limit resets, or raise it.
    Wait,
    /// Change the request itself.
    ChangeRequest,
}

impl Example for Explanation {
    fn example() -> Self {
        let sentence = "repository acme/secret: not among the 2 selected";
        Self {
            line: format!(
                "Token ghs_…3f2a, installation 7001 of ci-bot on acme → {sentence} → hidden → 404"
            ),
            steps: vec![ExplanationStep {
                check: Check::Reach,
                subject: "repository acme/secret".to_owned(),
                needed: Some("the repository in the installation".to_owned()).into(),
                found: Some("2 other repositories".to_owned()).into(),
                outcome: StepOutcome::Hidden,
                sentence: sentence.to_owned(),
                advice: vec![Advice {
                    action: AdviceAction::SelectRepository,
                    target: "installation 7001".to_owned(),
                    value: "acme/secret".to_owned(),
                    sentence: "Select acme/secret in installation 7001.".to_owned(),
                }],
            }],
        }
    }
}
