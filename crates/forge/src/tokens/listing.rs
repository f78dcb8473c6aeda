//! Lists tokens with their holders and permissions, never their values.

use std::collections::{BTreeSet, HashMap};

use sea_orm::{DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::TokenError;
use crate::app::App;
use contract::caller::Permissions;
use contract::values::Timestamp;
use storage::database::{Connection, rows_with};
use storage::entities::token::TokenKind;
use storage::entities::{account, app, installation, token};

/// A token in a list.
#[derive(Debug, Clone)]
pub struct ListedToken {
    pub id: i64,
    pub kind: TokenKind,
    /// A login, or `app on account` for an installation.
    pub holder: String,
    pub scopes: BTreeSet<String>,
    pub permissions: Permissions,
    pub label: Option<String>,
    /// The last characters of its value.
    pub hint: String,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    /// Whether it can be used now.
    pub active: bool,
}

/// At most `limit` tokens after this id, in ascending order of their ids.
pub async fn list(app: &App, after: i64, limit: u64) -> Result<Vec<ListedToken>, TokenError> {
    let db = app.db.reads();
    let rows = token::Entity::find()
        .filter(token::COLUMN.id.gt(after))
        .order_by_asc(token::Column::Id)
        .limit(limit)
        .all(db)
        .await?;
    Ok(describe(db, &rows, app.clock.now().0).await?)
}

/// The list entries of tokens at this time.
pub async fn describe(
    db: &Connection,
    rows: &[token::Model],
    now: i64,
) -> Result<Vec<ListedToken>, DbErr> {
    let holders = Holders::of(db, rows).await?;
    Ok(rows.iter().map(|row| listed(row, &holders, now)).collect())
}

fn listed(row: &token::Model, holders: &Holders, now: i64) -> ListedToken {
    let expired = row.expires_at.is_some_and(|expiry| expiry <= now);
    ListedToken {
        id: row.id,
        kind: row.kind,
        holder: holders.name(row),
        scopes: serde_json::from_str(&row.scopes).unwrap_or_default(),
        permissions: serde_json::from_str(&row.permissions).unwrap_or_default(),
        label: row.label.clone(),
        hint: row.hint.clone(),
        created_at: Timestamp(row.created_at),
        expires_at: row.expires_at.map(Timestamp),
        revoked_at: row.revoked_at.map(Timestamp),
        active: !expired && row.revoked_at.is_none(),
    }
}

/// The names that the tokens of a page refer to.
struct Holders {
    logins: HashMap<i64, String>,
    slugs: HashMap<i64, String>,
    /// App and account by installation.
    installations: HashMap<i64, (i64, i64)>,
}

impl Holders {
    async fn of(db: &Connection, tokens: &[token::Model]) -> Result<Self, DbErr> {
        let installed = tokens.iter().filter_map(|row| row.installation_id);
        let installations = rows_with(db, installation::Column::Id, installed).await?;
        let users = tokens.iter().filter_map(|row| row.user_id);
        let accounts = users.chain(installations.iter().map(|row| row.account_id));
        let accounts = rows_with(db, account::Column::Id, accounts).await?;
        let apps = installations.iter().map(|row| row.app_id);
        let apps = rows_with(db, app::Column::Id, apps).await?;
        Ok(Self {
            logins: accounts
                .into_iter()
                .map(|row| (row.id, row.login))
                .collect(),
            slugs: apps.into_iter().map(|row| (row.id, row.slug)).collect(),
            installations: installations
                .into_iter()
                .map(|row| (row.id, (row.app_id, row.account_id)))
                .collect(),
        })
    }

    fn name(&self, row: &token::Model) -> String {
        let login = |id: i64| self.logins.get(&id).map_or("?", String::as_str);
        let installed = row
            .installation_id
            .and_then(|id| self.installations.get(&id));
        match (row.user_id, installed) {
            (Some(user), _) => login(user).to_owned(),
            (None, Some((app, account))) => {
                let slug = self.slugs.get(app).map_or("?", String::as_str);
                format!("{slug} on {}", login(*account))
            }
            (None, None) => "?".to_owned(),
        }
    }
}
