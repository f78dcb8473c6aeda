//! Notifications of comments, one for each recipient.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "notification")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub recipient_id: i64,
    pub pull_id: i64,
    pub comment_id: i64,
    pub reason: Reason,
    pub created_at: i64,
    /// When it went to the log; None while pending.
    pub delivered_at: Option<i64>,
    #[sea_orm(belongs_to, from = "recipient_id", to = "id")]
    pub recipient: BelongsTo<super::account::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The reason of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum Reason {
    /// The author of the pull request.
    Author,
    /// A participant of the thread.
    Participant,
    /// Mentioned in the comment.
    Mention,
}
