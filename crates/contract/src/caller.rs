//! The authenticated caller. Plain data: `access/` derives it from the `Authorization` header,
//! once per request, and decides what the caller may do.

use std::collections::{BTreeMap, BTreeSet};

use super::problem::Problem;
use super::reply::Outcome;
use super::values::Timestamp;

/// The granted access levels by permission name.
pub type Permissions = BTreeMap<String, Level>;

/// The access level of a permission.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Read,
    Write,
    Admin,
}

impl Level {
    /// The level as it is written in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

/// The user that a token belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub id: i64,
    pub login: String,
    pub site_admin: bool,
}

/// The repositories that a token can access in addition to public ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Every repository of the account.
    All,
    /// No others: public repositories only.
    Public,
    /// The repositories with these ids.
    Selected(BTreeSet<i64>),
}

impl Reach {
    pub fn covers(&self, repository_id: i64) -> bool {
        match self {
            Self::All => true,
            Self::Public => false,
            Self::Selected(ids) => ids.contains(&repository_id),
        }
    }
}

/// The kinds of callers, as in the Authentication section of the specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    Anonymous,
    /// A classic personal access token.
    Classic {
        token: i64,
        user: Person,
        scopes: BTreeSet<String>,
        /// When it expires, if it does.
        expires_at: Option<Timestamp>,
    },
    /// An OAuth app's token.
    OAuth {
        token: i64,
        user: Person,
        scopes: BTreeSet<String>,
        /// The client ID of the app, if it is known.
        client_id: Option<String>,
    },
    /// A fine-grained personal access token: one resource owner.
    FineGrained {
        token: i64,
        user: Person,
        owner: i64,
        reach: Reach,
        permissions: Permissions,
        /// When it expires, if it does.
        expires_at: Option<Timestamp>,
    },
    /// An app's user access token: it grants what both the user and the app's installations
    /// may do.
    AppUser {
        token: i64,
        user: Person,
        app: i64,
        client_id: String,
    },
    /// An installation access token.
    Installation {
        token: i64,
        installation: i64,
        app: i64,
        app_slug: String,
        bot: Option<i64>,
        account: i64,
        /// Whether the installation is limited to selected repositories. They are looked up one
        /// at a time, because there may be many.
        selected: bool,
        /// The repositories that the token is restricted to.
        reach: Reach,
        permissions: Permissions,
        suspended: bool,
    },
    /// An app that authenticates with a JSON web token.
    App {
        id: i64,
        slug: String,
    },
}

impl Caller {
    /// The user on whose behalf the call is made.
    pub fn user(&self) -> Option<&Person> {
        match self {
            Self::Classic { user, .. }
            | Self::OAuth { user, .. }
            | Self::FineGrained { user, .. }
            | Self::AppUser { user, .. } => Some(user),
            Self::Anonymous | Self::Installation { .. } | Self::App { .. } => None,
        }
    }

    /// The account that the caller's writes are attributed to.
    pub fn author(&self) -> Option<i64> {
        match self {
            Self::Installation { bot, .. } => *bot,
            _ => self.user().map(|user| user.id),
        }
    }

    /// The author, or 403 if there is none: an app may have no bot.
    pub fn must_have_author(&self) -> Outcome<i64> {
        self.author()
            .ok_or_else(|| Problem::Forbidden("Resource not accessible by integration".into()))
    }

    /// The id of the token.
    pub fn token(&self) -> Option<i64> {
        match self {
            Self::Classic { token, .. }
            | Self::OAuth { token, .. }
            | Self::FineGrained { token, .. }
            | Self::AppUser { token, .. }
            | Self::Installation { token, .. } => Some(*token),
            Self::Anonymous | Self::App { .. } => None,
        }
    }

    /// The scopes of a classic or OAuth token; other kinds have none.
    pub fn scopes(&self) -> Option<&BTreeSet<String>> {
        match self {
            Self::Classic { scopes, .. } | Self::OAuth { scopes, .. } => Some(scopes),
            _ => None,
        }
    }

    /// When a personal access token expires, if it does.
    pub fn expiration(&self) -> Option<Timestamp> {
        match self {
            Self::Classic { expires_at, .. } | Self::FineGrained { expires_at, .. } => *expires_at,
            _ => None,
        }
    }

    pub fn is_anonymous(&self) -> bool {
        matches!(self, Self::Anonymous)
    }

    /// The approximate heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        let reached = match self {
            Self::FineGrained { reach, .. } | Self::Installation { reach, .. } => match reach {
                Reach::Selected(ids) => ids.len() * 16,
                Reach::All | Reach::Public => 0,
            },
            _ => 0,
        };
        1024 + reached
    }

    /// The kind of caller, for logs and metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Anonymous => "anonymous",
            Self::Classic { .. } => "classic",
            Self::OAuth { .. } => "oauth",
            Self::FineGrained { .. } => "fine_grained",
            Self::AppUser { .. } => "app_user",
            Self::Installation { .. } => "installation",
            Self::App { .. } => "app",
        }
    }

    /// The caller's name, for logs.
    pub fn name(&self) -> &str {
        match self {
            Self::Anonymous => "-",
            Self::Installation { app_slug, .. } => app_slug,
            Self::App { slug, .. } => slug,
            _ => self.user().map_or("-", |user| &user.login),
        }
    }
}
