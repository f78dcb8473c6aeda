//! Columns for response fields found in recordings of GitHub: single-file permissions of
//! installations, internal repositories, mannequins, and the client of an OAuth token.
//!
//! An internal repository is also stored as private, and a mannequin as a user who cannot
//! sign in. Code that ignores the new columns therefore hides rather than exposes.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        let paths = dialect.array("single_file_paths");
        let Dialect { flag, key, .. } = dialect;
        let statements = [
            format!(
                "ALTER TABLE installation ADD COLUMN single_file_paths TEXT
                    NOT NULL DEFAULT '[]' CHECK ({paths})"
            ),
            format!(
                "ALTER TABLE repository ADD COLUMN internal {flag}
                    NOT NULL DEFAULT FALSE CHECK (NOT internal OR visibility = 'private')"
            ),
            format!(
                "ALTER TABLE account ADD COLUMN mannequin {flag}
                    NOT NULL DEFAULT FALSE CHECK (NOT mannequin OR kind = 'User')"
            ),
            format!(
                "ALTER TABLE token ADD COLUMN client_id {key}
                    CHECK (client_id IS NULL OR (client_id <> '' AND kind = 'oauth'))"
            ),
        ];
        for statement in &statements {
            run(manager, &[statement]).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(
            manager,
            &[
                "ALTER TABLE token DROP COLUMN client_id",
                "ALTER TABLE account DROP COLUMN mannequin",
                "ALTER TABLE repository DROP COLUMN internal",
                "ALTER TABLE installation DROP COLUMN single_file_paths",
            ],
        )
        .await
    }
}
