//! Commits as nodes of the graph, so that ancestry needs no object to be read.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "git_commit")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub repository_id: i64,
    /// Unique per repository; the object is stored too.
    pub sha: String,
    pub tree_sha: String,
    /// One more than the greatest of its parents'; 1 without parents.
    pub generation: i64,
    pub committed_at: i64,
    /// Steps along first parents to the commit that has none.
    pub depth: i64,
    /// A commit further up that line of first parents, so that a long line is
    /// climbed in few leaps. None at its end.
    pub jump_id: Option<i64>,
    /// The greatest generation of a merge on that line, this commit included;
    /// 0 when there is none.
    pub merge_generation: i64,
    #[sea_orm(belongs_to, from = "repository_id", to = "id")]
    pub repository: BelongsTo<super::repository::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
