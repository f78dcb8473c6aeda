//! How many rows each long list has (`migration::counts`). Triggers of the database maintain the
//! lengths; nothing else writes here.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "list_length")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub list: String,
    /// A repository, an issue or a pull request, as the list says.
    #[sea_orm(primary_key, auto_increment = false)]
    pub owner_id: i64,
    /// Never 0: an empty list has no row.
    pub length: i64,
}

impl ActiveModelBehavior for ActiveModel {}
