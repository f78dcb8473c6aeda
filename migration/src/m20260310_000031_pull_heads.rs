//! The heads of pull requests are references: one that is new or moves changes the version of
//! all references of its repository.

use sea_orm_migration::prelude::*;

use crate::m20260310_000013_versions as versions;

const TABLES: [&str; 1] = ["pull"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        versions::create_column_triggers(manager, &TABLES).await
    }

    /// The migration before creates the same triggers.
    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        versions::create_column_triggers(manager, &TABLES).await
    }
}
