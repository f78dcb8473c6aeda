//! What commits reach, in pages that later commits share. Only `git::reach` can
//! read the content.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "git_reach")]
pub struct Model {
    /// The commit with which the page was written.
    #[sea_orm(primary_key, auto_increment = false)]
    pub commit_id: i64,
    pub content: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}
