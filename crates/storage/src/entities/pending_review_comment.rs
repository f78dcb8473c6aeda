//! Comments of reviews that were not submitted yet. Their ids come from the sequence of
//! `review_comment`, which they move to. Only the author of the review may see them.

use sea_orm::entity::prelude::*;

use super::review_comment::Side;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "pending_review_comment")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    pub repository_id: i64,
    pub pull_id: i64,
    pub review_id: i64,
    pub path: String,
    pub diff_hunk: String,
    pub commit_sha: String,
    pub original_commit_sha: String,
    /// What the diff began with when the comment was made; None: with nothing.
    pub original_base_sha: Option<String>,
    pub side: Side,
    /// Set with `original_start_line`.
    pub start_side: Option<Side>,
    pub line: Option<i64>,
    pub original_line: i64,
    pub start_line: Option<i64>,
    pub original_start_line: Option<i64>,
    pub position: Option<i64>,
    pub original_position: i64,
    pub body: String,
    pub body_html: String,
    pub body_text: String,
    pub created_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
