//! The assignees of issues.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issue_assignee")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub issue_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
}

impl ActiveModelBehavior for ActiveModel {}
