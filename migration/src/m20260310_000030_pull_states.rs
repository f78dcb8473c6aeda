//! A version for the numbers, authors and states of the pull requests of a repository. A
//! comment changes of its pull request only `updated_at`, and leaves this version as it is.

use sea_orm_migration::prelude::*;

use crate::m20260310_000013_versions as versions;

const TABLES: [&str; 1] = ["pull"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        versions::watch_columns(manager, &TABLES).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        versions::unwatch_columns(manager, &TABLES).await
    }
}
