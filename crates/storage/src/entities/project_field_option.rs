//! Options of a project's own single select fields.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "project_field_option")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub field_id: i64,
    /// The id that clients see: 8 lower-case hexadecimal digits.
    pub option_key: String,
    pub name: String,
    /// `name` in lower case; unique per field.
    pub name_key: String,
    pub color: ProjectFieldOptionColor,
    /// Empty when none was given.
    pub description: String,
    /// From 0; unique per field.
    pub position: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// Colours of project field options; in upper case, unlike those of issue fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "UPPERCASE")]
pub enum ProjectFieldOptionColor {
    Blue,
    Gray,
    Green,
    Orange,
    Pink,
    Purple,
    Red,
    Yellow,
}
