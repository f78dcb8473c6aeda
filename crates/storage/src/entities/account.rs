//! Accounts: users, organizations and the bots of apps.

use sea_orm::entity::prelude::*;

use super::collaborator::Permission;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "account")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub login: String,
    /// `login` in lower case; unique.
    pub login_key: String,
    pub kind: AccountKind,
    pub name: Option<String>,
    pub site_admin: bool,
    /// Users only: a placeholder for an external person, who cannot sign in.
    pub mannequin: bool,
    /// Organizations only, and always set: the permission of members on every repository.
    pub base_permission: Option<Permission>,
    pub created_at: i64,
    pub updated_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// The `type` of a user object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum AccountKind {
    User,
    Organization,
    Bot,
}
