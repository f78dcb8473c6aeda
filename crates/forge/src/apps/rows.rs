//! Queries on apps, their installations and their webhooks.

use sea_orm::sea_query::{Expr, LockType};
use sea_orm::{
    ActiveEnum, ColumnTrait, Condition, DbErr, EntityTrait, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect, Select,
};

use crate::access::installations::installed_on;
use contract::apps::HookDeliveryStatus;
use contract::paging::Page;
use contract::values::Timestamp;
use storage::database::Connection;
use storage::entities::{account, app, installation, repository, webhook_delivery};

pub async fn account(db: &Connection, id: i64) -> Result<Option<account::Model>, DbErr> {
    account::Entity::find_by_id(id).one(db).await
}

pub async fn account_named(
    db: &Connection,
    login: &str,
    kind: account::AccountKind,
) -> Result<Option<account::Model>, DbErr> {
    account::Entity::find()
        .filter(account::COLUMN.login_key.eq(login.to_lowercase()))
        .filter(account::Column::Kind.eq(kind))
        .one(db)
        .await
}

pub async fn count_installations(db: &Connection, app: i64) -> Result<u64, DbErr> {
    installation::Entity::find()
        .filter(installation::COLUMN.app_id.eq(app))
        .count(db)
        .await
}

/// A page of an app's installations, newest first, and how many there are on all pages.
pub async fn installations(
    db: &Connection,
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
    db: &Connection,
    app: i64,
    id: i64,
) -> Result<Option<installation::Model>, DbErr> {
    installation::Entity::find_by_id(id)
        .filter(installation::COLUMN.app_id.eq(app))
        .one(db)
        .await
}

pub async fn installation_on(
    db: &Connection,
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
    db: &Connection,
    installation: &installation::Model,
    ids: impl IntoIterator<Item = i64>,
    names: impl IntoIterator<Item = String>,
) -> Result<Vec<repository::Model>, DbErr> {
    let by_id_or_name = Condition::any()
        .add(repository::Column::Id.is_in(ids))
        .add(repository::Column::NameKey.is_in(names));
    repository::Entity::find()
        .filter(installed_on(installation))
        .filter(by_id_or_name)
        .order_by_asc(repository::Column::Id)
        .all(db)
        .await
}

/// The installation of an app on the account that owns a repository, which may
/// be a user or an organization.
pub async fn installation_of_owner(
    db: &Connection,
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

/// The app, locked until the transaction ends.
pub async fn lock(transaction: &Connection, id: i64) -> Result<Option<app::Model>, DbErr> {
    app::Entity::find_by_id(id)
        .lock(LockType::NoKeyUpdate)
        .one(transaction)
        .await
}

/// Writes the settings of an app's webhook.
pub async fn save_hook(transaction: &Connection, app: &app::Model) -> Result<(), DbErr> {
    use app::Column;
    let content_type = app.webhook_content_type.to_value();
    app::Entity::update_many()
        .col_expr(Column::WebhookUrl, Expr::value(app.webhook_url.clone()))
        .col_expr(
            Column::WebhookSecret,
            Expr::value(app.webhook_secret.clone()),
        )
        .col_expr(Column::WebhookContentType, Expr::value(content_type))
        .col_expr(
            Column::WebhookInsecureSsl,
            Expr::value(app.webhook_insecure_ssl),
        )
        .col_expr(Column::UpdatedAt, Expr::value(app.updated_at))
        .filter(app::COLUMN.id.eq(app.id))
        .exec(transaction)
        .await
        .map(|_| ())
}

/// Deliveries to an app that have been attempted, newest first, starting at one.
pub async fn deliveries(
    db: &Connection,
    app: i64,
    from: Option<i64>,
    status: Option<HookDeliveryStatus>,
    most: u64,
) -> Result<Vec<webhook_delivery::Summary>, DbErr> {
    use webhook_delivery::Column;
    let mut query = attempted(app).select_only().columns([
        Column::Id,
        Column::Guid,
        Column::DeliveredAt,
        Column::Redelivery,
        Column::DurationMs,
        Column::Status,
        Column::StatusCode,
        Column::Event,
        Column::Action,
        Column::InstallationId,
        Column::RepositoryId,
        Column::Url,
    ]);
    if let Some(from) = from {
        query = query.filter(webhook_delivery::COLUMN.id.lte(from));
    }
    // Matches the partial indexes.
    query = match status {
        Some(HookDeliveryStatus::Success) => query.filter(Expr::cust("status_code < 400")),
        Some(HookDeliveryStatus::Failure) => query.filter(Expr::cust("status_code >= 400")),
        None => query,
    };
    query
        .order_by_desc(Column::Id)
        .limit(most)
        .into_model()
        .all(db)
        .await
}

/// A delivery to an app that has been attempted.
pub async fn delivery(
    db: &Connection,
    app: i64,
    id: i64,
) -> Result<Option<webhook_delivery::Model>, DbErr> {
    attempted(app)
        .filter(webhook_delivery::COLUMN.id.eq(id))
        .one(db)
        .await
}

fn attempted(app: i64) -> Select<webhook_delivery::Entity> {
    webhook_delivery::Entity::find()
        .filter(webhook_delivery::COLUMN.app_id.eq(app))
        .filter(webhook_delivery::COLUMN.delivered_at.is_not_null())
}
