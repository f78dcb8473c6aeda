//! When the references of a repository last changed.

use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, DbErr, EntityTrait};

use storage::database::Connection;
use storage::entities::repository_push;

/// Records that the references of a repository have changed.
pub async fn record(transaction: &Connection, repository_id: i64, now: i64) -> Result<(), DbErr> {
    let push = repository_push::ActiveModel {
        repository_id: Set(repository_id),
        pushed_at: Set(now),
    };
    let mut unless_noted = OnConflict::column(repository_push::Column::RepositoryId);
    unless_noted
        .update_column(repository_push::Column::PushedAt)
        .action_and_where(repository_push::COLUMN.pushed_at.ne(now));
    repository_push::Entity::insert(push)
        .on_conflict(unless_noted)
        .exec_without_returning(transaction)
        .await?;
    Ok(())
}

/// When the references of a repository last changed.
pub async fn last(connection: &Connection, repository_id: i64) -> Result<Option<i64>, DbErr> {
    let push = repository_push::Entity::find_by_id(repository_id)
        .one(connection)
        .await?;
    Ok(push.map(|push| push.pushed_at))
}
