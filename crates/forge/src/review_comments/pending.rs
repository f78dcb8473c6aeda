//! Comments of a pending review. They are in a separate table that only the requests of their
//! author read.

use sea_orm::sea_query::Expr;
use sea_orm::{ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter};

use crate::pulls::anchor::Spot;
use storage::database::{Connection, reserve_ids};
use storage::entities::pending_review_comment::{Column, Entity, Model};
use storage::entities::review_comment::{self, Side, SubjectType};

/// The row of a comment whose review is not submitted yet.
pub fn as_pending(comment: &review_comment::Model) -> Model {
    Model {
        id: comment.id,
        repository_id: comment.repository_id,
        pull_id: comment.pull_id,
        review_id: comment.review_id,
        path: comment.path.clone(),
        diff_hunk: comment.diff_hunk.clone(),
        commit_sha: comment.commit_sha.clone(),
        original_commit_sha: comment.original_commit_sha.clone(),
        original_base_sha: comment.original_base_sha.clone(),
        side: comment.side.unwrap_or(Side::Right),
        start_side: comment.start_side,
        line: comment.line,
        original_line: comment.original_line.unwrap_or(Spot::OF_FILE.line),
        start_line: comment.start_line,
        original_start_line: comment.original_start_line,
        position: comment.position,
        original_position: comment.original_position.unwrap_or(Spot::OF_FILE.position),
        body: comment.body.clone(),
        body_html: comment.body_html.clone(),
        body_text: comment.body_text.clone(),
        created_at: comment.created_at,
    }
}

/// The comment as the author of its review sees it.
pub fn as_comment(pending: Model, author: Option<i64>) -> review_comment::Model {
    review_comment::Model {
        id: pending.id,
        repository_id: pending.repository_id,
        pull_id: pending.pull_id,
        review_id: pending.review_id,
        author_id: author,
        in_reply_to_id: None,
        path: pending.path,
        diff_hunk: pending.diff_hunk,
        subject_type: SubjectType::Line,
        commit_sha: pending.commit_sha,
        original_commit_sha: pending.original_commit_sha,
        original_base_sha: pending.original_base_sha,
        side: Some(pending.side),
        start_side: pending.start_side,
        line: pending.line,
        original_line: Some(pending.original_line),
        start_line: pending.start_line,
        original_start_line: pending.original_start_line,
        position: pending.position,
        original_position: Some(pending.original_position),
        body: pending.body,
        body_html: pending.body_html,
        body_text: pending.body_text,
        created_at: pending.created_at,
        updated_at: pending.created_at,
        reactions: None,
    }
}

/// Writes the comments of a pending review.
pub async fn insert(
    transaction: &Connection,
    comments: &[review_comment::Model],
) -> Result<(), DbErr> {
    if comments.is_empty() {
        return Ok(());
    }
    let rows = comments.iter().map(|comment| {
        let row = as_pending(comment).into_active_model();
        row.reset_all()
    });
    Entity::insert_many(rows)
        .exec_without_returning(transaction)
        .await?;
    Ok(())
}

/// Gives a pending comment another id if a world file uses its id.
pub async fn make_way(transaction: &Connection, id: i64) -> Result<(), DbErr> {
    if Entity::find_by_id(id).one(transaction).await?.is_none() {
        return Ok(());
    }
    let other = reserve_ids(transaction, "review_comment", 1).await?;
    Entity::update_many()
        .col_expr(Column::Id, Expr::value(other.first().copied()))
        .filter(Column::Id.eq(id))
        .exec(transaction)
        .await?;
    Ok(())
}
