//! Who calls: what a credential has proved. Plain data; `access/` makes it of an
//! `Authorization` header, once for each request, and decides what it may do.

use std::collections::{BTreeMap, BTreeSet};

use super::problem::Problem;
use super::reply::Outcome;
use super::values::Timestamp;

/// A permission's name to the level that is granted.
pub type Permissions = BTreeMap<String, Level>;

/// How far a permission goes.
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
    /// As it is written on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

/// The holder of a user's token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub id: i64,
    pub login: String,
    pub site_admin: bool,
}

/// The repositories that a token reaches, public ones aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Every repository of the account.
    All,
    /// None but public ones.
    Public,
    /// These.
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

/// The kinds of caller of the specification's Authentication section.
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
        /// The app, if it is known.
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
    /// A user's token for an app: what both the user and the app's
    /// installations may do.
    AppUser {
        token: i64,
        user: Person,
        app: i64,
        client_id: String,
    },
    /// An installation's own token.
    Installation {
        token: i64,
        installation: i64,
        app: i64,
        app_slug: String,
        bot: Option<i64>,
        account: i64,
        /// Whether the installation has only some repositories of its account,
        /// which are looked up one by one: they may be many.
        selected: bool,
        /// What the token was narrowed to.
        reach: Reach,
        permissions: Permissions,
        suspended: bool,
    },
    /// An app, by a JSON web token.
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

    /// The account that what this caller writes is attributed to.
    pub fn author(&self) -> Option<i64> {
        match self {
            Self::Installation { bot, .. } => *bot,
            _ => self.user().map(|user| user.id),
        }
    }

    /// The same, for what cannot be written without an author: an app may have no bot.
    pub fn must_have_author(&self) -> Outcome<i64> {
        self.author()
            .ok_or_else(|| Problem::Forbidden("Resource not accessible by integration".into()))
    }

    /// The row of the token in use.
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

    /// The bytes that it holds on the heap, roughly.
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

    /// The kind of caller in a word, for logs and metrics.
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
