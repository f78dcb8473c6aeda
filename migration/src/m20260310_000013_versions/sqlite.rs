//! Row-level triggers for SQLite. SQLite has a single writer, so increasing a version
//! several times in a transaction is cheap.
//!
//! `REPLACE` deletes conflicting rows without firing their triggers, so a trigger before
//! the insert finds them.

use sea_orm_migration::prelude::{ConnectionTrait, DbErr, SchemaManager};
use sea_orm_migration::sea_orm::Statement;

use crate::aggregates::Link;

/// The columns of a unique key.
pub type UniqueKey = Vec<String>;

/// The trigger events.
const EVENTS: [&str; 5] = ["insert", "update", "delete", "replacing", "moving"];

pub fn up(table: &str, links: &[&Link], keys: &[UniqueKey]) -> Vec<String> {
    let links = || links.iter().copied();
    let each = |statement: fn(&Link) -> String| links().map(statement).collect::<String>();
    let on_insert: String = links().filter(|link| !is_root(link)).map(new).collect();
    let replaced = keys
        .iter()
        .map(|key| equal(key))
        .collect::<Vec<_>>()
        .join(" OR ");
    let replaced = format!("{table} AS replaced WHERE {replaced}");
    let on_replacing: String = links().map(|link| gone(link, &replaced)).collect();
    let mut columns: Vec<&str> = keys.iter().flatten().map(String::as_str).collect();
    columns.sort_unstable();
    columns.dedup();
    let moving = format!("BEFORE UPDATE OF {}", columns.join(", "));
    let bodies = [
        ("insert", "AFTER INSERT", on_insert),
        ("update", "AFTER UPDATE", each(updated) + &each(moved)),
        ("delete", "AFTER DELETE", each(old)),
        ("replacing", "BEFORE INSERT", on_replacing.clone()),
        ("moving", &moving, on_replacing),
    ];
    bodies
        .into_iter()
        .filter(|(.., body)| !body.is_empty())
        .map(|(event, when, body)| {
            let condition = match event {
                "replacing" | "moving" => format!("WHEN EXISTS (SELECT 1 FROM {replaced})"),
                _ => String::new(),
            };
            let name = name(table, event);
            format!("CREATE TRIGGER {name} {when} ON {table} {condition} BEGIN {body} END")
        })
        .collect()
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

fn is_root(link: &Link) -> bool {
    matches!(link, Link::Root(_))
}

fn new(link: &Link) -> String {
    increase(link, &link.id("NEW"), "WHERE TRUE")
}

fn old(link: &Link) -> String {
    increase(link, &link.id("OLD"), "WHERE TRUE")
}

fn updated(link: &Link) -> String {
    let Link::Columns(_, aggregate, columns) = link else {
        return new(link);
    };
    let columns = ["id", *aggregate]
        .into_iter()
        .chain(columns.iter().copied());
    let differ: Vec<_> = columns
        .map(|column| format!("OLD.{column} IS NOT NEW.{column}"))
        .collect();
    let differ = format!("WHERE {}", differ.join(" OR "));
    increase(link, &link.id("NEW"), &differ)
}

/// The aggregate that a row moves out of.
fn moved(link: &Link) -> String {
    let (old, new) = (link.id("OLD"), link.id("NEW"));
    if old == new {
        return String::new();
    }
    increase(link, &old, &format!("WHERE {old} IS NOT {new}"))
}

/// The aggregate of a row that `REPLACE` deletes.
fn gone(link: &Link, replaced: &str) -> String {
    increase(link, &link.id("replaced"), &format!("FROM {replaced}"))
}

/// The condition that a row has the same key as the new one.
fn equal(key: &[String]) -> String {
    let columns = key.iter();
    let equal = columns.map(|column| format!("replaced.{column} = NEW.{column}"));
    format!("({})", equal.collect::<Vec<_>>().join(" AND "))
}

/// An id is NULL if the referenced row is already deleted; the trigger of that row has
/// increased the version.
fn increase(link: &Link, id: &str, rows: &str) -> String {
    let kind = link.number();
    format!(
        "INSERT INTO version (kind, id, n)
            SELECT kind, id, 1 FROM (SELECT {kind} AS kind, {id} AS id {rows})
            WHERE id IS NOT NULL
            ON CONFLICT (kind, id) DO UPDATE SET n = n + 1;\n"
    )
}
