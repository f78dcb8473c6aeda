//! The versions of aggregates. Triggers of the database keep them; nothing else
//! writes here.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "version")]
pub struct Model {
    /// A number of `migration::aggregates::Kind`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    pub n: i64,
}

impl ActiveModelBehavior for ActiveModel {}
