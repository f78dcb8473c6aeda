//! Queries on apps and their installations.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect,
};

use crate::access::installations::installed_on;
use crate::contract::paging::Page;
use crate::contract::values::Timestamp;
use crate::entities::{account, installation, repository};

pub async fn account(db: &impl ConnectionTrait, id: i64) -> Result<Option<account::Model>, DbErr> {
    account::Entity::find_by_id(id).one(db).await
}

pub async fn account_named(
    db: &impl ConnectionTrait,
    login: &str,
    kind: account::Kind,
) -> Result<Option<account::Model>, DbErr> {
    account::Entity::find()
        .filter(account::COLUMN.login_key.eq(login.to_lowercase()))
        .filter(account::Column::Kind.eq(kind))
        .one(db)
        .await
}

pub async fn count_installations(db: &impl ConnectionTrait, app: i64) -> Result<u64, DbErr> {
    installation::Entity::find()
        .filter(installation::COLUMN.app_id.eq(app))
        .count(db)
        .await
}

/// A page of an app's installations, newest first, and how many there are on all pages.
pub async fn installations(
    db: &impl ConnectionTrait,
    app: i64,
    since: Option<Timestamp>,
    page: Page,
) -> Result<(Vec<installation::Model>, u64), DbErr> {
    let mut query = installation::Entity::find().filter(installation::COLUMN.app_id.eq(app));
    if let Some(since) = since {
        query = query.filter(installation::COLUMN.updated_at.gte(since.0));
    }
    let total = query.clone().count(db).await?;
    if page.skipped() >= total {
        return Ok((Vec::new(), total));
    }
    let rows = query
        .order_by_desc(installation::Column::CreatedAt)
        .order_by_desc(installation::Column::Id)
        .offset(page.skipped())
        .limit(page.per_page)
        .all(db)
        .await?;
    Ok((rows, total))
}

/// An installation of this app and no other.
pub async fn installation(
    db: &impl ConnectionTrait,
    app: i64,
    id: i64,
) -> Result<Option<installation::Model>, DbErr> {
    installation::Entity::find_by_id(id)
        .filter(installation::COLUMN.app_id.eq(app))
        .one(db)
        .await
}

pub async fn installation_on(
    db: &impl ConnectionTrait,
    app: i64,
    account: i64,
) -> Result<Option<installation::Model>, DbErr> {
    installation::Entity::find()
        .filter(installation::COLUMN.app_id.eq(app))
        .filter(installation::COLUMN.account_id.eq(account))
        .one(db)
        .await
}

/// The repositories of an installation that have one of these ids or one of
/// these names, which are in lower case.
pub async fn repositories(
    db: &impl ConnectionTrait,
    installation: &installation::Model,
    ids: impl IntoIterator<Item = i64>,
    names: impl IntoIterator<Item = String>,
) -> Result<Vec<repository::Model>, DbErr> {
    let named = Condition::any()
        .add(repository::Column::Id.is_in(ids))
        .add(repository::Column::NameKey.is_in(names));
    repository::Entity::find()
        .filter(installed_on(installation))
        .filter(named)
        .order_by_asc(repository::Column::Id)
        .all(db)
        .await
}

/// The installation of an app on the account that owns a repository, which may
/// be a user or an organization.
pub async fn installation_of_owner(
    db: &impl ConnectionTrait,
    app: i64,
    login: &str,
) -> Result<Option<installation::Model>, DbErr> {
    let owner = account::Entity::find()
        .filter(account::COLUMN.login_key.eq(login.to_lowercase()))
        .one(db)
        .await?;
    match owner {
        Some(owner) => installation_on(db, app, owner.id).await,
        None => Ok(None),
    }
}
