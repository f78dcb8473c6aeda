//! The metadata of an operation: its route, and who may call it (Spec, Authentication; where
//! the specification is silent, `openapi/decisions.md`).
//!
//! `#[operations]` creates an `Operation` from each declaration in the contract. `access/`
//! enforces the rules; callers see them in the `X-Accepted-OAuth-Scopes` and
//! `X-Accepted-GitHub-Permissions` headers.

mod presets;

pub use RequiredRole::{Administrator, Reader, Triager, Writer};

use super::Area;
use super::caller::{Caller, Level, Permissions};
use super::headers::Header;
use super::media::Form;

/// An operation.
#[derive(Debug)]
pub struct Operation {
    /// The operation id: the name of its method.
    pub id: &'static str,
    /// The HTTP method in lower case: `get`.
    pub method: &'static str,
    /// The path in the OpenAPI documents: `/repos/{owner}/{repo}`.
    pub path: &'static str,
    /// The URL of its documentation; empty for the control API.
    pub documentation: &'static str,
    /// Whether responses may be cached. They must depend only on the request, the caller, the
    /// database and the current day.
    pub cached: bool,
    /// Whether it has no rate limit.
    pub unlimited: bool,
    /// The formats of responses besides the usual JSON.
    pub forms: &'static [Form],
    /// What only the documents say.
    pub documented: Documented,
    /// Who may call it. None for public information about the service, for operations that apps
    /// call with a JSON web token, and for the control API.
    pub rule: Option<Rule>,
}

/// The facts about an operation that only the documents use.
#[derive(Debug)]
pub struct Documented {
    /// None if no document has the operation.
    pub area: Option<Area>,
    /// The headers of the success response that not every operation has.
    pub headers: &'static [Header],
    /// Whether the response is available in the media types of comments.
    pub comment_media: bool,
    /// The statuses that the specification lists; none if it does not have the operation.
    pub specified: &'static [u16],
    /// The operations that a client can call after this one.
    pub links: &'static [Links],
    /// The examples of parameters, where they differ from the usual ones.
    pub examples: &'static [(&'static str, &'static str)],
}

impl Documented {
    /// An operation that no document has.
    pub const NOWHERE: Self = Self {
        area: None,
        headers: &[],
        comment_media: false,
        specified: &[],
        links: &[],
        examples: &[],
    };
}

/// Operations that a client can call after another one.
#[derive(Debug)]
pub struct Links {
    /// Their ids.
    pub to: &'static [&'static str],
    /// Path parameters and the expressions for their values.
    pub with: &'static [(&'static str, &'static str)],
    /// Describes a parameter without an expression for its value.
    pub note: Option<&'static str>,
}

impl Operation {
    /// Whether the operation only reads data.
    pub fn reads_only(&self) -> bool {
        self.method == "get"
    }
}

/// The name of a permission, and the level that is needed.
pub type Grant = (&'static str, Level);

/// A row of the permission table.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Whether public resources are served without a credential.
    pub anonymous: bool,
    pub kinds: Kinds,
    /// The permission that a fine-grained or app token needs.
    pub permission: Option<Grant>,
    /// The permission that it needs in addition to `permission`.
    pub and_permission: Option<Grant>,
    /// The permission that is accepted instead.
    pub or_permission: Option<Grant>,
    /// The permission that some requests need in addition.
    pub may_need: Option<Grant>,
    /// A classic or OAuth token needs one of these for private resources.
    pub scopes: &'static [&'static str],
    /// The scopes in the response header, as recorded from GitHub, where they differ from
    /// `scopes`.
    pub shown_scopes: Option<&'static [&'static str]>,
    pub role: RequiredRole,
    /// The error message for a token of a kind that is not accepted.
    pub wrong_kind: &'static str,
}

impl Rule {
    /// Any token of a caller who may see the resource.
    pub const TOKEN: Self = Self {
        anonymous: false,
        kinds: Kinds::EVERY,
        permission: None,
        and_permission: None,
        or_permission: None,
        may_need: None,
        scopes: &[],
        shown_scopes: None,
        role: Reader,
        wrong_kind: "",
    };

    /// The same, and public resources without a token.
    pub const OPEN: Self = Self {
        anonymous: true,
        ..Self::TOKEN
    };
}

impl Rule {
    /// Whether a fine-grained or app token has the permissions of the operation.
    pub fn is_granted(&self, granted: &Permissions) -> bool {
        let has =
            |(name, level): Grant| granted.get(name).is_some_and(|held: &Level| *held >= level);
        let all = self.permission.is_none_or(has) && self.and_permission.is_none_or(has);
        all || self.or_permission.is_some_and(has)
    }

    /// The value of `X-Accepted-GitHub-Permissions`: alternatives between semicolons, each a list
    /// of what is needed together.
    pub fn accepted_permissions(&self) -> String {
        let format_grant = |(name, level): Grant| format!("{name}={}", level.as_str());
        let needed = [self.permission, self.and_permission];
        let needed: Vec<_> = needed.into_iter().flatten().map(format_grant).collect();
        if needed.is_empty() {
            return "allows_permissionless_access=true".to_owned();
        }
        let needed = needed.join(",");
        match (
            self.or_permission.map(format_grant),
            self.may_need.map(format_grant),
        ) {
            (Some(alternative), _) => format!("{needed}; {alternative}"),
            (None, Some(more)) => format!("{needed}; {needed},{more}"),
            (None, None) => needed,
        }
    }

    /// The value of `X-Accepted-OAuth-Scopes`.
    pub fn accepted_scopes(&self) -> String {
        self.shown_scopes.unwrap_or(self.scopes).join(", ")
    }
}

/// The kinds of token that an operation accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds {
    pub classic: bool,
    pub oauth: bool,
    pub fine_grained: bool,
    pub app_user: bool,
    pub installation: bool,
}

impl Kinds {
    /// Whether the caller's credential is one of these kinds.
    pub fn include(self, caller: &Caller) -> bool {
        match caller {
            Caller::Anonymous | Caller::App { .. } => false,
            Caller::Classic { .. } => self.classic,
            Caller::OAuth { .. } => self.oauth,
            Caller::FineGrained { .. } => self.fine_grained,
            Caller::AppUser { .. } => self.app_user,
            Caller::Installation { .. } => self.installation,
        }
    }

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
    /// Tokens of users.
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

/// The role that the user of a token needs on the resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequiredRole {
    /// May read it.
    Reader,
    /// May triage its issues.
    Triager,
    /// May push to it, or is a member of the organization that owns it.
    Writer,
    /// Administers it.
    Administrator,
}

pub const fn read(permission: &'static str) -> Option<Grant> {
    Some((permission, Level::Read))
}

pub const fn write(permission: &'static str) -> Option<Grant> {
    Some((permission, Level::Write))
}
