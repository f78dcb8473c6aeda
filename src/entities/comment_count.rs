//! How many comments each list has, per bucket of its sort key. Triggers of the
//! database keep the counts; nothing else writes here.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_count")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub list: List,
    /// A repository or a pull request, as the list says.
    #[sea_orm(primary_key, auto_increment = false)]
    pub owner_id: i64,
    /// The sort key of the comments, shifted right by `List::bucket_bits`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub bucket: i64,
    /// Never 0: an empty bucket has no row.
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

impl List {
    /// A bucket spans 8,192 ids, or 32,768 seconds.
    pub fn bucket_bits(self) -> u32 {
        match self {
            Self::RepositoryById | Self::PullById => 13,
            _ => 15,
        }
    }
}
