//! Check runs. The newest of each name in a suite is marked.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "check_run")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The commit of the suite.
    pub commit_id: i64,
    pub suite_id: i64,
    pub name: String,
    /// Empty if the app did not say.
    pub external_id: String,
    pub details_url: Option<String>,
    pub status: CheckRunStatus,
    /// Set when completed.
    pub conclusion: Option<Conclusion>,
    pub started_at: i64,
    /// Set when completed.
    pub completed_at: Option<i64>,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub text: Option<String>,
    /// How many there are.
    pub annotations: i64,
    /// Whether it is the newest of its name.
    pub latest: bool,
}

impl ActiveModelBehavior for ActiveModel {}

/// The status of a check run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum CheckRunStatus {
    Queued,
    InProgress,
    Completed,
}

/// The conclusion of a check run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum Conclusion {
    ActionRequired,
    Cancelled,
    Failure,
    Neutral,
    Success,
    Skipped,
    TimedOut,
}
