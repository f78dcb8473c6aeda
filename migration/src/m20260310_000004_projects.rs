//! Projects, their fields, and the options and iterations of those fields. A field either
//! has its own name and type, or references an issue field and takes both from there.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, hex, one_of, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(
            manager,
            &[
                &project(&dialect),
                &project_field(&dialect),
                "CREATE INDEX project_field_in_order ON project_field (project_id, id)",
                "CREATE INDEX project_field_by_issue_field ON project_field (issue_field_id)",
                &project_field_option(&dialect),
                &project_field_iteration(&dialect),
            ],
        )
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_tables(
            manager,
            &[
                "project_field_iteration",
                "project_field_option",
                "project_field",
                "project",
            ],
        )
        .await
    }
}

fn project(dialect: &Dialect) -> String {
    let Dialect {
        id, int, strict, ..
    } = dialect;
    format!(
        "CREATE TABLE project (
            id {id},
            owner_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            number {int} NOT NULL CHECK (number > 0),
            title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 1024),
            visibility TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            UNIQUE (owner_id, number)
        ) {strict}"
    )
}

fn project_field(dialect: &Dialect) -> String {
    let data_type = one_of(
        "data_type",
        &[
            "assignees",
            "linked_pull_requests",
            "reviewers",
            "labels",
            "milestone",
            "repository",
            "title",
            "text",
            "single_select",
            "number",
            "date",
            "iteration",
            "issue_type",
            "parent_issue",
            "sub_issues_progress",
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
        "CREATE TABLE project_field (
            id {id},
            project_id {int} NOT NULL REFERENCES project (id) ON DELETE CASCADE,
            name TEXT CHECK (length(name) BETWEEN 1 AND 1024),
            name_key {key} CHECK (name_key <> ''),
            data_type TEXT CHECK ({data_type}),
            issue_field_id {int} REFERENCES issue_field (id) ON DELETE CASCADE,
            iteration_duration {int} CHECK (iteration_duration > 0),
            iteration_start_day {int} CHECK (iteration_start_day BETWEEN 1 AND 7),
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            UNIQUE (project_id, name_key),
            UNIQUE (project_id, issue_field_id),
            CHECK ((issue_field_id IS NULL) = (name IS NOT NULL)),
            CHECK ((issue_field_id IS NULL) = (name_key IS NOT NULL)),
            CHECK ((issue_field_id IS NULL) = (data_type IS NOT NULL)),
            CHECK ((COALESCE(data_type, '') = 'iteration') = (iteration_duration IS NOT NULL)),
            CHECK ((COALESCE(data_type, '') = 'iteration') = (iteration_start_day IS NOT NULL))
        ) {strict}"
    )
}

fn project_field_option(dialect: &Dialect) -> String {
    let color = one_of(
        "color",
        &[
            "BLUE", "GRAY", "GREEN", "ORANGE", "PINK", "PURPLE", "RED", "YELLOW",
        ],
    );
    let Dialect {
        id,
        int,
        key,
        strict,
        ..
    } = dialect;
    let option_key = hex("option_key", 8);
    format!(
        "CREATE TABLE project_field_option (
            id {id},
            field_id {int} NOT NULL REFERENCES project_field (id) ON DELETE CASCADE,
            option_key {key} NOT NULL CHECK ({option_key}),
            name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 1024),
            name_key {key} NOT NULL CHECK (name_key <> ''),
            color TEXT NOT NULL CHECK ({color}),
            description TEXT NOT NULL DEFAULT '',
            position {int} NOT NULL CHECK (position >= 0),
            UNIQUE (field_id, option_key),
            UNIQUE (field_id, name_key),
            UNIQUE (field_id, position)
        ) {strict}"
    )
}

fn project_field_iteration(dialect: &Dialect) -> String {
    let Dialect {
        id,
        int,
        key,
        strict,
        ..
    } = dialect;
    let iteration_key = hex("iteration_key", 8);
    format!(
        "CREATE TABLE project_field_iteration (
            id {id},
            field_id {int} NOT NULL REFERENCES project_field (id) ON DELETE CASCADE,
            iteration_key {key} NOT NULL CHECK ({iteration_key}),
            title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 1024),
            start_date {key} NOT NULL CHECK (start_date LIKE '____-__-__'),
            duration {int} NOT NULL CHECK (duration > 0),
            position {int} NOT NULL CHECK (position >= 0),
            UNIQUE (field_id, iteration_key),
            UNIQUE (field_id, position)
        ) {strict}"
    )
}
