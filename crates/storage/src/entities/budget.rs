//! The used part of the hourly rate limit budgets of callers, if several processes share
//! a database. A process takes some of a budget at a time (`limits/ledger.rs`).

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "budget")]
pub struct Model {
    /// The caller: a user, an installation or an IP address.
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject: String,
    /// When the hour ends.
    pub resets_at: i64,
    /// The amount that the processes have taken.
    pub used: i64,
    /// The amount that the last process got.
    pub granted: i64,
}

impl ActiveModelBehavior for ActiveModel {}
