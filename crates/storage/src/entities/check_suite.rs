//! The check runs of an app on a commit.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "check_suite")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// A row of `git_commit`.
    pub commit_id: i64,
    /// Unique per commit.
    pub app_id: i64,
    /// A branch that had the commit when the suite was made.
    pub head_branch: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
