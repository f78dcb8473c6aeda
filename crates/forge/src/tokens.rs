//! Tokens: their values (`value.rs`), their rows (`row.rs`), the names of permissions
//! (`vocabulary.rs`), and the operator's commands, which issue, list and revoke them.
//! The API issues installation tokens only (`apps`); users' tokens come from the
//! command line or from a world file. All of them store tokens through `row.rs`.
//!
//! `issue` returns a value once. Afterwards only its hash is known.

mod listing;
mod resolve;
mod row;
mod value;
mod vocabulary;

use std::collections::BTreeSet;

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};

pub use crate::access::credential::hash;
pub use crate::tokens::listing::{ListedToken, describe, list};
pub use crate::tokens::resolve::narrowed;
pub use crate::tokens::row::{
    CreatedToken, INSTALLATION_TOKEN_SECONDS, TokenDraft, mint, select_repositories,
};
pub use crate::tokens::vocabulary::{
    NO_PERMISSION, OTHER_APP_PERMISSIONS, SCOPES, TOKEN_PERMISSIONS, levels,
};
pub use value::{generate, generate_control};

use crate::app::App;
use contract::caller::Permissions;
use contract::values::Timestamp;
use storage::entities::token;

/// A token to issue, with names instead of ids.
#[derive(Debug, Clone)]
pub enum NewToken {
    Classic {
        user: String,
        scopes: BTreeSet<String>,
    },
    Oauth {
        user: String,
        scopes: BTreeSet<String>,
    },
    FineGrained {
        user: String,
        /// The account whose resources it can access.
        owner: String,
        repositories: Repositories,
        permissions: Permissions,
    },
    AppUser {
        user: String,
        app: String,
    },
    Installation {
        app: String,
        account: String,
        /// Names without their owner; empty means all that the installation can access.
        repositories: Vec<String>,
        /// None means all permissions of the installation.
        permissions: Option<Permissions>,
    },
}

/// The repositories of its owner that a fine-grained token can access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repositories {
    All,
    Public,
    /// Names without their owner.
    Only(Vec<String>),
}

/// Options of any token.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    /// A note for lists.
    pub label: Option<String>,
    /// When it expires; never if there is none, except for an installation token,
    /// which lives for an hour at most.
    pub expires_at: Option<Timestamp>,
}

/// Why a token could not be issued or revoked.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// A name that nothing of this kind has, and what was probably meant.
    #[error("there is no {kind} `{name}`{hint}")]
    Unknown {
        kind: &'static str,
        name: String,
        hint: String,
    },
    #[error("the app `{app}` is not installed on `{account}`")]
    NotInstalled { app: String, account: String },
    #[error("the account or installation of the token has no repository `{0}`")]
    NoRepository(String),
    #[error("the installation does not have the permission `{0}`")]
    NotGranted(String),
    #[error("a token must expire in the future, and an installation token within an hour")]
    Expiry,
    #[error("there is no such token")]
    NoToken,
    #[error(transparent)]
    Database(#[from] DbErr),
}

/// Issues a token. Its value is in the result and nowhere else.
pub async fn issue(app: &App, token: NewToken, terms: Terms) -> Result<CreatedToken, TokenError> {
    let now = app.clock.now();
    let transaction = app.db.begin().await?;
    let mut draft = resolve::draft(&transaction, token).await?;
    draft.label = terms.label;
    draft.expires_at = expiry(draft.kind, terms.expires_at, now)?;
    let issued = mint(&transaction, &*app.entropy, now, &draft).await?;
    transaction.commit().await?;
    Ok(issued)
}

fn expiry(
    kind: token::TokenKind,
    requested: Option<Timestamp>,
    now: Timestamp,
) -> Result<Option<Timestamp>, TokenError> {
    let hour = Timestamp(now.0 + INSTALLATION_TOKEN_SECONDS);
    let expires_at = match kind {
        token::TokenKind::Installation => Some(requested.unwrap_or(hour)),
        _ => requested,
    };
    let late = kind == token::TokenKind::Installation && expires_at > Some(hour);
    match expires_at {
        Some(expiry) if expiry <= now || late => Err(TokenError::Expiry),
        expires_at => Ok(expires_at),
    }
}

/// Identifies the token to revoke.
#[derive(Debug, Clone, Copy)]
pub enum Which<'a> {
    /// As `list` shows it.
    Id(i64),
    Value(&'a str),
}

/// Revokes a token permanently, and returns whether it was active until now. Every server
/// process refuses it from then on.
pub async fn revoke(app: &App, which: Which<'_>) -> Result<bool, TokenError> {
    let condition = match which {
        Which::Id(id) => token::Column::Id.eq(id),
        Which::Value(value) => token::Column::Hash.eq(hash(value)),
    };
    let transaction = app.db.begin().await?;
    let row = token::Entity::find()
        .filter(condition.clone())
        .one(&*transaction)
        .await?
        .ok_or(TokenError::NoToken)?;
    token::Entity::update_many()
        .col_expr(token::Column::RevokedAt, Expr::value(app.clock.now().0))
        .filter(condition)
        .filter(token::Column::RevokedAt.is_null())
        .exec(&*transaction)
        .await?;
    transaction.commit().await?;
    Ok(row.revoked_at.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_773_144_000);

    fn expires(kind: token::TokenKind, requested: Option<i64>) -> Option<Option<i64>> {
        let requested = requested.map(|seconds| Timestamp(NOW.0 + seconds));
        let expires_at = expiry(kind, requested, NOW).ok()?;
        Some(expires_at.map(|expiry| expiry.0 - NOW.0))
    }

    #[test]
    fn an_installation_token_has_an_hour_and_never_more() {
        let kind = token::TokenKind::Installation;
        assert_eq!(expires(kind, None), Some(Some(3600)));
        assert_eq!(expires(kind, Some(60)), Some(Some(60)));
        assert_eq!(expires(kind, Some(3601)), None);
    }

    #[test]
    fn other_tokens_last_unless_a_time_to_come_is_given() {
        let kind = token::TokenKind::Classic;
        assert_eq!(expires(kind, None), Some(None));
        assert_eq!(expires(kind, Some(86_400)), Some(Some(86_400)));
        assert_eq!(expires(kind, Some(0)), None);
    }
}
