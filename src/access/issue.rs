//! New tokens: the row, and the value that is known afterwards only by its hash.
//! Whether somebody may have such a token is settled before.

use sea_orm::{ActiveValue, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::mint;
use crate::contract::values::Timestamp;
use crate::entities::token::{Kind, Selection};
use crate::entities::{token, token_repository};
use crate::entropy::Entropy;

/// Spec, Limits: an installation token lives for 60 minutes.
pub const INSTALLATION_TOKEN_SECONDS: i64 = 3600;

/// A token to be made. Each kind has exactly the parts that it needs; the
/// database refuses any other combination.
#[derive(Debug, Clone)]
pub struct Draft {
    pub kind: Kind,
    pub user: Option<i64>,
    pub app: Option<i64>,
    pub installation: Option<i64>,
    pub owner: Option<i64>,
    pub selection: Option<Selection>,
    /// With `Selection::Selected`.
    pub repositories: Vec<i64>,
    /// A JSON array.
    pub scopes: String,
    /// A JSON object.
    pub permissions: String,
    pub label: Option<String>,
    pub expires_at: Option<Timestamp>,
}

impl Draft {
    pub fn of(kind: Kind) -> Self {
        Self {
            kind,
            user: None,
            app: None,
            installation: None,
            owner: None,
            selection: None,
            repositories: Vec::new(),
            scopes: "[]".to_owned(),
            permissions: "{}".to_owned(),
            label: None,
            expires_at: None,
        }
    }
}

/// A token that was just made. Its value is not shown again.
#[derive(Debug, Clone)]
pub struct Issued {
    pub id: i64,
    pub kind: Kind,
    pub value: String,
    pub expires_at: Option<Timestamp>,
}

/// Seconds for which an expired token of an installation is still listed.
const KEPT_EXPIRED: i64 = 24 * 60 * 60;

/// Expired tokens that one new one takes with it.
const FORGOTTEN_AT_ONCE: u64 = 100;

/// Makes a token in a transaction of the caller's.
pub async fn issue(
    transaction: &impl ConnectionTrait,
    entropy: &dyn Entropy,
    now: Timestamp,
    draft: Draft,
) -> Result<Issued, DbErr> {
    if let Some(installation) = draft.installation {
        forget_expired(transaction, installation, now).await?;
    }
    let value = mint::value(draft.kind, entropy);
    let row = token::ActiveModel {
        hash: ActiveValue::Set(mint::hash(&value)),
        kind: ActiveValue::Set(draft.kind),
        user_id: ActiveValue::Set(draft.user),
        app_id: ActiveValue::Set(draft.app),
        installation_id: ActiveValue::Set(draft.installation),
        owner_id: ActiveValue::Set(draft.owner),
        repository_selection: ActiveValue::Set(draft.selection),
        scopes: ActiveValue::Set(draft.scopes),
        permissions: ActiveValue::Set(draft.permissions),
        label: ActiveValue::Set(draft.label),
        hint: ActiveValue::Set(mint::hint(&value)),
        demo: ActiveValue::Set(false),
        created_at: ActiveValue::Set(now.0),
        expires_at: ActiveValue::Set(draft.expires_at.map(|moment| moment.0)),
        revoked_at: ActiveValue::Set(None),
        ..Default::default()
    };
    let id = token::Entity::insert(row)
        .exec(transaction)
        .await?
        .last_insert_id;
    let reached = draft
        .repositories
        .iter()
        .map(|repository| token_repository::ActiveModel {
            token_id: ActiveValue::Set(id),
            repository_id: ActiveValue::Set(*repository),
        });
    if !draft.repositories.is_empty() {
        token_repository::Entity::insert_many(reached)
            .exec_without_returning(transaction)
            .await?;
    }
    Ok(Issued {
        id,
        kind: draft.kind,
        value,
        expires_at: draft.expires_at,
    })
}

/// Removes tokens of an installation that expired a while ago. Apps ask for a new
/// one every hour for as long as they run, so each new one takes some old ones
/// with it.
async fn forget_expired(
    transaction: &impl ConnectionTrait,
    installation: i64,
    now: Timestamp,
) -> Result<(), DbErr> {
    let expired: Vec<i64> = token::Entity::find()
        .select_only()
        .column(token::Column::Id)
        .filter(token::COLUMN.installation_id.eq(installation))
        .filter(token::COLUMN.expires_at.lt(now.0 - KEPT_EXPIRED))
        .limit(FORGOTTEN_AT_ONCE)
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
