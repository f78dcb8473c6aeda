//! Commits as nodes of the graph, so that ancestry needs no object to be read.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "git_commit")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub repository_id: i64,
    /// Unique per repository; the object is stored too.
    pub sha: String,
    pub tree_sha: String,
    /// One more than the greatest of its parents'; 1 without parents.
    pub generation: i64,
    pub committed_at: i64,
    /// The line from parent to child that it stands on. Each repository numbers its chains, and
    /// each commit is on one.
    pub chain: i64,
    /// How many commits of its chain are below it.
    pub position: i64,
    /// What it reaches on other chains: the address of a table in `git_reach`.
    /// None when it reaches nothing there.
    pub reach: Option<i64>,
    /// As that of its object.
    pub upload_id: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
