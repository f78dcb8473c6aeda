//! Queries for single resources and for their counts.

use sea_orm::{ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter};

use storage::database::Connection;
use storage::entities::repository::Visibility;
use storage::entities::{account, repository};

pub async fn account(db: &Connection, id: i64) -> Result<Option<account::Model>, DbErr> {
    account::Entity::find_by_id(id).one(db).await
}

/// How many public repositories an account owns.
pub async fn count_public(db: &Connection, owner: i64) -> Result<u64, DbErr> {
    repository::Entity::find()
        .filter(repository::COLUMN.owner_id.eq(owner))
        .filter(repository::Column::Visibility.eq(Visibility::Public))
        .count(db)
        .await
}
