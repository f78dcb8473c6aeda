//! What callers have used of their hourly budgets, where several processes share
//! a database. A process takes some of a budget at a time (`limits/ledger.rs`).

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "budget")]
pub struct Model {
    /// Whose budget: a user, an installation or an address.
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject: String,
    /// When the hour ends.
    pub resets_at: i64,
    /// What the processes have taken.
    pub used: i64,
    /// What the last process got that asked.
    pub granted: i64,
}

impl ActiveModelBehavior for ActiveModel {}
