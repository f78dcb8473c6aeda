//! The rows of comments.

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use storage::database::Connection;
use storage::entities::{review, review_comment};

pub async fn comment(
    connection: &Connection,
    repository: i64,
    id: i64,
) -> Result<Option<review_comment::Model>, DbErr> {
    review_comment::Entity::find_by_id(id)
        .filter(review_comment::COLUMN.repository_id.eq(repository))
        .one(connection)
        .await
}

/// Deletes a comment, and its review if that has no other comment and no text. Replies
/// stay.
pub async fn delete(
    transaction: &Connection,
    comment: &review_comment::Model,
) -> Result<bool, DbErr> {
    let deleted = review_comment::Entity::delete_by_id(comment.id)
        .exec(transaction)
        .await?;
    let others = review_comment::Entity::find()
        .filter(review_comment::COLUMN.review_id.eq(comment.review_id))
        .select_only()
        .column(review_comment::Column::Id)
        .into_tuple::<i64>()
        .one(transaction)
        .await?;
    if others.is_none() {
        review::Entity::delete_many()
            .filter(review::COLUMN.id.eq(comment.review_id))
            .filter(review::COLUMN.state.eq(review::ReviewState::Commented))
            .filter(review::COLUMN.body.eq(""))
            .exec(transaction)
            .await?;
    }
    Ok(deleted.rows_affected == 1)
}
