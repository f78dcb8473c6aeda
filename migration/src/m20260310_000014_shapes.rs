//! What answers show since recordings of GitHub do: the files that an installation may
//! reach one by one, internal repositories, mannequins, and the client of an OAuth
//! token.
//!
//! An internal repository is a private one that every member of its organization can
//! read, and a mannequin is a user who cannot sign in, so that whoever does not know
//! of the new columns hides rather than shows.

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
