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
    /// Greater than that of every parent.
    pub generation: i64,
    pub committed_at: i64,
    #[sea_orm(belongs_to, from = "repository_id", to = "id")]
    pub repository: BelongsTo<super::repository::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
