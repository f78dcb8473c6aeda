//! The items of projects, and their values in the project's fields. Deleting an item, a
//! field, an option or an iteration deletes its values.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, run};
use crate::m20260310_000013_versions as versions;

/// The tables in the order of their foreign keys.
const TABLES: [&str; 2] = ["project_item", "project_item_value"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(manager, &[&project_item(&dialect), &value(&dialect)]).await?;
        run(manager, &INDEXES).await?;
        versions::create_triggers(manager, &TABLES).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        versions::drop_triggers(manager, &TABLES).await?;
        drop_tables(manager, &["project_item_value", "project_item"]).await
    }
}

fn project_item(dialect: &Dialect) -> String {
    let Dialect {
        id, int, strict, ..
    } = dialect;
    format!(
        "CREATE TABLE project_item (
            id {id},
            project_id {int} NOT NULL REFERENCES project (id) ON DELETE CASCADE,
            issue_id {int} REFERENCES issue (id) ON DELETE CASCADE,
            draft_title TEXT CHECK (length(draft_title) BETWEEN 1 AND 1024),
            draft_body TEXT CHECK (length(draft_body) <= 65536),
            creator_id {int} REFERENCES account (id) ON DELETE SET NULL,
            archived_at {int},
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            UNIQUE (project_id, issue_id),
            CHECK ((issue_id IS NULL) = (draft_title IS NOT NULL)),
            CHECK (draft_body IS NULL OR issue_id IS NULL)
        ) {strict}"
    )
}

fn value(dialect: &Dialect) -> String {
    let Dialect {
        int,
        key,
        float,
        keyed,
        ..
    } = dialect;
    format!(
        "CREATE TABLE project_item_value (
            item_id {int} NOT NULL REFERENCES project_item (id) ON DELETE CASCADE,
            field_id {int} NOT NULL REFERENCES project_field (id) ON DELETE CASCADE,
            text_value TEXT CHECK (length(text_value) BETWEEN 1 AND 1024),
            number_value {float},
            date_value {key} CHECK (date_value LIKE '____-__-__'),
            option_id {int} REFERENCES project_field_option (id) ON DELETE CASCADE,
            iteration_id {int} REFERENCES project_field_iteration (id) ON DELETE CASCADE,
            PRIMARY KEY (item_id, field_id),
            CHECK ((CASE WHEN text_value IS NULL THEN 0 ELSE 1 END)
                + (CASE WHEN number_value IS NULL THEN 0 ELSE 1 END)
                + (CASE WHEN date_value IS NULL THEN 0 ELSE 1 END)
                + (CASE WHEN option_id IS NULL THEN 0 ELSE 1 END)
                + (CASE WHEN iteration_id IS NULL THEN 0 ELSE 1 END) = 1)
        ) {keyed}"
    )
}

/// Indexes for the lists of active and of archived items, and for each foreign key.
const INDEXES: [&str; 7] = [
    "CREATE INDEX project_item_in_order ON project_item (project_id, id)
        WHERE archived_at IS NULL",
    "CREATE INDEX project_item_archived ON project_item (project_id, id)
        WHERE archived_at IS NOT NULL",
    "CREATE INDEX project_item_by_issue ON project_item (issue_id)",
    "CREATE INDEX project_item_by_creator ON project_item (creator_id)",
    "CREATE INDEX project_item_value_by_field ON project_item_value (field_id, item_id)",
    "CREATE INDEX project_item_value_by_option ON project_item_value (option_id)",
    "CREATE INDEX project_item_value_by_iteration ON project_item_value (iteration_id)",
];
