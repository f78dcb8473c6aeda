//! Issue fields that an organization defines.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issue_field")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub organization_id: i64,
    pub name: String,
    /// `name` in lower case; unique per organization.
    pub name_key: String,
    pub description: Option<String>,
    pub data_type: IssueFieldDataType,
    pub visibility: FieldVisibility,
    pub created_at: i64,
    pub updated_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// The kinds of issue field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum IssueFieldDataType {
    Text,
    Date,
    SingleSelect,
    MultiSelect,
    Number,
}

/// Who sees the values of an issue field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum FieldVisibility {
    OrganizationMembersOnly,
    All,
}
