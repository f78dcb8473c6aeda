//! Resolves the names in a request for a token to ids. Every name must exist, and no
//! token may do more than its installation.

use std::collections::BTreeSet;

use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;

use super::{NewToken, Repositories, SCOPES, TOKEN_PERMISSIONS, TokenDraft, TokenError};
use crate::access::METADATA;
use crate::access::installations::installed_on;
use crate::nearest::did_you_mean;
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
        return Err(unknown_name("scope", unknown, SCOPES.iter().copied()));
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
        let nearest = did_you_mean(unknown, TOKEN_PERMISSIONS.iter().copied());
        return Err(TokenError::Unknown {
            kind: "permission",
            name: unknown.clone(),
            hint: format!(" for this kind of token{nearest}"),
        });
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
        Some(requested) => narrowed(&granted, requested).map_err(TokenError::NotGranted)?,
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

/// The most names that are compared with an unknown one.
const MOST_NAMES: u64 = 1000;

fn unknown_name<'a>(
    kind: &'static str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> TokenError {
    TokenError::Unknown {
        kind,
        name: name.to_owned(),
        hint: did_you_mean(name, known),
    }
}

async fn find_account(db: &Connection, login: &str) -> Result<account::Model, TokenError> {
    match account_named(db, login).await? {
        Some(account) => Ok(account),
        None => Err(no_account(db, "account", login, Condition::all()).await?),
    }
}

async fn find_user(db: &Connection, login: &str) -> Result<i64, TokenError> {
    use account::AccountKind::User;
    let users = Condition::all()
        .add(account::COLUMN.kind.eq(User))
        .add(account::COLUMN.mannequin.eq(false));
    match account_named(db, login).await? {
        Some(account) if account.kind == User && !account.mannequin => Ok(account.id),
        Some(account) => Err(TokenError::Unknown {
            kind: "user",
            name: login.to_owned(),
            hint: match account.kind {
                account::AccountKind::Organization => "; it is an organization".to_owned(),
                account::AccountKind::Bot => "; it is the bot of an app".to_owned(),
                User => "; it is a mannequin, which cannot sign in".to_owned(),
            },
        }),
        None => Err(no_account(db, "user", login, users).await?),
    }
}

async fn account_named(db: &Connection, login: &str) -> Result<Option<account::Model>, DbErr> {
    let by_login = account::COLUMN.login_key.eq(login.to_lowercase());
    account::Entity::find().filter(by_login).one(db).await
}

/// The error for a login that no account of a kind has, with the nearest login.
async fn no_account(
    db: &Connection,
    kind: &'static str,
    login: &str,
    among: Condition,
) -> Result<TokenError, DbErr> {
    let logins: Vec<String> = account::Entity::find()
        .select_only()
        .column(account::Column::Login)
        .filter(among)
        .order_by_asc(account::Column::Id)
        .limit(MOST_NAMES)
        .into_tuple()
        .all(db)
        .await?;
    Ok(unknown_name(kind, login, logins.iter().map(String::as_str)))
}

async fn find_app(db: &Connection, slug: &str) -> Result<i64, TokenError> {
    let by_slug = app::COLUMN.slug.eq(slug.to_lowercase());
    if let Some(app) = app::Entity::find().filter(by_slug).one(db).await? {
        return Ok(app.id);
    }
    let slugs: Vec<String> = app::Entity::find()
        .select_only()
        .column(app::Column::Slug)
        .order_by_asc(app::Column::Id)
        .limit(MOST_NAMES)
        .into_tuple()
        .all(db)
        .await?;
    Err(unknown_name("app", slug, slugs.iter().map(String::as_str)))
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
