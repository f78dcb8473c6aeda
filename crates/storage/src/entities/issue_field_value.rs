//! Values of issues in issue fields; of a select field, a row for each option.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issue_field_value")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub issue_id: i64,
    pub field_id: i64,
    pub option_id: Option<i64>,
    /// A text, or a number or a date as text.
    pub content: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
