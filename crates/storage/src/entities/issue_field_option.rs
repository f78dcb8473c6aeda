//! Options of single and multi select issue fields.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issue_field_option")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub field_id: i64,
    pub name: String,
    /// `name` in lower case; unique per field.
    pub name_key: String,
    pub color: IssueFieldOptionColor,
    pub description: Option<String>,
    /// Orders the options; equals are allowed.
    pub priority: i64,
    pub created_at: i64,
    pub updated_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// Colours of issue field options; in lower case, unlike those of project fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum IssueFieldOptionColor {
    Gray,
    Blue,
    Green,
    Yellow,
    Orange,
    Red,
    Pink,
    Purple,
}
