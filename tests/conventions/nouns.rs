//! The order of the rooms of `crates/forge`, and circles between rooms.
//!
//! A room is a module at the top of a crate. In `crates/forge`, most are the nouns of the API.
//! The `operations` of a noun are a room of their own: nothing but the router uses them, and they
//! may use everything.

use std::collections::{BTreeMap, BTreeSet};

use crate::architecture::{files, imports};

/// The rooms of `crates/forge`. Each may use those above it in this list.
const FORGE: &[&str] = &[
    // What every noun uses.
    "explain",
    "globs",
    "nearest",
    "node_id",
    "urls",
    "markup",
    "views",
    "access",
    "outbound",
    "faults",
    "journal",
    "tools",
    "events",
    "app",
    "tokens",
    "notifications",
    // The nouns.
    "accounts",
    "repositories",
    "git_objects",
    "git_refs",
    "commits",
    "contents",
    "statuses",
    "checks",
    "labels",
    "assignees",
    "issue_fields",
    "issue_field_values",
    "issues",
    "comments",
    "pulls",
    "reactions",
    "issue_comments",
    "review_comments",
    "reviews",
    "pushes",
    "git_transport",
    "projects",
    "project_fields",
    "project_items",
    "apps",
    "installations",
    "lookups",
    // What is made of the changes of all nouns, and the router.
    "webhooks",
    "router",
];

/// The room of a file: `labels` of `forge/labels/rules.rs`, `labels::operations` of
/// `forge/labels/operations.rs`.
fn room(file: &str) -> String {
    let path = file.split_once('/').map_or(file, |(_, path)| path);
    let mut parts = path.trim_end_matches(".rs").split('/');
    let top = parts.next().unwrap_or_default();
    match parts.next() {
        Some("operations") => format!("{top}::operations"),
        _ => top.to_owned(),
    }
}

/// The paths that a file names with as many `super` as lead to the root of its crate.
fn above(file: &str, code: &str) -> Vec<String> {
    let prefix = "super::".repeat(file.matches('/').count());
    let starts = code.match_indices(&prefix).filter(|(start, _)| {
        let before = code[..*start].chars().next_back();
        before.is_none_or(|character| !character.is_alphanumeric() && !"_:".contains(character))
    });
    let after = starts.map(|(start, _)| format!("crate::{}", &code[start + prefix.len()..]));
    after
        .flat_map(|rest| imports(&rest).into_iter().take(1))
        .collect()
}

/// The rooms of each crate, with those that they use.
fn rooms() -> BTreeMap<String, BTreeMap<String, BTreeSet<String>>> {
    let mut crates: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (file, code) in files() {
        let name = file.split('/').next().unwrap_or_default().to_owned();
        let own = room(&file);
        let used = crates
            .entry(name)
            .or_default()
            .entry(own.clone())
            .or_default();
        let targets = imports(&code).into_iter().chain(above(&file, &code));
        let top = |path: String| path.split("::").next().unwrap_or_default().to_owned();
        let is_room = |room: &String| *room != own && room.starts_with(char::is_lowercase);
        used.extend(targets.map(top).filter(is_room));
    }
    crates
}

#[test]
fn the_rooms_of_the_forge_use_only_those_above_them() {
    let rooms = rooms();
    let rank = |room: &str| FORGE.iter().position(|listed| *listed == room);
    let mut found = Vec::new();
    for (own, used) in &rooms["forge"] {
        if own == "lib" || own.ends_with("::operations") {
            continue;
        }
        let Some(own_rank) = rank(own) else {
            found.push(format!("{own} is not listed"));
            continue;
        };
        let below = used
            .iter()
            .filter(|used| rank(used).is_none_or(|rank| rank > own_rank));
        found.extend(below.map(|used| format!("{own} uses {used}")));
    }
    assert_eq!(found, Vec::<String>::new());
    let unused: Vec<_> = FORGE
        .iter()
        .filter(|room| !rooms["forge"].contains_key(**room))
        .collect();
    assert_eq!(unused, Vec::<&&str>::new());
}

/// The rooms that reach themselves through others.
fn circles(rooms: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let reached = |from: &str| {
        let mut found = BTreeSet::new();
        let mut next: Vec<&str> = vec![from];
        while let Some(room) = next.pop() {
            for used in rooms.get(room).into_iter().flatten() {
                if found.insert(used.as_str()) {
                    next.push(used);
                }
            }
        }
        found
    };
    let in_circle = |room: &&String| reached(room).contains(room.as_str());
    rooms.keys().filter(in_circle).cloned().collect()
}

/// The crates that still have circles. A crate leaves the list when its last one is gone.
const WITH_CIRCLES: [&str; 1] = ["world"];

#[test]
fn no_rooms_use_each_other_in_a_circle() {
    let rooms = rooms();
    let found: Vec<_> = rooms
        .iter()
        .filter(|(name, _)| !WITH_CIRCLES.contains(&name.as_str()))
        .flat_map(|(name, rooms)| {
            circles(rooms)
                .into_iter()
                .map(move |room| format!("{name}::{room}"))
        })
        .collect();
    assert_eq!(found, Vec::<String>::new());
    let straight: Vec<_> = WITH_CIRCLES
        .iter()
        .filter(|name| circles(&rooms[**name]).is_empty())
        .collect();
    assert_eq!(straight, Vec::<&&str>::new());
}

#[test]
fn a_circle_is_found() {
    let rooms = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")];
    let rooms = rooms.map(|(own, used)| (own.to_owned(), BTreeSet::from([used.to_owned()])));
    assert_eq!(circles(&BTreeMap::from(rooms)), ["b", "c"]);
}
