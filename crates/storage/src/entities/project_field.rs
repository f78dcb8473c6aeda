//! Fields of projects. A field with an `issue_field_id` takes its name, type and
//! options from that issue field and has none of its own.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "project_field")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub project_id: i64,
    pub name: Option<String>,
    /// `name` in lower case; unique per project.
    pub name_key: Option<String>,
    pub data_type: Option<ProjectFieldDataType>,
    /// Unique per project.
    pub issue_field_id: Option<i64>,
    /// Days; iteration fields only.
    pub iteration_duration: Option<i64>,
    /// 1 is Monday, 7 is Sunday; iteration fields only.
    pub iteration_start_day: Option<i64>,
    pub created_at: i64,
    pub updated_at: i64,
    #[sea_orm(belongs_to, from = "issue_field_id", to = "id")]
    pub issue_field: BelongsTo<Option<super::issue_field::Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The kinds of project field; those above `Text` are built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum ProjectFieldDataType {
    Assignees,
    LinkedPullRequests,
    Reviewers,
    Labels,
    Milestone,
    Repository,
    Title,
    IssueType,
    ParentIssue,
    SubIssuesProgress,
    Text,
    SingleSelect,
    Number,
    Date,
    Iteration,
}
