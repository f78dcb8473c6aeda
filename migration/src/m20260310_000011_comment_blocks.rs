//! How many comments stand in each stretch of a list, and in each section, which
//! is made of whole stretches, kept by triggers: whoever writes or removes a
//! comment, by whatever way, the numbers are right. Two levels, because a list of
//! a million comments has more than a thousand stretches, and adding them all up
//! would take longer than reading a page.
//!
//! A stretch begins at a place of the list's order and ends where the next one
//! begins, and so does a section, always with a stretch. A stretch that grows
//! beyond `FULL` is split, and so is a section of too many stretches. A stretch that
//! becomes empty is removed, and what comes there later belongs to the one before
//! it; a section goes with its last stretch. The first of a list comes with the
//! first comment and goes with the owner of the list, so that nobody has to ask
//! whether it is there.
//!
//! The comments of the last section are not counted, only those of its stretches.
//! Most comments are added there, and so change no more than one number of a list.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::{Dialect, drop_tables, run};

mod postgres;
mod sections;
mod sqlite;

/// Comments of a stretch beyond which it is split.
const FULL: i64 = 512;

/// Comments that stay in the first part. Most comments are added at the end of a
/// list, where the second part goes on growing.
const KEPT: i64 = 384;

/// Stretches of a section beyond which it is split, and those that stay.
const SECTION_FULL: i64 = 32;
const SECTION_KEPT: i64 = 24;

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
            level {int} NOT NULL CHECK (level IN ({STRETCH}, {SECTION})),
            first_key {int} NOT NULL,
            first_id {int} NOT NULL,
            comments {int} CHECK (comments >= 0),
            PRIMARY KEY (list, owner_id, level, first_key, first_id),
            CHECK (level = {SECTION} OR comments IS NOT NULL)
        ) {keyed}"
    )
}

/// The levels.
const STRETCH: i64 = 0;
const SECTION: i64 = 1;

/// The tables of those who have lists.
const OWNERS: [&str; 2] = ["repository", "pull"];

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

    fn belongs_to(&self, owner: &str) -> bool {
        self.owner.strip_suffix("_id") == Some(owner)
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
            "SELECT '{name}', comment.{owner}, {STRETCH}, comment.{key}, {tie},
                 {stretch}.comments - {KEPT}
             FROM review_comment AS comment
             WHERE comment.{owner} = {stretch}.owner_id AND {from}
             ORDER BY {order} LIMIT 1 OFFSET {KEPT}"
        )
    }
}
