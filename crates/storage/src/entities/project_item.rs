//! Items of projects: an issue, a pull request or a draft issue.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "project_item")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub project_id: i64,
    /// The issue, or the pull request as an issue; unique per project. None for a draft.
    pub issue_id: Option<i64>,
    /// Set if it is a draft.
    pub draft_title: Option<String>,
    pub draft_body: Option<String>,
    /// Who added it, and wrote it if it is a draft.
    pub creator_id: Option<i64>,
    pub archived_at: Option<i64>,
    pub created_at: i64,
    pub updated_at: i64,
    #[sea_orm(belongs_to, from = "issue_id", to = "id")]
    pub issue: BelongsTo<Option<super::issue::Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}
