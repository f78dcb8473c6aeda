//! Iterations of iteration fields.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "project_field_iteration")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub field_id: i64,
    /// The id that clients see: 8 lower-case hexadecimal digits.
    pub iteration_key: String,
    pub title: String,
    /// `YYYY-MM-DD`.
    pub start_date: String,
    /// Days.
    pub duration: i64,
    /// From 0; unique per field.
    pub position: i64,
}

impl ActiveModelBehavior for ActiveModel {}
