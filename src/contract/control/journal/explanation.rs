//! Why a request was answered as it was: the decisions in their order.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::super::values::Nullable;

/// The decisions on a request in their order.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct Explanation {
    /// All of it as one line.
    pub line: String,
    /// Every decision for a request that was refused; for others who asked, and what admitted
    /// them.
    pub steps: Vec<ExplanationStep>,
}

/// One decision.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(rename = "Step")]
pub struct ExplanationStep {
    pub check: Check,
    /// What was looked at.
    pub subject: String,
    /// What the request needed here.
    pub needed: Nullable<String>,
    /// What was found instead, or what sufficed.
    pub found: Nullable<String>,
    pub outcome: StepOutcome,
    /// The decision in words.
    pub sentence: String,
    /// What would let the same request pass this check: any one of these.
    pub advice: Vec<Advice>,
}

/// What was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Whose the credential is.
    Credential,
    /// Whether a limit was reached.
    Limit,
    /// A fault that was asked for.
    Fault,
    /// Whether there is such an operation.
    Route,
    /// Whether the operation works with this kind of token.
    TokenKind,
    /// Whether the installation is suspended.
    Suspension,
    /// Whether what the path names exists.
    Existence,
    /// Whether the token or the app reaches it.
    Reach,
    /// What the user is to it.
    Role,
    /// The scopes of the token.
    Scope,
    /// The permissions of the token or the app.
    Permission,
    /// What the operation itself decided.
    Operation,
}

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    Passed,
    /// Refused, in words that the caller was told.
    Refused,
    /// Refused as if there were nothing.
    Hidden,
}

/// A change that would help.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct Advice {
    pub action: AdviceAction,
    /// What to change: `token`, or a thing by its name.
    pub target: String,
    /// What to give it, such as `repo` or `contents: write`. Empty if the action says it all.
    pub value: String,
    /// The advice in words.
    pub sentence: String,
}

/// A way to change who may do what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum AdviceAction {
    /// Send a token; `value` has the kinds that work.
    SendToken,
    /// Send a token that is neither unknown, expired nor revoked.
    RenewToken,
    /// Send a token of another kind; `value` has the kinds that work.
    ChangeTokenKind,
    /// Send a token of this user.
    ChangeUser,
    /// Make the fine-grained token one for this resource owner.
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
    /// Make it, or correct the name.
    Create,
    /// Wait until the limit is over, or raise it.
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
