//! The members of organizations, with their roles.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "membership")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    pub role: Role,
    #[sea_orm(
        belongs_to,
        relation_enum = "Organization",
        from = "organization_id",
        to = "id"
    )]
    pub organization: BelongsTo<super::account::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The role of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum Role {
    Member,
    Admin,
}
