//! Projects of users and organizations, numbered per owner.

use sea_orm::entity::prelude::*;

use super::repository::Visibility;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "project")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub owner_id: i64,
    /// Unique per owner.
    pub number: i64,
    pub title: String,
    pub visibility: Visibility,
    pub created_at: i64,
    pub updated_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
