//! Pull requests: their diff, the placement of comments in it, and the update of both when
//! a branch changes. `pulls_follow` runs in the transaction that changes the branch, and
//! updates the comments.

/// The placement of a comment in a diff.
pub mod anchor;
/// Updates comments when the head of their pull request moves.
pub mod comments;
/// The diff of a pull request.
pub mod comparison;
/// The size of a pull request.
pub mod size;

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};

use crate::entities::pull;
use crate::git::{GitError, Sha};
use comments::comments_follow;

/// A change of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadChange {
    /// It points to another commit.
    Moved(Sha),
    /// It was deleted.
    Deleted,
}

/// Updates the open pull requests of a branch: sets their new head, or closes them if the
/// branch was deleted. Closed and merged pull requests keep their head. Returns the pull
/// requests as they were before.
///
/// Call it in the transaction of the change, with the repository locked.
pub async fn pulls_follow(
    transaction: &impl ConnectionTrait,
    repository_id: i64,
    branch: &str,
    change: HeadChange,
    now: i64,
) -> Result<Vec<pull::Model>, GitError> {
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
    if let HeadChange::Moved(head) = change {
        for pull in &open {
            let old = Sha::stored(&pull.head_sha)?;
            comments_follow(transaction, pull, old, head).await?;
        }
    }
    Ok(open)
}
