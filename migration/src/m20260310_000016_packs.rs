//! Deltified objects. A row with a base stores a delta instead of the object's content; its
//! kind and size are still those of the object.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::{Dialect, hex, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let Dialect { key, .. } = Dialect::of(manager)?;
        let sha = hex("base_sha", 40);
        let column = format!(
            "ALTER TABLE git_object ADD COLUMN base_sha {key}
                CHECK (base_sha IS NULL OR ({sha} AND base_sha <> sha))"
        );
        run(manager, &[&column]).await?;
        if manager.get_database_backend() == DbBackend::Postgres {
            // The content is compressed already.
            let plain = "ALTER TABLE git_object ALTER COLUMN content SET STORAGE EXTERNAL";
            run(manager, &[plain]).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() == DbBackend::Postgres {
            let usual = "ALTER TABLE git_object ALTER COLUMN content SET STORAGE EXTENDED";
            run(manager, &[usual]).await?;
        }
        run(manager, &["ALTER TABLE git_object DROP COLUMN base_sha"]).await
    }
}
