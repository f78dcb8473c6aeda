//! Triggers of SQLite, for each row: there is one writer, so a version that is
//! increased several times in a transaction costs little.

use crate::aggregates::Link;

const EVENTS: [&str; 3] = ["insert", "update", "delete"];

pub fn up(table: &str, links: &[Link]) -> Vec<String> {
    EVENTS
        .iter()
        .filter_map(|event| {
            let body: String = match *event {
                "insert" => links
                    .iter()
                    .filter(|link| !is_root(link))
                    .map(new)
                    .collect(),
                "update" => links.iter().map(|link| new(link) + &moved(link)).collect(),
                _ => links.iter().map(old).collect(),
            };
            let name = name(table, event);
            (!body.is_empty())
                .then(|| format!("CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN {body} END"))
        })
        .collect()
}

pub fn down(table: &str) -> Vec<String> {
    EVENTS
        .iter()
        .map(|event| format!("DROP TRIGGER IF EXISTS {}", name(table, event)))
        .collect()
}

fn name(table: &str, event: &str) -> String {
    format!("version_of_{table}_on_{event}")
}

fn is_root(link: &Link) -> bool {
    matches!(link, Link::Root(_))
}

fn new(link: &Link) -> String {
    increase(link, &link.id("NEW"), "TRUE")
}

fn old(link: &Link) -> String {
    increase(link, &link.id("OLD"), "TRUE")
}

/// The aggregate that a row leaves.
fn moved(link: &Link) -> String {
    let (old, new) = (link.id("OLD"), link.id("NEW"));
    if old == new {
        return String::new();
    }
    increase(link, &old, &format!("{old} IS NOT {new}"))
}

/// An id is NULL where a row goes together with the one that leads to its aggregate,
/// whose own trigger has increased the version by then.
fn increase(link: &Link, id: &str, condition: &str) -> String {
    let kind = link.number();
    format!(
        "INSERT INTO version (kind, id, n) SELECT {kind}, {id}, 1
            WHERE {condition} AND {id} IS NOT NULL
            ON CONFLICT (kind, id) DO UPDATE SET n = n + 1;\n"
    )
}
