//! What a caller lacks, as the deciding code found it. `explained.rs` puts it into words.

use crate::contract::caller::Caller;
use crate::contract::problem::Problem;
use crate::entities::collaborator::Permission;
use crate::entities::membership;

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// There is no credential.
    Token,
    /// The operation does not work with this kind of token.
    Kind,
    /// There is nothing by this name.
    Absent,
    /// The installation, by its id, is suspended.
    Suspended(i64),
    Unreached(Unreached),
    /// The user may not do enough in the repository.
    Role {
        needed: Permission,
        found: Permission,
    },
    /// The user is not enough in the organization.
    Membership {
        needed: membership::Role,
        found: Option<membership::Role>,
    },
    /// Only the owner may, and the user is not the owner.
    Ownership,
    /// One of these scopes.
    Scope(&'static [&'static str]),
    /// What the row of the operation takes, in the grants of the token or, by its id, of an
    /// installation.
    Permission {
        installation: Option<i64>,
    },
}

/// Why a token or an app does not reach a thing that is not public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreached {
    /// Nobody calls.
    NoToken,
    /// An app itself reaches nothing; its installations do.
    AppItself,
    /// The token lacks each of these scopes.
    Scope(&'static [&'static str]),
    /// The fine-grained token has another resource owner.
    ResourceOwner,
    /// The token was not given the repository.
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

impl From<Unreached> for Lack {
    fn from(reason: Unreached) -> Self {
        match reason {
            Unreached::NoToken => Self::Token,
            Unreached::Scope(wanted) => Self::Scope(wanted),
            Unreached::Suspended(installation) => Self::Suspended(installation),
            reason => Self::Unreached(reason),
        }
    }
}

impl Lack {
    /// What a caller of the wrong kind lacks: any token, or another kind.
    pub fn of_kind(caller: &Caller) -> Self {
        match caller {
            Caller::Anonymous => Self::Token,
            _ => Self::Kind,
        }
    }
}

/// A refusal and its reason.
pub type Refusal = (Problem, Lack);
