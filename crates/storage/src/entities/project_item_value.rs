//! What items have in the fields of their project. Exactly one of the values is set.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "project_item_value")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub item_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub field_id: i64,
    pub text_value: Option<String>,
    pub number_value: Option<f64>,
    /// `2026-03-10`.
    pub date_value: Option<String>,
    pub option_id: Option<i64>,
    pub iteration_id: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
