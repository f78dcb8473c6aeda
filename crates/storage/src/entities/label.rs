//! The labels of a repository.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "label")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub repository_id: i64,
    pub name: String,
    /// `name` in lower case; unique per repository.
    pub name_key: String,
    /// Six lower-case hexadecimal digits.
    pub color: String,
    pub description: Option<String>,
    /// Whether every new repository has it.
    pub is_default: bool,
    pub created_at: i64,
    pub updated_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
