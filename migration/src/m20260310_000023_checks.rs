//! Check runs, their suites and their annotations. The newest run of each name in a suite is
//! marked, as with statuses. The status and conclusion of a suite are computed from its runs
//! and not stored.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, one_of, run};
use crate::m20260310_000013_versions::{create_triggers, drop_triggers};

#[derive(DeriveMigrationName)]
pub struct Migration;

/// Referencing tables first.
const TABLES: [&str; 3] = ["check_annotation", "check_run", "check_suite"];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        let tables = [
            check_suite(&dialect),
            check_run(&dialect),
            check_annotation(&dialect),
        ];
        for table in &tables {
            run(manager, &[table]).await?;
        }
        run(manager, &INDEXES).await?;
        create_triggers(manager, &TABLES).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_triggers(manager, &TABLES).await?;
        run(manager, &["DROP INDEX pull_by_head_sha"]).await?;
        drop_tables(manager, &TABLES).await
    }
}

/// Indexes for the lists of a commit and of a suite, the newest run of each name, the pull
/// requests of a commit, and foreign keys.
const INDEXES: [&str; 8] = [
    "CREATE INDEX check_suite_by_app ON check_suite (app_id)",
    "CREATE INDEX check_run_by_commit ON check_run (commit_id, id)",
    "CREATE INDEX check_run_latest_of_commit
        ON check_run (commit_id, id, status, conclusion) WHERE latest",
    "CREATE INDEX check_run_by_suite ON check_run (suite_id, id)",
    "CREATE INDEX check_run_by_name ON check_run (suite_id, name, id)",
    "CREATE INDEX check_run_latest_of_suite
        ON check_run (suite_id, status, conclusion) WHERE latest",
    "CREATE INDEX check_annotation_by_run ON check_annotation (run_id, id)",
    "CREATE INDEX pull_by_head_sha ON pull (repository_id, head_sha, state)",
];

fn check_suite(dialect: &Dialect) -> String {
    let Dialect {
        id, int, strict, ..
    } = dialect;
    format!(
        "CREATE TABLE check_suite (
            id {id},
            commit_id {int} NOT NULL REFERENCES git_commit (id) ON DELETE CASCADE,
            app_id {int} NOT NULL REFERENCES app (id) ON DELETE CASCADE,
            head_branch TEXT,
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            UNIQUE (commit_id, app_id)
        ) {strict}"
    )
}

fn check_run(dialect: &Dialect) -> String {
    let conclusion = one_of(
        "conclusion",
        &[
            "action_required",
            "cancelled",
            "failure",
            "neutral",
            "success",
            "skipped",
            "timed_out",
        ],
    );
    let status = one_of("status", &["queued", "in_progress", "completed"]);
    let Dialect {
        id,
        int,
        key,
        flag,
        strict,
        ..
    } = dialect;
    format!(
        "CREATE TABLE check_run (
            id {id},
            commit_id {int} NOT NULL REFERENCES git_commit (id) ON DELETE CASCADE,
            suite_id {int} NOT NULL REFERENCES check_suite (id) ON DELETE CASCADE,
            name {key} NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
            external_id TEXT NOT NULL DEFAULT '' CHECK (length(external_id) <= 255),
            details_url TEXT CHECK (length(details_url) <= 2048),
            status TEXT NOT NULL CHECK ({status}),
            conclusion TEXT CHECK ({conclusion}),
            started_at {int} NOT NULL,
            completed_at {int},
            title TEXT,
            summary TEXT CHECK (length(summary) <= 65535),
            text TEXT CHECK (length(text) <= 65535),
            annotations {int} NOT NULL DEFAULT 0 CHECK (annotations >= 0),
            latest {flag} NOT NULL DEFAULT TRUE,
            CHECK ((status = 'completed') = (conclusion IS NOT NULL)),
            CHECK ((status = 'completed') = (completed_at IS NOT NULL))
        ) {strict}"
    )
}

fn check_annotation(dialect: &Dialect) -> String {
    let level = one_of("level", &["notice", "warning", "failure"]);
    let Dialect {
        id, int, strict, ..
    } = dialect;
    format!(
        "CREATE TABLE check_annotation (
            id {id},
            run_id {int} NOT NULL REFERENCES check_run (id) ON DELETE CASCADE,
            path TEXT NOT NULL CHECK (path <> ''),
            start_line {int} NOT NULL CHECK (start_line > 0),
            end_line {int} NOT NULL CHECK (end_line >= start_line),
            start_column {int} CHECK (start_column > 0),
            end_column {int} CHECK (end_column > 0),
            level TEXT NOT NULL CHECK ({level}),
            title TEXT,
            message TEXT NOT NULL,
            raw_details TEXT,
            CHECK (start_line = end_line OR (start_column IS NULL AND end_column IS NULL))
        ) {strict}"
    )
}
