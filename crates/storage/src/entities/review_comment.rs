//! Comments on parts of a pull request's diff. The `original_` columns never
//! change; their namesakes follow the head, and are empty once outdated.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "review_comment")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub repository_id: i64,
    pub pull_id: i64,
    pub review_id: i64,
    /// None if the account was deleted.
    pub author_id: Option<i64>,
    /// The first comment of the thread; None on that one.
    pub in_reply_to_id: Option<i64>,
    pub path: String,
    pub diff_hunk: String,
    pub subject_type: SubjectType,
    pub commit_sha: String,
    pub original_commit_sha: String,
    /// What the diff began with when the comment was made; None: with nothing.
    pub original_base_sha: Option<String>,
    pub side: Option<Side>,
    /// Set with `original_start_line`.
    pub start_side: Option<Side>,
    pub line: Option<i64>,
    pub original_line: Option<i64>,
    pub start_line: Option<i64>,
    pub original_start_line: Option<i64>,
    pub position: Option<i64>,
    pub original_position: Option<i64>,
    pub body: String,
    pub body_html: String,
    pub body_text: String,
    pub created_at: i64,
    pub updated_at: i64,
    /// How often each reaction was given, as JSON; None if there are none.
    pub reactions: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

/// What a comment is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum SubjectType {
    Line,
    File,
}

/// A side of the diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "UPPERCASE")]
pub enum Side {
    /// Deletions.
    Left,
    /// Additions and unchanged lines.
    Right,
}
