//! The values that issues have in the issue fields of their organization. The value of a
//! select field is one row per option, so deleting an option deletes its values. Texts,
//! numbers and dates are stored as text in `content`; the field has the type.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, run};
use crate::m20260310_000013_versions as versions;

const TABLE: &str = "issue_field_value";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let Dialect {
            id, int, strict, ..
        } = Dialect::of(manager)?;
        let table = format!(
            "CREATE TABLE {TABLE} (
                id {id},
                issue_id {int} NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
                field_id {int} NOT NULL REFERENCES issue_field (id) ON DELETE CASCADE,
                option_id {int} REFERENCES issue_field_option (id) ON DELETE CASCADE,
                content TEXT CHECK (length(content) BETWEEN 1 AND 1024),
                UNIQUE (issue_id, field_id, option_id),
                CHECK ((option_id IS NULL) = (content IS NOT NULL))
            ) {strict}"
        );
        run(manager, &[&table]).await?;
        run(manager, &INDEXES).await?;
        versions::create_triggers(manager, &[TABLE]).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        versions::drop_triggers(manager, &[TABLE]).await?;
        drop_tables(manager, &[TABLE]).await
    }
}

/// A field without options has at most one value. The other indexes are for foreign keys.
const INDEXES: [&str; 3] = [
    "CREATE UNIQUE INDEX issue_field_value_once ON issue_field_value (issue_id, field_id)
        WHERE option_id IS NULL",
    "CREATE INDEX issue_field_value_by_field ON issue_field_value (field_id, issue_id)",
    "CREATE INDEX issue_field_value_by_option ON issue_field_value (option_id)",
];
