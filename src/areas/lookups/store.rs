//! Queries for single things and for the counts that they show.

use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter};

use crate::entities::repository::Visibility;
use crate::entities::{account, pull, repository, review_comment};

pub async fn account(db: &impl ConnectionTrait, id: i64) -> Result<Option<account::Model>, DbErr> {
    account::Entity::find_by_id(id).one(db).await
}

/// How many public repositories an account owns.
pub async fn count_public(db: &impl ConnectionTrait, owner: i64) -> Result<u64, DbErr> {
    repository::Entity::find()
        .filter(repository::COLUMN.owner_id.eq(owner))
        .filter(repository::Column::Visibility.eq(Visibility::Public))
        .count(db)
        .await
}

pub async fn pull(
    db: &impl ConnectionTrait,
    repository: i64,
    number: i64,
) -> Result<Option<(pull::Model, Option<account::Model>)>, DbErr> {
    pull::Entity::find()
        .find_also_related(account::Entity)
        .filter(pull::COLUMN.repository_id.eq(repository))
        .filter(pull::COLUMN.number.eq(number))
        .one(db)
        .await
}

pub async fn count_comments(db: &impl ConnectionTrait, pull: i64) -> Result<u64, DbErr> {
    review_comment::Entity::find()
        .filter(review_comment::COLUMN.pull_id.eq(pull))
        .count(db)
        .await
}
