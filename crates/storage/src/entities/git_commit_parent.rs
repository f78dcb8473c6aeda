//! Edges of the commit graph, from a commit to its parents in their order.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "git_commit_parent")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub commit_id: i64,
    /// 0 is the first parent.
    #[sea_orm(primary_key, auto_increment = false)]
    pub ordinal: i64,
    pub parent_id: i64,
}

impl ActiveModelBehavior for ActiveModel {}
