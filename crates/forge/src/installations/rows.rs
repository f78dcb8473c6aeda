//! Queries on installations, their repositories and their tokens.

use sea_orm::sea_query::{Expr, ExprTrait, SelectStatement};
use sea_orm::{
    ActiveValue, ColumnTrait, Condition, DbErr, EntityTrait, JoinType, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect, QueryTrait, RelationTrait,
};

use crate::access::installations::{installed_on, selected_for};
use contract::paging::Page;
use storage::database::Connection;
use storage::entities::collaborator::Permission;
use storage::entities::{
    account, collaborator, installation, installation_repository, membership, repository, token,
};

/// A page of rows, with the total of all pages.
pub struct Paged<T> {
    pub rows: Vec<T>,
    pub total: u64,
}

/// The repositories that an installation token can access: those of the
/// installation, or fewer if the token is limited.
pub fn reached_by_token(installation: &installation::Model, token: &token::Model) -> Condition {
    let installed = installed_on(installation);
    if token.repository_selection != Some(token::TokenSelection::Selected) {
        return installed;
    }
    installed.add(selected_for(token.id))
}

pub async fn repositories(
    db: &Connection,
    reached: Condition,
    page: Page,
) -> Result<Paged<repository::Model>, DbErr> {
    let query = repository::Entity::find().filter(reached);
    let total = query.clone().count(db).await?;
    if page.skipped() >= total {
        return Ok(Paged {
            rows: Vec::new(),
            total,
        });
    }
    let rows = query
        .order_by_asc(repository::Column::Id)
        .offset(page.skipped())
        .limit(page.per_page)
        .all(db)
        .await?;
    Ok(Paged { rows, total })
}

/// The installations of an app in which a user has explicit permission on some
/// repository (Spec, App installations, rule 3).
pub async fn user_installations(
    db: &Connection,
    app: i64,
    user: i64,
    page: Page,
) -> Result<Paged<installation::Model>, DbErr> {
    let query = installation::Entity::find()
        .filter(installation::COLUMN.app_id.eq(app))
        .filter(
            Condition::any()
                .add(belongs_to_its_account(user).add(has_a_repository()))
                .add(collaborates_on_a_selected_one(user))
                .add(collaborates_on_any_one(user)),
        );
    let total = query.clone().count(db).await?;
    if page.skipped() >= total {
        return Ok(Paged {
            rows: Vec::new(),
            total,
        });
    }
    let rows = query
        .order_by_asc(installation::Column::Id)
        .offset(page.skipped())
        .limit(page.per_page)
        .all(db)
        .await?;
    Ok(Paged { rows, total })
}

/// The account is the user, or an organization of which a member, or this one,
/// may read every repository.
fn belongs_to_its_account(user: i64) -> Condition {
    let organizations = membership::Entity::find()
        .select_only()
        .column(membership::Column::OrganizationId)
        .join(
            JoinType::InnerJoin,
            membership::Relation::Organization.def(),
        )
        .filter(membership::COLUMN.user_id.eq(user))
        .filter(
            Condition::any()
                .add(membership::Column::Role.eq(membership::Role::Admin))
                .add(account::Column::BasePermission.ne(Permission::None)),
        )
        .into_query();
    Condition::all().add(
        Condition::any()
            .add(installation::COLUMN.account_id.eq(user))
            .add(installation::Column::AccountId.in_subquery(organizations)),
    )
}

fn has_a_repository() -> Condition {
    let selected = installation_repository::Entity::find()
        .filter(
            Expr::col((
                installation_repository::Entity,
                installation_repository::Column::InstallationId,
            ))
            .equals((installation::Entity, installation::Column::Id)),
        )
        .into_query();
    let owned = repository::Entity::find()
        .filter(
            Expr::col((repository::Entity, repository::Column::OwnerId))
                .equals((installation::Entity, installation::Column::AccountId)),
        )
        .into_query();
    Condition::any()
        .add(selects(installation::RepositorySelection::Selected).add(Expr::exists(selected)))
        .add(selects(installation::RepositorySelection::All).add(Expr::exists(owned)))
}

fn collaborates_on_a_selected_one(user: i64) -> Condition {
    let installations = installation_repository::Entity::find()
        .select_only()
        .column(installation_repository::Column::InstallationId)
        .filter(installation_repository::Column::RepositoryId.in_subquery(collaborations(user)))
        .into_query();
    selects(installation::RepositorySelection::Selected)
        .add(installation::Column::Id.in_subquery(installations))
}

fn collaborates_on_any_one(user: i64) -> Condition {
    let owners = repository::Entity::find()
        .select_only()
        .column(repository::Column::OwnerId)
        .filter(repository::Column::Id.in_subquery(collaborations(user)))
        .into_query();
    selects(installation::RepositorySelection::All)
        .add(installation::Column::AccountId.in_subquery(owners))
}

fn collaborations(user: i64) -> SelectStatement {
    collaborator::Entity::find()
        .select_only()
        .column(collaborator::Column::RepositoryId)
        .filter(collaborator::COLUMN.user_id.eq(user))
        .into_query()
}

fn selects(selection: installation::RepositorySelection) -> Condition {
    Condition::all().add(installation::Column::RepositorySelection.eq(selection))
}

/// The installation, locked until the transaction ends. SQLite has one writer at a time anyway.
pub async fn lock(transaction: &Connection, id: i64) -> Result<Option<installation::Model>, DbErr> {
    installation::Entity::find_by_id(id)
        .lock_exclusive()
        .one(transaction)
        .await
}

pub async fn is_installed(
    transaction: &Connection,
    installation: i64,
    repository: i64,
) -> Result<bool, DbErr> {
    installation_repository::Entity::find_by_id((installation, repository))
        .one(transaction)
        .await
        .map(|row| row.is_some())
}

pub async fn count_installed(transaction: &Connection, installation: i64) -> Result<u64, DbErr> {
    installation_repository::Entity::find()
        .filter(
            installation_repository::COLUMN
                .installation_id
                .eq(installation),
        )
        .count(transaction)
        .await
}

pub async fn install(
    transaction: &Connection,
    installation: i64,
    repository: i64,
) -> Result<(), DbErr> {
    let row = installation_repository::ActiveModel {
        installation_id: ActiveValue::Set(installation),
        repository_id: ActiveValue::Set(repository),
    };
    installation_repository::Entity::insert(row)
        .exec_without_returning(transaction)
        .await
        .map(|_| ())
}

pub async fn uninstall(
    transaction: &Connection,
    installation: i64,
    repository: i64,
) -> Result<(), DbErr> {
    installation_repository::Entity::delete_by_id((installation, repository))
        .exec(transaction)
        .await
        .map(|_| ())
}

pub async fn touch(transaction: &Connection, installation: i64, now: i64) -> Result<(), DbErr> {
    installation::Entity::update_many()
        .col_expr(installation::Column::UpdatedAt, Expr::value(now))
        .filter(installation::COLUMN.id.eq(installation))
        .exec(transaction)
        .await
        .map(|_| ())
}

/// Revokes a token, and returns whether it was active before.
pub async fn revoke(transaction: &Connection, token: i64, now: i64) -> Result<bool, DbErr> {
    let update = token::Entity::update_many()
        .col_expr(token::Column::RevokedAt, Expr::value(now))
        .filter(token::COLUMN.id.eq(token))
        .filter(token::Column::RevokedAt.is_null())
        .exec(transaction)
        .await?;
    Ok(update.rows_affected == 1)
}
