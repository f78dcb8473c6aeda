//! The rows of a token: one in `token`, and one in `token_repository` for each
//! repository that it is limited to. The command line, the apps area and world files
//! all write tokens through here. Callers check permissions before.

use std::collections::BTreeSet;

use sea_orm::{
    ActiveModelTrait, ActiveValue, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
};

use super::value;
use contract::values::Timestamp;
use storage::database::Connection;
use storage::entities::token::{TokenKind, TokenSelection};
use storage::entities::{token, token_repository};
use storage::entropy::Entropy;

/// Spec, Limits: an installation token lives for 60 minutes.
pub const INSTALLATION_TOKEN_SECONDS: i64 = 3600;

/// Seconds for which an expired installation token is still listed.
const KEPT_EXPIRED: i64 = 24 * 60 * 60;

/// Expired tokens that issuing a new one removes.
const REMOVED_AT_ONCE: u64 = 100;

/// A token to store. Each kind has exactly the parts that it needs; the
/// database refuses any other combination.
#[derive(Debug, Clone)]
pub struct TokenDraft {
    pub kind: TokenKind,
    pub user: Option<i64>,
    pub app: Option<i64>,
    pub client_id: Option<String>,
    pub installation: Option<i64>,
    pub owner: Option<i64>,
    pub selection: Option<TokenSelection>,
    /// With `TokenSelection::Selected`.
    pub repositories: BTreeSet<i64>,
    /// A JSON array.
    pub scopes: String,
    /// A JSON object.
    pub permissions: String,
    pub label: Option<String>,
    pub expires_at: Option<Timestamp>,
}

impl TokenDraft {
    pub fn of(kind: TokenKind) -> Self {
        Self {
            kind,
            user: None,
            app: None,
            client_id: None,
            installation: None,
            owner: None,
            selection: None,
            repositories: BTreeSet::new(),
            scopes: "[]".to_owned(),
            permissions: "{}".to_owned(),
            label: None,
            expires_at: None,
        }
    }

    /// The row of a token with this value, without an id.
    pub fn row(&self, value: &str, created_at: i64) -> token::Model {
        token::Model {
            id: 0,
            hash: super::hash(value),
            kind: self.kind,
            user_id: self.user,
            app_id: self.app,
            client_id: self.client_id.clone(),
            installation_id: self.installation,
            owner_id: self.owner,
            repository_selection: self.selection,
            scopes: self.scopes.clone(),
            permissions: self.permissions.clone(),
            label: self.label.clone(),
            hint: value::hint(value),
            demo: false,
            created_at,
            expires_at: self.expires_at.map(|expiry| expiry.0),
            revoked_at: None,
        }
    }
}

/// A new token. Its value is not shown again.
#[derive(Debug, Clone)]
pub struct CreatedToken {
    pub id: i64,
    pub kind: TokenKind,
    pub value: String,
    pub expires_at: Option<Timestamp>,
}

/// Creates a token with a new value, in the caller's transaction.
pub async fn mint(
    transaction: &Connection,
    entropy: &dyn Entropy,
    now: Timestamp,
    draft: &TokenDraft,
) -> Result<CreatedToken, DbErr> {
    if let Some(installation) = draft.installation {
        remove_expired(transaction, installation, now).await?;
    }
    let value = value::generate(draft.kind, entropy);
    let mut row = draft.row(&value, now.0).into_active_model().reset_all();
    row.id = ActiveValue::NotSet;
    let id = token::Entity::insert(row)
        .exec(transaction)
        .await?
        .last_insert_id;
    insert_repositories(transaction, id, &draft.repositories).await?;
    Ok(CreatedToken {
        id,
        kind: draft.kind,
        value,
        expires_at: draft.expires_at,
    })
}

/// Limits a stored token to these repositories, and returns whether that changed it.
pub async fn select_repositories(
    transaction: &Connection,
    token: i64,
    selected: &BTreeSet<i64>,
) -> Result<bool, DbErr> {
    let of_this = token_repository::COLUMN.token_id.eq(token);
    let stored: BTreeSet<i64> = token_repository::Entity::find()
        .filter(of_this.clone())
        .all(transaction)
        .await?
        .into_iter()
        .map(|row| row.repository_id)
        .collect();
    if stored == *selected {
        return Ok(false);
    }
    token_repository::Entity::delete_many()
        .filter(of_this)
        .exec(transaction)
        .await?;
    insert_repositories(transaction, token, selected).await?;
    Ok(true)
}

async fn insert_repositories(
    transaction: &Connection,
    token: i64,
    repositories: &BTreeSet<i64>,
) -> Result<(), DbErr> {
    if repositories.is_empty() {
        return Ok(());
    }
    let rows = repositories
        .iter()
        .map(|repository| token_repository::ActiveModel {
            token_id: ActiveValue::Set(token),
            repository_id: ActiveValue::Set(*repository),
        });
    token_repository::Entity::insert_many(rows)
        .exec_without_returning(transaction)
        .await?;
    Ok(())
}

/// Removes tokens of an installation that expired a while ago. Apps request a new
/// one every hour for as long as they run, so each new one removes some old ones.
async fn remove_expired(
    transaction: &Connection,
    installation: i64,
    now: Timestamp,
) -> Result<(), DbErr> {
    let expired: Vec<i64> = token::Entity::find()
        .select_only()
        .column(token::Column::Id)
        .filter(token::COLUMN.installation_id.eq(installation))
        .filter(token::COLUMN.expires_at.lt(now.0 - KEPT_EXPIRED))
        .limit(REMOVED_AT_ONCE)
        .into_tuple()
        .all(transaction)
        .await?;
    if expired.is_empty() {
        return Ok(());
    }
    token::Entity::delete_many()
        .filter(token::COLUMN.id.is_in(expired))
        .exec(transaction)
        .await?;
    Ok(())
}
