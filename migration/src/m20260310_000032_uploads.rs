//! Uploads: a large push stores its objects and commits in short transactions, and they are
//! invisible as long as the upload has a row in `git_upload`. A repository has at most one.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

/// The tables whose rows may belong to an upload. The column has no foreign key: it keeps the
/// number of an upload that has ended.
const TABLES: [&str; 2] = ["git_object", "git_commit"];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(manager, &[&git_upload(&dialect)]).await?;
        for table in TABLES {
            let column = format!("ALTER TABLE {table} ADD COLUMN upload_id {}", dialect.int);
            let index = format!(
                "CREATE INDEX {table}_by_upload ON {table} (upload_id) WHERE upload_id IS NOT NULL"
            );
            run(manager, &[&column, &index]).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in TABLES {
            // Without the table of uploads, these rows would be visible.
            let unfinished =
                format!("DELETE FROM {table} WHERE upload_id IN (SELECT id FROM git_upload)");
            let index = format!("DROP INDEX {table}_by_upload");
            let column = format!("ALTER TABLE {table} DROP COLUMN upload_id");
            run(manager, &[&unfinished, &index, &column]).await?;
        }
        drop_tables(manager, &["git_upload"]).await
    }
}

fn git_upload(dialect: &Dialect) -> String {
    let Dialect {
        id,
        int,
        key,
        flag,
        strict,
        ..
    } = dialect;
    format!(
        "CREATE TABLE git_upload (
            id {id},
            repository_id {int} NOT NULL UNIQUE REFERENCES repository (id) ON DELETE CASCADE,
            process {key} NOT NULL,
            renewed_at {int} NOT NULL,
            abandoned {flag} NOT NULL
        ) {strict}"
    )
}
