//! How many comments stand in each stretch of a list, kept by triggers: whoever
//! writes or removes a comment, by whatever way, the numbers are right.
//!
//! A stretch begins at a place of the list's order and ends where the next one
//! begins. One that grows beyond `FULL` is split; one that becomes empty is
//! removed, and what comes there later belongs to the one before it.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::{Dialect, drop_tables, run};

mod postgres;
mod sqlite;

/// Comments of a stretch beyond which it is split.
const FULL: i64 = 1024;

/// Comments that stay in the first part. Most comments are added at the end of a
/// list, where the second part goes on growing.
const KEPT: i64 = 768;

/// Before every id and every time.
const FIRST: i64 = -4_611_686_018_427_387_904;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(manager, &[&table(&dialect)]).await?;
        let statements = match manager.get_database_backend() {
            DbBackend::Postgres => postgres::up(),
            _ => sqlite::up(),
        };
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        run(manager, &statements).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let statements = match manager.get_database_backend() {
            DbBackend::Postgres => postgres::DOWN.as_slice(),
            _ => sqlite::DOWN.as_slice(),
        };
        run(manager, statements).await?;
        drop_tables(manager, &["comment_block"]).await
    }
}

fn table(dialect: &Dialect) -> String {
    let Dialect {
        int, key, keyed, ..
    } = dialect;
    let names: Vec<String> = LISTS
        .iter()
        .map(|list| format!("'{}'", list.name))
        .collect();
    let names = names.join(", ");
    format!(
        "CREATE TABLE comment_block (
            list {key} NOT NULL CHECK (list IN ({names})),
            owner_id {int} NOT NULL,
            first_key {int} NOT NULL,
            first_id {int} NOT NULL,
            comments {int} NOT NULL CHECK (comments >= 0),
            PRIMARY KEY (list, owner_id, first_key, first_id)
        ) {keyed}"
    )
}

/// A list: whose comments, and in which order.
struct List {
    name: &'static str,
    /// The column that says to whose list a comment belongs.
    owner: &'static str,
    /// The column by which it is ordered; ids are unique, times are not.
    key: &'static str,
}

const LISTS: [List; 6] = [
    List::new("repository_by_id", "repository_id", "id"),
    List::new("repository_by_created", "repository_id", "created_at"),
    List::new("repository_by_updated", "repository_id", "updated_at"),
    List::new("pull_by_id", "pull_id", "id"),
    List::new("pull_by_created", "pull_id", "created_at"),
    List::new("pull_by_updated", "pull_id", "updated_at"),
];

impl List {
    const fn new(name: &'static str, owner: &'static str, key: &'static str) -> Self {
        Self { name, owner, key }
    }

    fn by_time(&self) -> bool {
        self.key != "id"
    }

    /// What orders comments with the same key.
    fn tie(&self, row: &str) -> String {
        if self.by_time() {
            format!("{row}.id")
        } else {
            "0".to_owned()
        }
    }

    /// The query for the start of the second part of a stretch that is split,
    /// in columns of `comment_block`. `stretch` is the row to split.
    fn second_part(&self, stretch: &str) -> String {
        let List { name, owner, key } = self;
        let tie = self.tie("comment");
        let (from, order) = if self.by_time() {
            let from =
                format!("(comment.{key}, comment.id) >= ({stretch}.first_key, {stretch}.first_id)");
            (from, format!("comment.{key}, comment.id"))
        } else {
            let from = format!("comment.id >= {stretch}.first_key");
            (from, "comment.id".to_owned())
        };
        format!(
            "SELECT '{name}', comment.{owner}, comment.{key}, {tie}, {stretch}.comments - {KEPT}
             FROM review_comment AS comment
             WHERE comment.{owner} = {stretch}.owner_id AND {from}
             ORDER BY {order} LIMIT 1 OFFSET {KEPT}"
        )
    }
}
