//! Comments in the conversation of an issue or a pull request.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issue_comment")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub repository_id: i64,
    pub issue_id: i64,
    /// None if the account was deleted.
    pub author_id: Option<i64>,
    /// Markdown.
    pub body: String,
    /// `body` as HTML; links to this server are without a host.
    pub body_html: String,
    /// `body` without markup.
    pub body_text: String,
    pub created_at: i64,
    pub updated_at: i64,
    /// How often each reaction was given, as JSON; None if there are none.
    pub reactions: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
