//! Annotations of check runs on lines of files. They are never changed.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "check_annotation")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub run_id: i64,
    pub path: String,
    pub start_line: i64,
    pub end_line: i64,
    /// Only for an annotation on a single line.
    pub start_column: Option<i64>,
    /// Only for an annotation on a single line.
    pub end_column: Option<i64>,
    pub level: CheckAnnotationLevel,
    pub title: Option<String>,
    pub message: String,
    pub raw_details: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The level of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum CheckAnnotationLevel {
    Notice,
    Warning,
    Failure,
}
