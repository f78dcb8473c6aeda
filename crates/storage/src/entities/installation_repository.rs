//! Repositories of the installations that reach selected ones.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "installation_repository")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub installation_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub repository_id: i64,
}

impl ActiveModelBehavior for ActiveModel {}
