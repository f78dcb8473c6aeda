//! What an operation declares of itself, as data: how it is reached, and who may call
//! it (Spec, Authentication; for the silences, `openapi/decisions.md`).
//!
//! `#[operations]` makes an `Operation` of each declaration in the contract. What a rule
//! means for a caller is decided in `access/`; what it says is visible to callers in the
//! `X-Accepted-OAuth-Scopes` and `X-Accepted-GitHub-Permissions` headers.

pub use Standing::{Administrator, Reader, Triager, Writer};

use super::caller::Level;
use super::media::Form;

/// One operation.
#[derive(Debug)]
pub struct Operation {
    /// The operation id, which is the name of its method.
    pub id: &'static str,
    /// In lower case: `get`.
    pub method: &'static str,
    /// As the documents have it: `/repos/{owner}/{repo}`.
    pub path: &'static str,
    /// Where it is documented.
    pub documentation: &'static str,
    /// Whether an answer may be given out again. It must depend on the request, the
    /// caller, the database and the day, and on nothing else.
    pub cached: bool,
    /// The forms in which it answers besides the usual JSON.
    pub forms: &'static [Form],
    /// Who may call it. None for what the service says of itself to anybody, and for
    /// what apps do with a JSON web token.
    pub rule: Option<Rule>,
}

impl Operation {
    /// Whether the operation changes nothing.
    pub fn reads_only(&self) -> bool {
        self.method == "get"
    }
}

/// A permission's name, and the level that is needed.
pub type Grant = (&'static str, Level);

/// A row of the permission table.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Whether public things are served without a credential.
    pub anonymous: bool,
    pub kinds: Kinds,
    /// What a fine-grained or app token must be granted.
    pub permission: Option<Grant>,
    /// What it may be granted instead.
    pub or_permission: Option<Grant>,
    /// What it needs besides for some requests.
    pub may_need: Option<Grant>,
    /// One of these is what a classic or OAuth token must have for private things.
    pub scopes: &'static [&'static str],
    /// The scopes that callers are told, as recorded from GitHub, where they are not
    /// those above.
    pub shown_scopes: Option<&'static [&'static str]>,
    pub standing: Standing,
    /// What a token of a kind that never works is told.
    pub wrong_kind: &'static str,
}

impl Rule {
    /// Any token, for whoever may see the thing in question.
    pub const TOKEN: Self = Self {
        anonymous: false,
        kinds: Kinds::EVERY,
        permission: None,
        or_permission: None,
        may_need: None,
        scopes: &[],
        shown_scopes: None,
        standing: Reader,
        wrong_kind: "",
    };

    /// The same, and no token for public things.
    pub const OPEN: Self = Self {
        anonymous: true,
        ..Self::TOKEN
    };
}

/// The kinds of token that an operation works with at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds {
    pub classic: bool,
    pub oauth: bool,
    pub fine_grained: bool,
    pub app_user: bool,
    pub installation: bool,
}

impl Kinds {
    const NONE: Self = Self {
        classic: false,
        oauth: false,
        fine_grained: false,
        app_user: false,
        installation: false,
    };
    pub const EVERY: Self = Self {
        installation: true,
        ..Self::USERS
    };
    /// Tokens with a user behind them.
    pub const USERS: Self = Self {
        fine_grained: true,
        app_user: true,
        ..Self::SCOPED
    };
    /// Authentication, rule 5: user-owned projects.
    pub const SCOPED: Self = Self {
        oauth: true,
        ..Self::CLASSIC
    };
    /// Authentication, rule 6: adding to and removing from an installation.
    pub const CLASSIC: Self = Self {
        classic: true,
        ..Self::NONE
    };
    pub const APP_USER: Self = Self {
        app_user: true,
        ..Self::NONE
    };
    pub const INSTALLATION: Self = Self {
        installation: true,
        ..Self::NONE
    };
}

/// What the user behind a token must be to the thing in question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Able to see it.
    Reader,
    /// Allowed to take care of its issues.
    Triager,
    /// Allowed to push to it, or a member of the organization that owns it.
    Writer,
    /// An administrator of it.
    Administrator,
}

pub const fn read(permission: &'static str) -> Option<Grant> {
    Some((permission, Level::Read))
}

pub const fn write(permission: &'static str) -> Option<Grant> {
    Some((permission, Level::Write))
}
