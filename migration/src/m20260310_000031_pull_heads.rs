//! The heads of pull requests are references: one that is new or moves changes the version of
//! all references of its repository. An index lists them by name.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::run;
use crate::m20260310_000013_versions as versions;
use crate::m20260310_000030_pull_states as pull_states;

const TABLES: [&str; 1] = ["pull"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(manager, &[&index(manager.get_database_backend())]).await?;
        versions::recreate_triggers(manager, &TABLES, |_| true).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        versions::recreate_triggers(manager, &TABLES, pull_states::is_known).await?;
        run(manager, &["DROP INDEX pull_by_head_name"]).await
    }
}

/// The index in byte order of `refs/pull/<number>/head`.
fn index(backend: DbBackend) -> String {
    let bytes = match backend {
        DbBackend::Postgres => "COLLATE \"C\"",
        _ => "",
    };
    format!(
        "CREATE INDEX pull_by_head_name ON pull
            (repository_id, ('refs/pull/' || CAST(number AS TEXT) || '/head') {bytes})"
    )
}
