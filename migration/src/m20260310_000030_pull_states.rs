//! A version for which pull requests a repository has, so that a comment, which changes when
//! its pull request was last updated, leaves what is cached about authors current.

use sea_orm_migration::prelude::*;

use crate::m20260310_000013_versions as versions;

const TABLES: [&str; 1] = ["pull"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        versions::unwatch(manager, &TABLES).await?;
        versions::watch(manager, &TABLES).await
    }

    /// The triggers that are made anew increase a version that nobody reads.
    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Ok(())
    }
}
