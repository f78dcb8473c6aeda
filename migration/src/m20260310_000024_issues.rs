//! Issues, their comments, labels and assignees. A pull request is an issue with the same
//! number: triggers mirror each pull request in a row of `issue`, so lists, labels and
//! comments need not distinguish the two. Other code writes only those columns of such a row
//! that `pull` does not have.
//!
//! Triggers count the comments of each issue.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::{Dialect, drop_tables, one_of, run};
use crate::m20260310_000013_versions as versions;

/// The tables in the order of their foreign keys.
const TABLES: [&str; 5] = [
    "issue",
    "label",
    "issue_label",
    "issue_assignee",
    "issue_comment",
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        let tables = [
            issue(&dialect),
            label(&dialect),
            issue_label(&dialect),
            issue_assignee(&dialect),
            issue_comment(&dialect),
        ];
        run(manager, &tables.each_ref().map(String::as_str)).await?;
        run(manager, &INDEXES).await?;
        run(manager, &[COPY_PULLS]).await?;
        match manager.get_database_backend() {
            DbBackend::Postgres => run(manager, &POSTGRES_TRIGGERS).await?,
            _ => run(manager, &SQLITE_TRIGGERS).await?,
        }
        versions::create_triggers(manager, &TABLES).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        versions::drop_triggers(manager, &TABLES).await?;
        match manager.get_database_backend() {
            DbBackend::Postgres => run(manager, &POSTGRES_DOWN).await?,
            _ => run(manager, &SQLITE_DOWN).await?,
        }
        let mut tables = TABLES;
        tables.reverse();
        drop_tables(manager, &tables).await
    }
}

fn issue(dialect: &Dialect) -> String {
    let lock_reason = one_of(
        "lock_reason",
        &["off-topic", "too heated", "resolved", "spam"],
    );
    let state_reason = one_of(
        "state_reason",
        &["completed", "not_planned", "duplicate", "reopened"],
    );
    let Dialect {
        id,
        int,
        flag,
        strict,
        ..
    } = dialect;
    format!(
        "CREATE TABLE issue (
            id {id},
            repository_id {int} NOT NULL REFERENCES repository (id) ON DELETE CASCADE,
            number {int} NOT NULL CHECK (number > 0),
            pull_id {int} UNIQUE REFERENCES pull (id) ON DELETE CASCADE,
            title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 1024),
            body TEXT,
            author_id {int} NOT NULL REFERENCES account (id),
            state TEXT NOT NULL CHECK (state IN ('open', 'closed')),
            state_reason TEXT CHECK
                ({state_reason}),
            locked {flag} NOT NULL DEFAULT FALSE,
            lock_reason TEXT CHECK
                ({lock_reason}),
            comments {int} NOT NULL DEFAULT 0 CHECK (comments >= 0),
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            closed_at {int},
            closed_by_id {int} REFERENCES account (id) ON DELETE SET NULL,
            UNIQUE (repository_id, number),
            CHECK ((state = 'open') = (closed_at IS NULL)),
            CHECK (lock_reason IS NULL OR locked),
            CHECK (closed_by_id IS NULL OR state = 'closed'),
            CHECK (state_reason IS NULL OR (state = 'open') = (state_reason = 'reopened'))
        ) {strict}"
    )
}

fn label(dialect: &Dialect) -> String {
    let Dialect {
        id,
        int,
        flag,
        key,
        strict,
        ..
    } = dialect;
    let color = crate::dialect::hex("color", 6);
    format!(
        "CREATE TABLE label (
            id {id},
            repository_id {int} NOT NULL REFERENCES repository (id) ON DELETE CASCADE,
            name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
            name_key {key} NOT NULL CHECK (name_key <> ''),
            color TEXT NOT NULL CHECK ({color}),
            description TEXT CHECK (length(description) <= 100),
            is_default {flag} NOT NULL DEFAULT FALSE,
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            UNIQUE (repository_id, name_key)
        ) {strict}"
    )
}

fn issue_label(dialect: &Dialect) -> String {
    let Dialect { int, keyed, .. } = dialect;
    format!(
        "CREATE TABLE issue_label (
            issue_id {int} NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
            label_id {int} NOT NULL REFERENCES label (id) ON DELETE CASCADE,
            PRIMARY KEY (issue_id, label_id)
        ) {keyed}"
    )
}

fn issue_assignee(dialect: &Dialect) -> String {
    let Dialect { int, keyed, .. } = dialect;
    format!(
        "CREATE TABLE issue_assignee (
            issue_id {int} NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
            user_id {int} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            PRIMARY KEY (issue_id, user_id)
        ) {keyed}"
    )
}

fn issue_comment(dialect: &Dialect) -> String {
    let Dialect {
        id, int, strict, ..
    } = dialect;
    format!(
        "CREATE TABLE issue_comment (
            id {id},
            repository_id {int} NOT NULL REFERENCES repository (id) ON DELETE CASCADE,
            issue_id {int} NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
            author_id {int} REFERENCES account (id) ON DELETE SET NULL,
            body TEXT NOT NULL CHECK (length(body) BETWEEN 1 AND 262144),
            body_html TEXT NOT NULL,
            body_text TEXT NOT NULL,
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL
        ) {strict}"
    )
}

/// Indexes for each order of the lists, and for each foreign key.
const INDEXES: [&str; 13] = [
    "CREATE INDEX issue_by_state ON issue (repository_id, state, created_at, id)",
    "CREATE INDEX issue_by_created ON issue (repository_id, created_at, id, state)",
    "CREATE INDEX issue_by_updated ON issue (repository_id, updated_at, id, state)",
    "CREATE INDEX issue_by_comments ON issue (repository_id, comments, id, state)",
    "CREATE INDEX issue_by_author ON issue (author_id, created_at)",
    "CREATE INDEX issue_by_closer ON issue (closed_by_id)",
    "CREATE INDEX issue_label_by_label ON issue_label (label_id, issue_id)",
    "CREATE INDEX issue_assignee_by_user ON issue_assignee (user_id, issue_id)",
    "CREATE INDEX issue_comment_by_issue ON issue_comment (issue_id, id, updated_at)",
    "CREATE INDEX issue_comment_by_repository ON issue_comment (repository_id, id, updated_at)",
    "CREATE INDEX issue_comment_by_repository_created
        ON issue_comment (repository_id, created_at, id, updated_at)",
    "CREATE INDEX issue_comment_by_repository_updated
        ON issue_comment (repository_id, updated_at, id)",
    "CREATE INDEX issue_comment_by_author ON issue_comment (author_id, created_at)",
];

/// Creates the issues of existing pull requests.
const COPY_PULLS: &str = "
    INSERT INTO issue (repository_id, number, pull_id, title, body, author_id, state, locked,
        created_at, updated_at, closed_at)
    SELECT repository_id, number, id, title, body, author_id,
        CASE state WHEN 'open' THEN 'open' ELSE 'closed' END,
        locked, created_at, updated_at, closed_at
    FROM pull ORDER BY id";

const SQLITE_TRIGGERS: [&str; 5] = [
    "CREATE TRIGGER issue_of_new_pull AFTER INSERT ON pull BEGIN
        INSERT INTO issue (repository_id, number, pull_id, title, body, author_id, state,
            locked, created_at, updated_at, closed_at)
        VALUES (NEW.repository_id, NEW.number, NEW.id, NEW.title, NEW.body, NEW.author_id,
            CASE NEW.state WHEN 'open' THEN 'open' ELSE 'closed' END,
            NEW.locked, NEW.created_at, NEW.updated_at, NEW.closed_at);
    END",
    "CREATE TRIGGER issue_of_changed_pull AFTER UPDATE ON pull BEGIN
        UPDATE issue SET repository_id = NEW.repository_id, number = NEW.number,
            title = NEW.title, body = NEW.body, author_id = NEW.author_id,
            state = CASE NEW.state WHEN 'open' THEN 'open' ELSE 'closed' END,
            closed_by_id = CASE NEW.state WHEN 'open' THEN NULL ELSE closed_by_id END,
            locked = NEW.locked, lock_reason = CASE WHEN NEW.locked THEN lock_reason END,
            created_at = NEW.created_at, updated_at = NEW.updated_at,
            closed_at = NEW.closed_at
        WHERE pull_id = NEW.id;
    END",
    "CREATE TRIGGER issue_comment_added AFTER INSERT ON issue_comment BEGIN
        UPDATE issue SET comments = comments + 1 WHERE id = NEW.issue_id;
    END",
    "CREATE TRIGGER issue_comment_moved AFTER UPDATE OF issue_id ON issue_comment
     WHEN OLD.issue_id <> NEW.issue_id BEGIN
        UPDATE issue SET comments = comments + 1 WHERE id = NEW.issue_id;
        UPDATE issue SET comments = comments - 1 WHERE id = OLD.issue_id;
    END",
    "CREATE TRIGGER issue_comment_removed AFTER DELETE ON issue_comment BEGIN
        UPDATE issue SET comments = comments - 1 WHERE id = OLD.issue_id;
    END",
];

const SQLITE_DOWN: [&str; 2] = [
    "DROP TRIGGER issue_of_new_pull",
    "DROP TRIGGER issue_of_changed_pull",
];

/// Restoring a snapshot writes both tables itself (`crates/storage/src/database/snapshots/server.rs`).
const POSTGRES_TRIGGERS: [&str; 6] = [
    "CREATE FUNCTION issue_of_pull() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    BEGIN
        IF current_setting('forgewright.restoring', TRUE) = 'on' THEN
            RETURN NULL;
        END IF;
        IF TG_OP = 'INSERT' THEN
            INSERT INTO issue (repository_id, number, pull_id, title, body, author_id, state,
                locked, created_at, updated_at, closed_at)
            VALUES (NEW.repository_id, NEW.number, NEW.id, NEW.title, NEW.body, NEW.author_id,
                CASE NEW.state WHEN 'open' THEN 'open' ELSE 'closed' END,
                NEW.locked, NEW.created_at, NEW.updated_at, NEW.closed_at);
        ELSE
            UPDATE issue SET repository_id = NEW.repository_id, number = NEW.number,
                title = NEW.title, body = NEW.body, author_id = NEW.author_id,
                state = CASE NEW.state WHEN 'open' THEN 'open' ELSE 'closed' END,
                closed_by_id = CASE NEW.state WHEN 'open' THEN NULL ELSE closed_by_id END,
                locked = NEW.locked, lock_reason = CASE WHEN NEW.locked THEN lock_reason END,
                created_at = NEW.created_at, updated_at = NEW.updated_at,
                closed_at = NEW.closed_at
            WHERE pull_id = NEW.id;
        END IF;
        RETURN NULL;
    END $$",
    "CREATE TRIGGER issue_of_pull AFTER INSERT OR UPDATE ON pull
        FOR EACH ROW EXECUTE FUNCTION issue_of_pull()",
    "CREATE FUNCTION issue_comment_count() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    BEGIN
        IF current_setting('forgewright.restoring', TRUE) = 'on' THEN
            RETURN NULL;
        END IF;
        IF TG_OP = 'INSERT' THEN
            UPDATE issue SET comments = issue.comments + added.comments FROM
                (SELECT issue_id, COUNT(*) AS comments FROM new_rows GROUP BY issue_id) AS added
            WHERE issue.id = added.issue_id;
        ELSIF TG_OP = 'DELETE' THEN
            UPDATE issue SET comments = issue.comments - removed.comments FROM
                (SELECT issue_id, COUNT(*) AS comments FROM old_rows GROUP BY issue_id) AS removed
            WHERE issue.id = removed.issue_id;
        ELSE
            UPDATE issue SET comments = issue.comments + moved.comments FROM
                (SELECT issue_id, SUM(change) AS comments FROM
                    (SELECT issue_id, 1 AS change FROM new_rows
                     UNION ALL SELECT issue_id, -1 FROM old_rows) AS changed
                 GROUP BY issue_id HAVING SUM(change) <> 0) AS moved
            WHERE issue.id = moved.issue_id;
        END IF;
        RETURN NULL;
    END $$",
    "CREATE TRIGGER issue_comment_added AFTER INSERT ON issue_comment
        REFERENCING NEW TABLE AS new_rows
        FOR EACH STATEMENT EXECUTE FUNCTION issue_comment_count()",
    "CREATE TRIGGER issue_comment_moved AFTER UPDATE ON issue_comment
        REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
        FOR EACH STATEMENT EXECUTE FUNCTION issue_comment_count()",
    "CREATE TRIGGER issue_comment_removed AFTER DELETE ON issue_comment
        REFERENCING OLD TABLE AS old_rows
        FOR EACH STATEMENT EXECUTE FUNCTION issue_comment_count()",
];

const POSTGRES_DOWN: [&str; 2] = [
    "DROP FUNCTION issue_of_pull() CASCADE",
    "DROP FUNCTION issue_comment_count() CASCADE",
];
