//! Statement-level triggers for PostgreSQL: a statement that writes many rows of an
//! aggregate increases its version once.
//!
//! A version is at least the time in microseconds. So a replica that is promoted without
//! the last commits never reuses a version that a cache has seen.

use crate::aggregates::Link;

const MICROSECONDS: &str = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";

struct Event {
    name: &'static str,
    /// The clause that names the transition tables.
    transition: &'static str,
    /// The changed rows, in SQL.
    rows: &'static str,
}

const EVENTS: [Event; 3] = [
    Event {
        name: "insert",
        transition: "REFERENCING NEW TABLE AS new_rows",
        rows: "new_rows",
    },
    Event {
        name: "update",
        transition: "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows",
        rows: "(SELECT * FROM old_rows UNION ALL SELECT * FROM new_rows)",
    },
    Event {
        name: "delete",
        transition: "REFERENCING OLD TABLE AS old_rows",
        rows: "old_rows",
    },
];

pub fn up(table: &str, links: &[&Link]) -> Vec<String> {
    let mut statements = Vec::new();
    for event in &EVENTS {
        let links: Vec<&Link> = links
            .iter()
            .copied()
            .filter(|link| event.name != "insert" || !matches!(link, Link::Root(_)))
            .collect();
        if !links.is_empty() {
            let function = function(table, event.name);
            let changed: Vec<String> = links.iter().map(|link| changed(link, event)).collect();
            statements.push(increase(&function, &changed.join(" UNION ")));
            statements.push(trigger(table, event.name, event.transition, &function));
        }
    }
    let function = function(table, "truncate");
    statements.push(increase(&function, "SELECT 0 AS kind, 0 AS id"));
    statements.push(trigger(table, "truncate", "", &function));
    statements
}

pub fn down(table: &str) -> Vec<String> {
    let events = EVENTS.iter().map(|event| event.name).chain(["truncate"]);
    events
        .map(|event| {
            let function = function(table, event);
            format!("DROP FUNCTION IF EXISTS {function}() CASCADE")
        })
        .collect()
}

fn function(table: &str, event: &str) -> String {
    format!("version_of_{table}_on_{event}")
}

fn trigger(table: &str, event: &str, transition: &str, function: &str) -> String {
    format!(
        "CREATE TRIGGER {function} AFTER {event} ON {table} {transition}
            FOR EACH STATEMENT EXECUTE FUNCTION {function}()"
    )
}

/// The aggregates of one kind that an event changes.
fn changed(link: &Link, event: &Event) -> String {
    let (kind, id) = (link.number(), link.id("changed_row"));
    let rows = match link {
        Link::Columns(_, column, columns) if event.name == "update" => differing(column, columns),
        _ => event.rows.to_owned(),
    };
    format!("SELECT {kind} AS kind, {id} AS id FROM {rows} AS changed_row")
}

/// The rows in which an update changes one of these columns, before and after the update.
fn differing(aggregate: &str, columns: &[&str]) -> String {
    let columns = format!("id, {aggregate}, {}", columns.join(", "));
    let [old, new] = ["old_rows", "new_rows"].map(|rows| format!("SELECT {columns} FROM {rows}"));
    format!("(({old} EXCEPT {new}) UNION ALL ({new} EXCEPT {old}))")
}

/// Locks rows in a fixed order, so that two statements never deadlock. An id is NULL if the
/// referenced row is deleted in the same statement; the trigger of that row increases the
/// version.
fn increase(function: &str, changed: &str) -> String {
    format!(
        "CREATE FUNCTION {function}() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO version (kind, id, n)
                SELECT kind, id, {MICROSECONDS}
                FROM (SELECT DISTINCT kind, id FROM ({changed}) AS changed) AS aggregate
                WHERE id IS NOT NULL ORDER BY kind, id
                ON CONFLICT (kind, id) DO UPDATE SET n = GREATEST(version.n + 1, EXCLUDED.n);
            RETURN NULL;
        END $$"
    )
}
