//! A version for the numbers, authors and states of the pull requests of a repository. A
//! comment changes only the pull request's `updated_at`, and so does not change this version.

use sea_orm_migration::prelude::*;

use crate::aggregates::{Kind, Link};
use crate::m20260310_000013_versions as versions;

const TABLES: [&str; 1] = ["pull"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        versions::recreate_triggers(manager, &TABLES, is_known).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        versions::recreate_triggers(manager, &TABLES, versions::covers_rows).await
    }
}

/// Whether a link exists as of this migration.
pub fn is_known(link: &Link) -> bool {
    !matches!(link, Link::Columns(Kind::Refs, ..))
}
