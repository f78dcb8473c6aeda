//! Reactions to comments on issues or on diffs.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "reaction")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Set unless `review_comment_id` is.
    pub issue_comment_id: Option<i64>,
    pub review_comment_id: Option<i64>,
    /// None if the account was deleted.
    pub user_id: Option<i64>,
    pub content: Content,
    pub created_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// The reactions that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum Content {
    #[sea_orm(string_value = "+1")]
    PlusOne,
    #[sea_orm(string_value = "-1")]
    MinusOne,
    Laugh,
    Confused,
    Heart,
    Hooray,
    Rocket,
    Eyes,
}
