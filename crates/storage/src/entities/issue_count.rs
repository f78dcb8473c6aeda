//! How many issues each list has, per bucket of its sort key (`migration::counts`). Triggers of
//! the database keep the counts; nothing else writes here.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issue_count")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub list: String,
    /// A repository.
    #[sea_orm(primary_key, auto_increment = false)]
    pub owner_id: i64,
    /// The sort key, shifted right.
    #[sea_orm(primary_key, auto_increment = false)]
    pub bucket: i64,
    /// Never 0: an empty bucket has no row.
    pub issues: i64,
}

impl ActiveModelBehavior for ActiveModel {}
