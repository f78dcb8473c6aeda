//! Resolves the names in a request for a token to ids. Every name must exist, and no
//! token may do more than its installation.

use std::collections::BTreeSet;

use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter};
use serde::Serialize;

use super::{NewToken, Repositories, SCOPES, TOKEN_PERMISSIONS, TokenDraft, TokenError};
use crate::access::METADATA;
use crate::access::installations::installed_on;
use contract::caller::{Level, Permissions};
use storage::database::Connection;
use storage::entities::token::{TokenKind, TokenSelection};
use storage::entities::{account, app, installation, repository};

pub async fn draft(db: &Connection, token: NewToken) -> Result<TokenDraft, TokenError> {
    match token {
        NewToken::Classic { user, scopes } => scoped(db, TokenKind::Classic, &user, &scopes).await,
        NewToken::Oauth { user, scopes } => scoped(db, TokenKind::Oauth, &user, &scopes).await,
        NewToken::AppUser { user, app } => Ok(TokenDraft {
            user: Some(find_user(db, &user).await?),
            app: Some(find_app(db, &app).await?),
            ..TokenDraft::of(TokenKind::AppUser)
        }),
        NewToken::FineGrained {
            user,
            owner,
            repositories,
            permissions,
        } => fine_grained(db, &user, &owner, repositories, permissions).await,
        NewToken::Installation {
            app,
            account,
            repositories,
            permissions,
        } => installed(db, app, account, &repositories, permissions).await,
    }
}

async fn scoped(
    db: &Connection,
    kind: TokenKind,
    user: &str,
    scopes: &BTreeSet<String>,
) -> Result<TokenDraft, TokenError> {
    if let Some(unknown) = scopes.iter().find(|name| !SCOPES.contains(&name.as_str())) {
        return Err(TokenError::NoScope(unknown.clone()));
    }
    Ok(TokenDraft {
        user: Some(find_user(db, user).await?),
        scopes: json(scopes),
        ..TokenDraft::of(kind)
    })
}

async fn fine_grained(
    db: &Connection,
    user: &str,
    owner: &str,
    repositories: Repositories,
    mut permissions: Permissions,
) -> Result<TokenDraft, TokenError> {
    let unknown = permissions
        .keys()
        .find(|name| !TOKEN_PERMISSIONS.contains(&name.as_str()));
    if let Some(unknown) = unknown {
        return Err(TokenError::NoPermission(unknown.clone()));
    }
    permissions
        .entry(METADATA.to_owned())
        .or_insert(Level::Read);
    let owner = find_account(db, owner).await?.id;
    let (selection, chosen) = match repositories {
        Repositories::All => (TokenSelection::All, BTreeSet::new()),
        Repositories::Public => (TokenSelection::Public, BTreeSet::new()),
        Repositories::Only(names) => {
            let owned = Condition::all().add(repository::COLUMN.owner_id.eq(owner));
            (
                TokenSelection::Selected,
                find_among(db, owned, &names).await?,
            )
        }
    };
    Ok(TokenDraft {
        user: Some(find_user(db, user).await?),
        owner: Some(owner),
        selection: Some(selection),
        repositories: chosen,
        permissions: json(&permissions),
        ..TokenDraft::of(TokenKind::FineGrained)
    })
}

async fn installed(
    db: &Connection,
    app: String,
    account: String,
    repositories: &[String],
    permissions: Option<Permissions>,
) -> Result<TokenDraft, TokenError> {
    let installation = installation::Entity::find()
        .filter(installation::COLUMN.app_id.eq(find_app(db, &app).await?))
        .filter(
            installation::COLUMN
                .account_id
                .eq(find_account(db, &account).await?.id),
        )
        .one(db)
        .await?
        .ok_or(TokenError::NotInstalled { app, account })?;
    let granted: Permissions = serde_json::from_str(&installation.permissions).unwrap_or_default();
    let permissions = match permissions {
        Some(requested) => narrowed(&granted, requested).map_err(TokenError::NoPermission)?,
        None => granted,
    };
    let chosen = find_among(db, installed_on(&installation), repositories).await?;
    Ok(TokenDraft {
        installation: Some(installation.id),
        selection: Some(match chosen.is_empty() {
            true => TokenSelection::All,
            false => TokenSelection::Selected,
        }),
        repositories: chosen,
        permissions: json(&permissions),
        ..TokenDraft::of(TokenKind::Installation)
    })
}

/// The permissions of a token that requests fewer than its installation has. It keeps
/// the installation's access to metadata. The error names a permission that the
/// installation does not have.
pub fn narrowed(granted: &Permissions, mut requested: Permissions) -> Result<Permissions, String> {
    let excess = requested
        .iter()
        .find(|(name, level)| granted.get(*name).is_none_or(|held| held < *level));
    if let Some((name, _)) = excess {
        return Err(name.clone());
    }
    if let Some(level) = granted.get(METADATA) {
        requested.insert(METADATA.to_owned(), *level);
    }
    Ok(requested)
}

async fn find_account(db: &Connection, login: &str) -> Result<account::Model, TokenError> {
    account::Entity::find()
        .filter(account::COLUMN.login_key.eq(login.to_lowercase()))
        .one(db)
        .await?
        .ok_or_else(|| TokenError::NoAccount(login.to_owned()))
}

async fn find_user(db: &Connection, login: &str) -> Result<i64, TokenError> {
    match find_account(db, login).await {
        Ok(account) if account.kind == account::AccountKind::User && !account.mannequin => {
            Ok(account.id)
        }
        Ok(_) | Err(TokenError::NoAccount(_)) => Err(TokenError::NoUser(login.to_owned())),
        Err(other) => Err(other),
    }
}

async fn find_app(db: &Connection, slug: &str) -> Result<i64, TokenError> {
    app::Entity::find()
        .filter(app::COLUMN.slug.eq(slug.to_lowercase()))
        .one(db)
        .await?
        .map(|app| app.id)
        .ok_or_else(|| TokenError::NoApp(slug.to_owned()))
}

/// The ids of these repositories, each of which must match the condition.
async fn find_among(
    db: &Connection,
    reach: Condition,
    names: &[String],
) -> Result<BTreeSet<i64>, TokenError> {
    let keys: BTreeSet<_> = names.iter().map(|name| name.to_lowercase()).collect();
    if keys.is_empty() {
        return Ok(BTreeSet::new());
    }
    let rows = repository::Entity::find()
        .filter(reach)
        .filter(repository::Column::NameKey.is_in(keys.iter()))
        .all(db)
        .await?;
    let missing = keys
        .iter()
        .find(|key| rows.iter().all(|row| row.name_key != **key));
    match missing {
        Some(name) => Err(TokenError::NoRepository(name.clone())),
        None => Ok(rows.into_iter().map(|row| row.id).collect()),
    }
}

/// Sets and maps of strings are always JSON.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
