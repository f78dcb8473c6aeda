//! Issues. A pull request has a row here too, which triggers keep in sync.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issue")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub repository_id: i64,
    /// Unique per repository, among issues and pull requests.
    pub number: i64,
    /// Set for a pull request. Then changes are made to that row.
    pub pull_id: Option<i64>,
    pub title: String,
    pub body: Option<String>,
    pub author_id: i64,
    pub state: IssueState,
    pub state_reason: Option<StateReason>,
    pub locked: bool,
    pub lock_reason: Option<LockReason>,
    /// Triggers count them.
    pub comments: i64,
    pub created_at: i64,
    pub updated_at: i64,
    /// Set when closed.
    pub closed_at: Option<i64>,
    /// Who closed it, if that is known.
    pub closed_by_id: Option<i64>,
    #[sea_orm(belongs_to, from = "author_id", to = "id")]
    pub author: BelongsTo<super::account::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum IssueState {
    Open,
    Closed,
}

/// Why an issue is closed, or open again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum StateReason {
    Completed,
    NotPlanned,
    Duplicate,
    Reopened,
}

/// Why a conversation is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum LockReason {
    #[sea_orm(string_value = "off-topic")]
    OffTopic,
    #[sea_orm(string_value = "too heated")]
    TooHeated,
    #[sea_orm(string_value = "resolved")]
    Resolved,
    #[sea_orm(string_value = "spam")]
    Spam,
}
