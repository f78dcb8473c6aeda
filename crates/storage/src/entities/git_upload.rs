//! Pushes that store their objects in short transactions before their references move. The
//! objects are invisible while the row exists.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "git_upload")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Unique: a repository has one upload at a time.
    pub repository_id: i64,
    /// The process that stores the objects.
    pub process: String,
    /// When it last stored some.
    pub renewed_at: i64,
    /// Its objects are being deleted, so it cannot be continued.
    pub abandoned: bool,
}

impl ActiveModelBehavior for ActiveModel {}
