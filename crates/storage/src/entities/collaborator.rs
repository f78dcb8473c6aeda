//! Permissions of users on single repositories.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "collaborator")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub repository_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// Never `None`: then there is no row.
    pub permission: Permission,
}

impl ActiveModelBehavior for ActiveModel {}

/// A level of access to a repository; a later one includes the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum Permission {
    None,
    Read,
    Triage,
    Write,
    Maintain,
    Admin,
}

impl Permission {
    /// Its name in world files and responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Triage => "triage",
            Self::Write => "write",
            Self::Maintain => "maintain",
            Self::Admin => "admin",
        }
    }
}
