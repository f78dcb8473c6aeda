//! The heads of pull requests are references: one that is new or moves changes the version of
//! all references of its repository.

use sea_orm_migration::prelude::*;

use crate::m20260310_000013_versions as versions;
use crate::m20260310_000030_pull_states as pull_states;

const TABLES: [&str; 1] = ["pull"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        versions::recreate_triggers(manager, &TABLES, |_| true).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        versions::recreate_triggers(manager, &TABLES, pull_states::is_known).await
    }
}
