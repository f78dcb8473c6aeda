//! Row-level triggers for SQLite. SQLite has a single writer, so increasing a version
//! several times in a transaction is cheap.
//!
//! `REPLACE` deletes conflicting rows without firing their triggers, so a trigger before
//! the insert finds them. `UPDATE OR REPLACE` changes the global version instead: it is rare.

use std::collections::BTreeSet;

use sea_orm_migration::prelude::{ConnectionTrait, DbErr, SchemaManager};
use sea_orm_migration::sea_orm::Statement;

use crate::aggregates::{Kind, Link};

/// The columns of a unique key.
pub type UniqueKey = Vec<String>;

/// The trigger events.
const EVENTS: [&str; 5] = ["insert", "update", "delete", "replacing", "moving"];

/// Other names of the column `id`.
const ROWID: [&str; 3] = ["rowid", "oid", "_rowid_"];

pub fn up(table: &str, links: &[&Link], keys: &[UniqueKey]) -> Vec<String> {
    let each = |statement: &dyn Fn(&Link) -> String| {
        let statements = links.iter().map(|link| statement(link));
        statements.collect::<String>()
    };
    let replaced = keys.iter().map(|key| format!("({})", equal(table, key)));
    let replaced = replaced.collect::<Vec<_>>().join(" OR ");
    let replacing = format!("WHEN EXISTS (SELECT 1 FROM {table} WHERE {replaced})");
    let columns: BTreeSet<&str> = keys.iter().flatten().map(String::as_str).collect();
    let columns: Vec<&str> = columns.into_iter().chain(ROWID).collect();
    let moving = format!("BEFORE UPDATE OF {}", columns.join(", "));
    let conflicts: Vec<_> = keys.iter().map(|key| conflict(table, key)).collect();
    let conflicts = format!("WHEN {}", conflicts.join(" OR "));
    let triggers = [
        ("insert", "AFTER INSERT", "", each(&inserted)),
        (
            "update",
            "AFTER UPDATE",
            "",
            each(&updated) + &each(&moved_out),
        ),
        ("delete", "AFTER DELETE", "", each(&|link| row(link, "OLD"))),
        (
            "replacing",
            "BEFORE INSERT",
            &replacing,
            each(&|link| deleted(link, table, &replaced)),
        ),
        (
            "moving",
            &moving,
            &conflicts,
            row(&Link::All(Kind::Everything), "NEW"),
        ),
    ];
    let triggers = triggers.into_iter().filter(|(.., body)| !body.is_empty());
    let triggers = triggers.map(|(event, when, condition, body)| {
        let name = name(table, event);
        format!("CREATE TRIGGER {name} {when} ON {table} {condition} BEGIN {body} END")
    });
    triggers.collect()
}

pub fn down(table: &str) -> Vec<String> {
    EVENTS
        .iter()
        .map(|event| format!("DROP TRIGGER IF EXISTS {}", name(table, event)))
        .collect()
}

/// The unique keys of a table, including the primary key.
pub async fn unique_keys(
    manager: &SchemaManager<'_>,
    table: &str,
) -> Result<Vec<UniqueKey>, DbErr> {
    let sql = format!(
        "SELECT indexed.name AS key, columns.name AS part
            FROM pragma_index_list('{table}') AS indexed
            JOIN pragma_index_info(indexed.name) AS columns WHERE indexed.\"unique\"
         UNION ALL SELECT 'rowid', name FROM pragma_table_info('{table}')
            WHERE pk = 1 AND name = 'id'"
    );
    let backend = manager.get_database_backend();
    let connection = manager.get_connection();
    let rows = connection.query_all_raw(Statement::from_string(backend, sql));
    let mut keys: Vec<(String, UniqueKey)> = Vec::new();
    for row in rows.await? {
        let (key, part): (String, String) = (row.try_get("", "key")?, row.try_get("", "part")?);
        match keys.last_mut() {
            Some((last, parts)) if *last == key => parts.push(part),
            _ => keys.push((key, vec![part])),
        }
    }
    Ok(keys.into_iter().map(|(_, parts)| parts).collect())
}

fn name(table: &str, event: &str) -> String {
    format!("version_of_{table}_on_{event}")
}

/// The aggregate that a new row belongs to.
fn inserted(link: &Link) -> String {
    match link {
        Link::Root(_) => String::new(),
        _ => row(link, "NEW"),
    }
}

/// The aggregate that a changed row belongs to.
fn updated(link: &Link) -> String {
    let Link::Columns(_, aggregate, columns) = link else {
        return row(link, "NEW");
    };
    let columns = ["id", *aggregate]
        .into_iter()
        .chain(columns.iter().copied());
    let differ: Vec<_> = columns.map(differs).collect();
    row_if(link, "NEW", &differ.join(" OR "))
}

/// The aggregate that a row leaves.
fn moved_out(link: &Link) -> String {
    match link {
        Link::Root(_) => row_if(link, "OLD", &differs("id")),
        Link::Column(_, column) | Link::Columns(_, column, _) | Link::Through(_, column, ..) => {
            row_if(link, "OLD", &differs(column))
        }
        Link::All(_) => String::new(),
    }
}

fn differs(column: &str) -> String {
    format!("OLD.{column} IS NOT NEW.{column}")
}

/// The aggregate of a row. For `Link::Through` there is none if the row that it leads to was
/// deleted before; the trigger of that row has increased the version.
fn row(link: &Link, row: &str) -> String {
    let kind = link.number();
    increase(&match link {
        Link::Through(_, column, table, there) => {
            format!("SELECT {kind}, {there}, 1 FROM {table} WHERE id = {row}.{column}")
        }
        _ => format!("VALUES ({kind}, {}, 1)", link.id(row)),
    })
}

fn row_if(link: &Link, row: &str, condition: &str) -> String {
    let kind = link.number();
    increase(&match link {
        Link::Through(_, column, table, there) => format!(
            "SELECT {kind}, {there}, 1 FROM {table} WHERE id = {row}.{column} AND ({condition})"
        ),
        _ => format!("SELECT {kind}, {}, 1 WHERE {condition}", link.id(row)),
    })
}

/// The aggregates of the rows that `REPLACE` deletes.
fn deleted(link: &Link, table: &str, replaced: &str) -> String {
    let kind = link.number();
    increase(&match link {
        Link::Through(_, column, parent, there) => format!(
            "SELECT {kind}, {parent}.{there}, 1 FROM {table}
             JOIN {parent} ON {parent}.id = {table}.{column} WHERE {replaced}"
        ),
        _ => format!(
            "SELECT {kind}, {}, 1 FROM {table} WHERE {replaced}",
            link.id(table)
        ),
    })
}

/// The condition that another row has the same key as an updated one, so that only
/// `UPDATE OR REPLACE` succeeds. It may be met by mistake if the key is a partial index.
fn conflict(table: &str, key: &[String]) -> String {
    let differ: Vec<_> = key.iter().map(|column| differs(column)).collect();
    let (differ, equal) = (differ.join(" OR "), equal(table, key));
    format!("({differ}) AND EXISTS (SELECT 1 FROM {table} WHERE {equal})")
}

/// The condition that a row has the same key as the new one.
fn equal(table: &str, key: &[String]) -> String {
    let columns = key.iter();
    let equal = columns.map(|column| format!("{table}.{column} = NEW.{column}"));
    equal.collect::<Vec<_>>().join(" AND ")
}

/// Increases the versions of aggregates; `rows` gives the kind and the id of each, and 1. Every
/// connection parses and keeps all triggers, so they are short.
fn increase(rows: &str) -> String {
    format!("INSERT INTO version (kind, id, n) {rows} ON CONFLICT DO UPDATE SET n = n + 1; ")
}
