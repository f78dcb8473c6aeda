//! Budgets in a logged table on PostgreSQL. An unlogged one is empty after a crash of the
//! server and on a promoted standby, so every caller would get its budget again.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::run;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        set(manager, "LOGGED").await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        set(manager, "UNLOGGED").await
    }
}

async fn set(manager: &SchemaManager<'_>, kind: &str) -> Result<(), DbErr> {
    match manager.get_database_backend() {
        DbBackend::Postgres => run(manager, &[&format!("ALTER TABLE budget SET {kind}")]).await,
        _ => Ok(()),
    }
}
