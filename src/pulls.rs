//! What becomes of pull requests when a branch does: one function, called in the
//! transaction that changes the branch. Comments on them follow from here.

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};

use crate::entities::pull;
use crate::git::Sha;

/// What happened to a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadChange {
    /// It names another commit now.
    Moved(Sha),
    /// It is gone.
    Deleted,
}

/// Lets the open pull requests from a branch follow it: they get its new head, or
/// are closed when it is deleted. Those that were closed or merged keep the head
/// they had. Gives back the pull requests as they were before.
///
/// Call it in the transaction of the change, with the repository locked.
pub async fn pulls_follow(
    transaction: &impl ConnectionTrait,
    repository_id: i64,
    branch: &str,
    change: HeadChange,
    now: i64,
) -> Result<Vec<pull::Model>, DbErr> {
    let open = pull::Entity::find()
        .filter(pull::COLUMN.repository_id.eq(repository_id))
        .filter(pull::COLUMN.head_ref.eq(branch))
        .filter(pull::COLUMN.state.eq(pull::State::Open))
        .order_by_asc(pull::Column::Id)
        .all(transaction)
        .await?;
    if open.is_empty() {
        return Ok(open);
    }
    let ids: Vec<i64> = open.iter().map(|pull| pull.id).collect();
    let update = pull::Entity::update_many()
        .col_expr(pull::Column::UpdatedAt, Expr::value(now))
        .filter(pull::COLUMN.id.is_in(ids));
    let update = match change {
        HeadChange::Moved(sha) => {
            update.col_expr(pull::Column::HeadSha, Expr::value(sha.to_string()))
        }
        HeadChange::Deleted => update
            .col_expr(pull::Column::State, Expr::value(pull::State::Closed))
            .col_expr(pull::Column::ClosedAt, Expr::value(now)),
    };
    update.exec(transaction).await?;
    Ok(open)
}
