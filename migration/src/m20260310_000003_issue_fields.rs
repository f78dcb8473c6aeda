//! Issue fields of organizations and the options of select fields. An option's priority
//! orders the options and need not be unique.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, one_of, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(
            manager,
            &[
                &issue_field(&dialect),
                &issue_field_option(&dialect),
                "CREATE INDEX issue_field_option_in_order
                    ON issue_field_option (field_id, priority, id)",
            ],
        )
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_tables(manager, &["issue_field_option", "issue_field"]).await
    }
}

fn issue_field(dialect: &Dialect) -> String {
    let data_type = one_of(
        "data_type",
        &["text", "date", "single_select", "multi_select", "number"],
    );
    let Dialect {
        id,
        int,
        key,
        strict,
        ..
    } = dialect;
    format!(
        "CREATE TABLE issue_field (
            id {id},
            organization_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 1024),
            name_key {key} NOT NULL CHECK (name_key <> ''),
            description TEXT,
            data_type TEXT NOT NULL
                CHECK ({data_type}),
            visibility TEXT NOT NULL
                CHECK (visibility IN ('organization_members_only', 'all')),
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            UNIQUE (organization_id, name_key)
        ) {strict}"
    )
}

fn issue_field_option(dialect: &Dialect) -> String {
    let color = one_of(
        "color",
        &[
            "gray", "blue", "green", "yellow", "orange", "red", "pink", "purple",
        ],
    );
    let Dialect {
        id,
        int,
        key,
        strict,
        ..
    } = dialect;
    format!(
        "CREATE TABLE issue_field_option (
            id {id},
            field_id {int} NOT NULL REFERENCES issue_field (id) ON DELETE CASCADE,
            name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 1024),
            name_key {key} NOT NULL CHECK (name_key <> ''),
            color TEXT NOT NULL CHECK ({color}),
            description TEXT,
            priority {int} NOT NULL,
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            UNIQUE (field_id, name_key)
        ) {strict}"
    )
}
