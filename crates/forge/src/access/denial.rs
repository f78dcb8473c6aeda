//! Why a request is denied. `explained.rs` describes each reason.

use contract::caller::{Caller, Permissions};
use contract::problem::Problem;
use storage::entities::account::AccountKind;
use storage::entities::collaborator::Permission;
use storage::entities::membership;

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DenialReason {
    /// There is no credential.
    Token,
    /// The operation does not work with this kind of token.
    Kind,
    /// There is no such resource.
    Absent,
    /// The path is that of another kind of account than this one.
    OtherAccountKind(AccountKind),
    /// The installation, by its id, is suspended.
    Suspended(i64),
    NoAccess(NoAccess),
    /// The user's role in the repository is too low.
    Role {
        needed: Permission,
        found: Permission,
    },
    /// The user's role in the organization is too low.
    Membership {
        needed: membership::Role,
        found: Option<membership::Role>,
    },
    /// Only the owner may, and the user is not the owner.
    Ownership,
    /// The token lacks all of these scopes.
    Scope(&'static [&'static str]),
    /// The token, or the installation with this id, lacks a permission of the operation.
    Permission {
        installation: Option<i64>,
        granted: Permissions,
    },
}

/// Why a token or an app cannot access a resource that is not public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAccess {
    /// The request is anonymous.
    NoToken,
    /// An app itself has no access; its installations have.
    AppItself,
    /// The token lacks each of these scopes.
    Scope(&'static [&'static str]),
    /// The fine-grained token has another resource owner.
    ResourceOwner,
    /// The repository is not selected for the token.
    TokenSelection,
    /// The installation is on another account.
    Account,
    /// The repository is not selected in this installation.
    Selection(i64),
    /// The app is not installed there.
    NotInstalled,
    /// The installation there is suspended.
    Suspended(i64),
}

impl From<NoAccess> for DenialReason {
    fn from(reason: NoAccess) -> Self {
        match reason {
            NoAccess::NoToken => Self::Token,
            NoAccess::Scope(scopes) => Self::Scope(scopes),
            NoAccess::Suspended(installation) => Self::Suspended(installation),
            reason => Self::NoAccess(reason),
        }
    }
}

impl DenialReason {
    /// What a caller of the wrong kind lacks: any token, or another kind.
    pub fn of_kind(caller: &Caller) -> Self {
        match caller {
            Caller::Anonymous => Self::Token,
            _ => Self::Kind,
        }
    }
}

/// A refusal and its reason.
pub type Refusal = (Problem, DenialReason);
