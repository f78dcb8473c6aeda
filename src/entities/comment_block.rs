//! Stretches of the lists of comments, and sections of many stretches, with how
//! many comments stand in each, so that any page of a long list is found without
//! walking to it. Triggers of the database keep the numbers; nothing else writes
//! here.

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
    #[sea_orm(primary_key, auto_increment = false)]
    pub level: Level,
    /// What the list is ordered by: an id or a time. The block begins here.
    #[sea_orm(primary_key, auto_increment = false)]
    pub first_key: i64,
    /// Among equal times, the id; 0 in the lists by id.
    #[sea_orm(primary_key, auto_increment = false)]
    pub first_id: i64,
    /// None in the last section of a list, where most comments are added: what its
    /// stretches hold has to be added up. 0 only in the first stretch: any other
    /// without comments is part of the one before it.
    pub comments: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}

/// How much a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "i64", db_type = "BigInteger")]
pub enum Level {
    /// Up to about five hundred comments.
    #[sea_orm(num_value = 0)]
    Stretch,
    /// Up to about thirty whole stretches.
    #[sea_orm(num_value = 1)]
    Section,
}

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
