//! Pull requests: lists, reads, creates, changes and merges them, and
//! updates them and the places of their comments when their branches change.

/// The placement of a comment in a diff.
pub mod anchor;
/// Updates pull requests when their base branch changes.
pub mod bases;
/// The two branches of a pull request.
pub mod branches;
/// Changes of texts, base and state.
pub mod changes;
/// Updates comments when the head of their pull request moves.
pub mod comments;
/// The diff of a pull request.
pub mod comparison;
mod files;
/// Merging.
pub mod merging;
/// The messages of merge commits.
pub mod messages;
/// The error for a number that no pull request has.
pub mod missing;
mod operations;
pub mod rows;
/// Decisions about changes, and the errors.
pub mod rules;
/// Views for lists.
pub mod showing;
/// The size of a pull request.
pub mod size;
pub mod view;

use std::sync::Arc;

use git::{GitError, Sha};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
};
use storage::database::Connection;
use storage::entities::pull;

use crate::app::App;
use crate::pulls::comments::comments_follow;

/// The pull requests.
pub struct Pulls {
    app: Arc<App>,
}

impl Pulls {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}

/// A change of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadChange {
    /// It points to another commit.
    Moved(Sha),
    /// It was deleted.
    Deleted,
}

/// A pull request that was updated because one of its branches changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    pub before: pull::Model,
    pub now: pull::Model,
}

/// Updates the open pull requests of a branch: sets their new head, or closes them if the
/// branch was deleted. Closed and merged pull requests keep their head.
///
/// Call it in the transaction of the change, with the repository locked.
pub async fn pulls_follow(
    transaction: &Connection,
    repository_id: i64,
    branch: &str,
    change: HeadChange,
    now: i64,
) -> Result<Vec<Followed>, GitError> {
    let open = pull::Entity::find()
        .filter(pull::COLUMN.repository_id.eq(repository_id))
        .filter(pull::COLUMN.head_ref.eq(branch))
        .filter(pull::COLUMN.state.eq(pull::PullState::Open))
        .order_by_asc(pull::Column::Id)
        .all(transaction)
        .await?;
    let mut followed = Vec::with_capacity(open.len());
    for before in open {
        let mut row = before.clone();
        row.updated_at = now;
        match change {
            HeadChange::Moved(sha) => row.head_sha = sha.to_string(),
            HeadChange::Deleted => {
                (row.state, row.closed_at) = (pull::PullState::Closed, Some(now));
            }
        }
        save(transaction, &row).await?;
        if let HeadChange::Moved(head) = change
            && before.head_sha != row.head_sha
        {
            comments_follow(transaction, &before, head).await?;
        }
        followed.push(Followed { before, now: row });
    }
    Ok(followed)
}

/// Writes a changed row.
pub async fn save(transaction: &Connection, row: &pull::Model) -> Result<(), DbErr> {
    let row = row.clone().into_active_model().reset_all();
    pull::Entity::update(row).exec(transaction).await?;
    Ok(())
}
