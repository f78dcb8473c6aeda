//! The Git database: objects, the commit graph, and references.
//! A reference cannot name an object that is not stored, and a branch cannot
//! name anything but a commit.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::{Dialect, drop_tables, hex, run};

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
        .await?;
        match manager.get_database_backend() {
            DbBackend::Postgres => run(manager, &[CREATE_REF]).await,
            _ => Ok(()),
        }
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() == DbBackend::Postgres {
            run(manager, &["DROP FUNCTION create_ref"]).await?;
        }
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
            kind TEXT NOT NULL CHECK (kind IN ('commit', 'tree', 'blob', 'tag')),
            size {int} NOT NULL CHECK (size >= 0),
            content {bytes} NOT NULL,
            PRIMARY KEY (repository_id, sha)
        ) {strict}"
    )
}

// `reach` leads to rows of `git_reach` of ancestors, which the edges of
// `git_commit_parent` keep alive.
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
            kind TEXT NOT NULL CHECK (kind IN ('commit', 'tree', 'blob', 'tag')),
            updated_at {int} NOT NULL,
            UNIQUE (repository_id, name),
            FOREIGN KEY (repository_id, sha) REFERENCES git_object (repository_id, sha),
            CHECK (kind = 'commit' OR substr(name, 1, 11) <> 'refs/heads/')
        ) {strict}"
    )
}

/// Creates a reference under the lock of its repository, in one statement of
/// PostgreSQL: others wait no longer than the database needs. On SQLite, where a
/// transaction has the whole file anyway, the service does the same step by step.
///
/// Each statement of a function sees what was committed before it began, so those
/// after the lock see everything that was done under it. `above` is a JSON array of
/// names.
const CREATE_REF: &str = "
    CREATE FUNCTION create_ref(
        repository BIGINT, new_name TEXT, new_sha TEXT, new_kind TEXT, moment BIGINT,
        above TEXT, below_from TEXT, below_until TEXT
    ) RETURNS TEXT LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM 1 FROM repository WHERE id = create_ref.repository FOR NO KEY UPDATE;
        IF EXISTS (SELECT 1 FROM git_ref
            WHERE repository_id = create_ref.repository AND name = new_name) THEN
            RETURN 'taken';
        END IF;
        IF EXISTS (SELECT 1 FROM git_ref
            WHERE repository_id = create_ref.repository
                AND name = ANY (ARRAY(SELECT json_array_elements_text(above::json)))) THEN
            RETURN 'blocked';
        END IF;
        IF EXISTS (SELECT 1 FROM git_ref
            WHERE repository_id = create_ref.repository
                AND name >= below_from AND name < below_until) THEN
            RETURN 'blocked';
        END IF;
        INSERT INTO git_ref (repository_id, name, sha, kind, updated_at)
            VALUES (create_ref.repository, new_name, new_sha, new_kind, moment);
        INSERT INTO repository_push (repository_id, pushed_at)
            VALUES (create_ref.repository, moment)
            ON CONFLICT (repository_id) DO UPDATE SET pushed_at = moment
                WHERE repository_push.pushed_at <> moment;
        RETURN 'created';
    END $$";
