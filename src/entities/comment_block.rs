//! Stretches of the lists of comments, with how many stand in each, so that any
//! page of a long list is found without walking to it. Triggers of the database
//! keep the numbers; nothing else writes here.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_block")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub list: List,
    /// A repository or a pull request, as the list says.
    #[sea_orm(primary_key, auto_increment = false)]
    pub owner_id: i64,
    /// What the list is ordered by: an id or a time. The stretch begins here.
    #[sea_orm(primary_key, auto_increment = false)]
    pub first_key: i64,
    /// Among equal times, the id; 0 in the lists by id.
    #[sea_orm(primary_key, auto_increment = false)]
    pub first_id: i64,
    /// Never 0: a stretch without comments is part of the one before it.
    pub comments: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// Whose comments, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum List {
    RepositoryById,
    RepositoryByCreated,
    RepositoryByUpdated,
    PullById,
    PullByCreated,
    PullByUpdated,
}
