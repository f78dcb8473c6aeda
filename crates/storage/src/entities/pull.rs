//! Pull requests. Both branches are in the same repository.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "pull")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub repository_id: i64,
    /// Unique per repository.
    pub number: i64,
    pub title: String,
    pub body: Option<String>,
    pub author_id: i64,
    /// A branch, without `refs/heads/`.
    pub base_ref: String,
    pub base_sha: String,
    /// A branch, without `refs/heads/`.
    pub head_ref: String,
    pub head_sha: String,
    pub state: PullState,
    pub locked: bool,
    pub created_at: i64,
    pub updated_at: i64,
    /// Set when closed and when merged.
    pub closed_at: Option<i64>,
    /// Set when merged.
    pub merged_at: Option<i64>,
    /// Whether it is a draft, which cannot be merged.
    pub draft: bool,
    /// Whether the author lets maintainers push to the head.
    pub maintainer_can_modify: bool,
    /// Who merged it; only when merged.
    pub merged_by_id: Option<i64>,
    /// The commit that merged it; only when merged.
    pub merge_commit_sha: Option<String>,
    #[sea_orm(belongs_to, from = "author_id", to = "id")]
    pub author: BelongsTo<super::account::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The state of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum PullState {
    Open,
    Closed,
    Merged,
}
