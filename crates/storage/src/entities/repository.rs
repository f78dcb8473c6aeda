//! Repositories, without their Git data.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "repository")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub owner_id: i64,
    pub name: String,
    /// `name` in lower case; unique per owner.
    pub name_key: String,
    pub visibility: Visibility,
    /// Private repositories only: every member of the organization can read it.
    pub internal: bool,
    /// Without `refs/heads/`.
    pub default_branch: String,
    pub description: Option<String>,
    pub homepage: Option<String>,
    pub language: Option<String>,
    pub license_spdx: Option<String>,
    /// A JSON array of strings.
    pub topics: String,
    /// A JSON object of strings.
    pub custom_properties: String,
    pub archived: bool,
    pub disabled: bool,
    pub fork: bool,
    pub is_template: bool,
    pub has_issues: bool,
    pub has_projects: bool,
    pub has_wiki: bool,
    pub has_pages: bool,
    pub has_downloads: bool,
    pub allow_rebase_merge: bool,
    pub allow_squash_merge: bool,
    pub allow_auto_merge: bool,
    pub allow_merge_commit: bool,
    pub delete_branch_on_merge: bool,
    pub template_repository_id: Option<i64>,
    pub mirror_url: Option<String>,
    pub forks_count: i64,
    pub stargazers_count: i64,
    pub watchers_count: i64,
    pub subscribers_count: i64,
    pub network_count: i64,
    pub open_issues_count: i64,
    pub size_kb: i64,
    pub created_at: i64,
    pub updated_at: i64,
    #[sea_orm(belongs_to, from = "owner_id", to = "id")]
    pub owner: BelongsTo<super::account::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// Who may see a repository or a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum Visibility {
    Public,
    Private,
}
