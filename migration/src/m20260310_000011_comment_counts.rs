//! Comment counts of each list, per bucket of its sort key. Triggers maintain them, so they
//! are correct for every writer.
//!
//! A bucket is a fixed range of ids or times, so a comment's bucket depends only on the
//! comment. An empty bucket has no row.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::{Dialect, drop_tables, run};

/// The sort key of a comment, shifted right, is its bucket: 8,192 ids, or 32,768
/// seconds (nine hours).
const ID_BITS: u8 = 13;
const TIME_BITS: u8 = 15;

/// Each list: its name, the column of its owner, its sort key, and the size of its buckets.
const LISTS: [(&str, &str, &str, u8); 6] = [
    ("repository_by_id", "repository_id", "id", ID_BITS),
    (
        "repository_by_created",
        "repository_id",
        "created_at",
        TIME_BITS,
    ),
    (
        "repository_by_updated",
        "repository_id",
        "updated_at",
        TIME_BITS,
    ),
    ("pull_by_id", "pull_id", "id", ID_BITS),
    ("pull_by_created", "pull_id", "created_at", TIME_BITS),
    ("pull_by_updated", "pull_id", "updated_at", TIME_BITS),
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(manager, &[&table(&dialect)]).await?;
        match manager.get_database_backend() {
            DbBackend::Postgres => {
                run(manager, &[&postgres_function()]).await?;
                run(manager, &POSTGRES_TRIGGERS).await
            }
            _ => {
                let triggers = sqlite_triggers();
                run(manager, &triggers.each_ref().map(String::as_str)).await
            }
        }
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let statements: &[&str] = match manager.get_database_backend() {
            DbBackend::Postgres => &[
                "DROP TRIGGER review_comment_added ON review_comment",
                "DROP TRIGGER review_comment_moved ON review_comment",
                "DROP TRIGGER review_comment_removed ON review_comment",
                "DROP FUNCTION review_comment_count()",
            ],
            _ => &[
                "DROP TRIGGER review_comment_added",
                "DROP TRIGGER review_comment_moved",
                "DROP TRIGGER review_comment_removed",
            ],
        };
        run(manager, statements).await?;
        drop_tables(manager, &["comment_count"]).await
    }
}

fn table(dialect: &Dialect) -> String {
    let Dialect {
        int, key, keyed, ..
    } = dialect;
    let names = LISTS.map(|(name, ..)| format!("'{name}'")).join(", ");
    format!(
        "CREATE TABLE comment_count (
            list {key} NOT NULL CHECK (list IN ({names})),
            owner_id {int} NOT NULL,
            bucket {int} NOT NULL,
            comments {int} NOT NULL,
            PRIMARY KEY (list, owner_id, bucket)
        ) {keyed}"
    )
}

/// A row of values for each list that holds the comment `row`.
fn buckets(row: &str, and: &str) -> String {
    let bucket =
        |(list, owner, key, bits)| format!("('{list}', {row}.{owner}, {row}.{key} >> {bits}{and})");
    LISTS.map(bucket).join(", ")
}

/// Removing the last comment of a bucket removes its row. Deleting a pull request or a
/// repository deletes its comments, and so its counts.
fn sqlite_triggers() -> [String; 3] {
    let change = |row: &str, by: i64| {
        let rows = buckets(row, &format!(", {by}"));
        format!(
            "INSERT INTO comment_count (list, owner_id, bucket, comments) VALUES {rows}
             ON CONFLICT DO UPDATE SET comments = comments + excluded.comments;"
        )
    };
    let add = change("NEW", 1);
    let remove = format!(
        "{} DELETE FROM comment_count
         WHERE comments = 0 AND (list, owner_id, bucket) IN (VALUES {});",
        change("OLD", -1),
        buckets("OLD", "")
    );
    let columns = "id, repository_id, pull_id, created_at, updated_at";
    let [old, new] = ["OLD.", "NEW."].map(|row| {
        let columns = columns.replace(", ", &format!(", {row}"));
        format!("({row}{columns})")
    });
    [
        format!(
            "CREATE TRIGGER review_comment_added AFTER INSERT ON review_comment BEGIN {add} END"
        ),
        format!(
            "CREATE TRIGGER review_comment_moved AFTER UPDATE OF {columns} ON review_comment
             WHEN {old} <> {new} BEGIN {add} {remove} END"
        ),
        format!(
            "CREATE TRIGGER review_comment_removed AFTER DELETE ON review_comment
             BEGIN {remove} END"
        ),
    ]
}

/// Statement-level triggers: a count changes once, however many rows a statement writes. A
/// trigger with transition tables takes only one event.
const POSTGRES_TRIGGERS: [&str; 3] = [
    "CREATE TRIGGER review_comment_added AFTER INSERT ON review_comment
        REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION review_comment_count()",
    "CREATE TRIGGER review_comment_moved AFTER UPDATE ON review_comment
        REFERENCING OLD TABLE AS removed NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION review_comment_count()",
    "CREATE TRIGGER review_comment_removed AFTER DELETE ON review_comment
        REFERENCING OLD TABLE AS removed
        FOR EACH STATEMENT EXECUTE FUNCTION review_comment_count()",
];

/// Updates counts in primary key order, so two statements never deadlock.
fn postgres_function() -> String {
    let changes = |table: &str, by: i64| {
        format!(
            "SELECT bucket.*, {by} AS comments FROM {table} CROSS JOIN LATERAL
                (VALUES {}) AS bucket (list, owner_id, bucket)",
            buckets(table, "")
        )
    };
    let apply = |changes: &str| {
        format!(
            "INSERT INTO comment_count (list, owner_id, bucket, comments)
             SELECT list, owner_id, bucket, SUM(comments) FROM ({changes}) AS change
             GROUP BY list, owner_id, bucket HAVING SUM(comments) <> 0
             ORDER BY list COLLATE \"C\", owner_id, bucket
             ON CONFLICT (list, owner_id, bucket) DO UPDATE
             SET comments = comment_count.comments + EXCLUDED.comments;"
        )
    };
    let (added, removed) = (changes("added", 1), changes("removed", -1));
    format!(
        "CREATE FUNCTION review_comment_count() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'INSERT' THEN
                {}
                RETURN NULL;
            ELSIF TG_OP = 'UPDATE' THEN
                {}
            ELSE
                {}
            END IF;
            DELETE FROM comment_count WHERE comments = 0 AND (list, owner_id, bucket) IN
                (SELECT list, owner_id, bucket FROM ({removed}) AS change);
            RETURN NULL;
        END $$",
        apply(&added),
        apply(&format!("{added} UNION ALL {removed}")),
        apply(&removed),
    )
}
