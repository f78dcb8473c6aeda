//! Apps on accounts: at most one installation for each pair.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "installation")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub app_id: i64,
    pub account_id: i64,
    pub repository_selection: RepositorySelection,
    /// A JSON object: permission name to access level.
    pub permissions: String,
    /// A JSON array of event names.
    pub events: String,
    /// A JSON array of paths.
    pub single_file_paths: String,
    pub suspended_at: Option<i64>,
    /// None also when that account is gone.
    pub suspended_by_id: Option<i64>,
    pub created_at: i64,
    pub updated_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// Which repositories of the account an installation reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum RepositorySelection {
    All,
    /// Those with a row in `installation_repository`.
    Selected,
}
