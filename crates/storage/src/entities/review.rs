//! Reviews of pull requests; every review comment belongs to one.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "review")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub pull_id: i64,
    /// None if the account was deleted.
    pub author_id: Option<i64>,
    pub state: ReviewState,
    pub commit_sha: String,
    /// When it was submitted; while it is pending, when it was begun.
    pub submitted_at: i64,
    /// Empty for a verdict without a text.
    pub body: String,
    pub body_html: String,
    pub body_text: String,
    /// Why it was dismissed.
    pub dismissal_message: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The verdict of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(
    rs_type = "String",
    db_type = "Text",
    rename_all = "SCREAMING_SNAKE_CASE"
)]
pub enum ReviewState {
    Approved,
    ChangesRequested,
    Commented,
    Dismissed,
    Pending,
}
