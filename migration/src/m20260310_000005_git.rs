//! The Git database: objects, the commit graph, and references.
//! A reference cannot name an object that is not stored, and a branch cannot
//! name anything but a commit.

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
                &git_object(&dialect),
                &git_commit(&dialect),
                &git_commit_parent(&dialect),
                &git_reach(&dialect),
                "CREATE INDEX git_commit_parent_by_parent ON git_commit_parent (parent_id)",
                &git_ref(&dialect),
                "CREATE INDEX git_ref_by_object ON git_ref (repository_id, sha)",
            ],
        )
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_tables(
            manager,
            &[
                "git_ref",
                "git_reach",
                "git_commit_parent",
                "git_commit",
                "git_object",
            ],
        )
        .await
    }
}

fn git_object(dialect: &Dialect) -> String {
    let kind = one_of("kind", &["commit", "tree", "blob", "tag"]);
    let Dialect {
        int,
        key,
        bytes,
        strict,
        ..
    } = dialect;
    let sha = hex("sha", 40);
    format!(
        "CREATE TABLE git_object (
            repository_id {int} NOT NULL REFERENCES repository (id) ON DELETE CASCADE,
            sha {key} NOT NULL CHECK ({sha}),
            kind TEXT NOT NULL CHECK ({kind}),
            size {int} NOT NULL CHECK (size >= 0),
            content {bytes} NOT NULL,
            PRIMARY KEY (repository_id, sha)
        ) {strict}"
    )
}

// `reach` references `git_reach` rows of ancestors; the edges in `git_commit_parent` keep
// those ancestors alive.
fn git_commit(dialect: &Dialect) -> String {
    let Dialect {
        id,
        int,
        key,
        strict,
        ..
    } = dialect;
    let tree_sha = hex("tree_sha", 40);
    format!(
        "CREATE TABLE git_commit (
            id {id},
            repository_id {int} NOT NULL REFERENCES repository (id) ON DELETE CASCADE,
            sha {key} NOT NULL,
            tree_sha {key} NOT NULL CHECK ({tree_sha}),
            generation {int} NOT NULL CHECK (generation >= 1),
            committed_at {int} NOT NULL,
            chain {int} NOT NULL CHECK (chain >= 0),
            position {int} NOT NULL CHECK (position >= 0),
            reach {int} CHECK (reach > 0),
            UNIQUE (repository_id, sha),
            UNIQUE (repository_id, chain, position),
            FOREIGN KEY (repository_id, sha)
                REFERENCES git_object (repository_id, sha) ON DELETE CASCADE
        ) {strict}"
    )
}

fn git_commit_parent(dialect: &Dialect) -> String {
    let Dialect { int, keyed, .. } = dialect;
    format!(
        "CREATE TABLE git_commit_parent (
            commit_id {int} NOT NULL REFERENCES git_commit (id) ON DELETE CASCADE,
            ordinal {int} NOT NULL CHECK (ordinal >= 0),
            parent_id {int} NOT NULL REFERENCES git_commit (id) ON DELETE CASCADE,
            PRIMARY KEY (commit_id, ordinal),
            CHECK (commit_id <> parent_id)
        ) {keyed}"
    )
}

fn git_reach(dialect: &Dialect) -> String {
    let Dialect {
        int, bytes, keyed, ..
    } = dialect;
    format!(
        "CREATE TABLE git_reach (
            commit_id {int} NOT NULL REFERENCES git_commit (id) ON DELETE CASCADE,
            content {bytes} NOT NULL,
            PRIMARY KEY (commit_id)
        ) {keyed}"
    )
}

fn git_ref(dialect: &Dialect) -> String {
    let kind = one_of("kind", &["commit", "tree", "blob", "tag"]);
    let Dialect {
        id,
        int,
        key,
        strict,
        ..
    } = dialect;
    format!(
        "CREATE TABLE git_ref (
            id {id},
            repository_id {int} NOT NULL REFERENCES repository (id) ON DELETE CASCADE,
            name {key} NOT NULL CHECK (substr(name, 1, 5) = 'refs/' AND length(name) > 5),
            sha {key} NOT NULL,
            kind TEXT NOT NULL CHECK ({kind}),
            updated_at {int} NOT NULL,
            UNIQUE (repository_id, name),
            FOREIGN KEY (repository_id, sha) REFERENCES git_object (repository_id, sha),
            CHECK (kind = 'commit' OR substr(name, 1, 11) <> 'refs/heads/')
        ) {strict}"
    )
}
