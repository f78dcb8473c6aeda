//! Repositories and their collaborators. Git data has its own migration.

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
                &repository(&dialect),
                "CREATE INDEX repository_in_order ON repository (owner_id, id)",
                "CREATE INDEX repository_by_template ON repository (template_repository_id)",
                &repository_push(&dialect),
                &collaborator(&dialect),
                "CREATE INDEX collaborator_by_user ON collaborator (user_id)",
            ],
        )
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_tables(manager, &["collaborator", "repository_push", "repository"]).await
    }
}

fn repository(dialect: &Dialect) -> String {
    let Dialect {
        id,
        int,
        flag,
        key,
        strict,
        ..
    } = dialect;
    let topics = dialect.array("topics");
    let custom_properties = dialect.object("custom_properties");
    format!(
        "CREATE TABLE repository (
            id {id},
            owner_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            name {key} NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
            name_key {key} NOT NULL CHECK (name_key = lower(name)),
            visibility TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
            default_branch {key} NOT NULL CHECK (length(default_branch) BETWEEN 1 AND 1024),
            description TEXT,
            homepage TEXT,
            language TEXT,
            license_spdx TEXT,
            topics TEXT NOT NULL DEFAULT '[]' CHECK ({topics}),
            custom_properties TEXT NOT NULL DEFAULT '{{}}' CHECK ({custom_properties}),
            archived {flag} NOT NULL DEFAULT FALSE,
            disabled {flag} NOT NULL DEFAULT FALSE,
            fork {flag} NOT NULL DEFAULT FALSE,
            is_template {flag} NOT NULL DEFAULT FALSE,
            has_issues {flag} NOT NULL DEFAULT TRUE,
            has_projects {flag} NOT NULL DEFAULT TRUE,
            has_wiki {flag} NOT NULL DEFAULT TRUE,
            has_pages {flag} NOT NULL DEFAULT FALSE,
            has_downloads {flag} NOT NULL DEFAULT TRUE,
            allow_rebase_merge {flag} NOT NULL DEFAULT TRUE,
            allow_squash_merge {flag} NOT NULL DEFAULT TRUE,
            allow_auto_merge {flag} NOT NULL DEFAULT FALSE,
            allow_merge_commit {flag} NOT NULL DEFAULT TRUE,
            delete_branch_on_merge {flag} NOT NULL DEFAULT FALSE,
            template_repository_id {int} REFERENCES repository (id) ON DELETE SET NULL,
            mirror_url TEXT,
            forks_count {int} NOT NULL DEFAULT 0 CHECK (forks_count >= 0),
            stargazers_count {int} NOT NULL DEFAULT 0 CHECK (stargazers_count >= 0),
            watchers_count {int} NOT NULL DEFAULT 0 CHECK (watchers_count >= 0),
            subscribers_count {int} NOT NULL DEFAULT 0 CHECK (subscribers_count >= 0),
            network_count {int} NOT NULL DEFAULT 0 CHECK (network_count >= 0),
            open_issues_count {int} NOT NULL DEFAULT 0 CHECK (open_issues_count >= 0),
            size_kb {int} NOT NULL DEFAULT 0 CHECK (size_kb >= 0),
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            UNIQUE (owner_id, name_key)
        ) {strict}"
    )
}

/// When the references of a repository last changed. A separate table, so that a push does
/// not count as a change of the repository's settings.
fn repository_push(dialect: &Dialect) -> String {
    let Dialect { int, keyed, .. } = dialect;
    format!(
        "CREATE TABLE repository_push (
            repository_id {int} NOT NULL PRIMARY KEY
                REFERENCES repository (id) ON DELETE CASCADE,
            pushed_at {int} NOT NULL
        ) {keyed}"
    )
}

fn collaborator(dialect: &Dialect) -> String {
    let permission = one_of(
        "permission",
        &["read", "triage", "write", "maintain", "admin"],
    );
    let Dialect { int, keyed, .. } = dialect;
    format!(
        "CREATE TABLE collaborator (
            repository_id {int} NOT NULL REFERENCES repository (id) ON DELETE CASCADE,
            user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            permission TEXT NOT NULL
                CHECK ({permission}),
            PRIMARY KEY (repository_id, user_id)
        ) {keyed}"
    )
}
