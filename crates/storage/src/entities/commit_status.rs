//! Statuses of commits, which never change. The newest of each context is marked.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "commit_status")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// A row of `git_commit`.
    pub commit_id: i64,
    pub context: String,
    /// `context` in lower case, by which contexts are compared.
    pub context_key: String,
    pub state: CommitStatusState,
    pub description: Option<String>,
    pub target_url: Option<String>,
    /// None if the account was deleted.
    pub creator_id: Option<i64>,
    /// Whether it is the newest of its context.
    pub latest: bool,
    pub created_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// The state of a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum CommitStatusState {
    Error,
    Failure,
    Pending,
    Success,
}
