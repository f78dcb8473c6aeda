//! When the references of a repository last changed; no row if they never did.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "repository_push")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub repository_id: i64,
    pub pushed_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
