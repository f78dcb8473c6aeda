//! Which module may import which, as `docs/architecture.md` describes. Cargo decides which crate
//! may use which; the tests search every file for paths that begin with `crate::` and list those
//! that break a rule within a crate.

use std::path::{Path, PathBuf};

/// The crates, with the folder of each.
const CRATES: [(&str, &str); 6] = [
    ("contract", "crates/contract/src"),
    ("storage", "crates/storage/src"),
    ("git", "crates/git/src"),
    ("forge", "crates/forge/src"),
    ("world", "crates/world/src"),
    ("server", "src"),
];

/// Every Rust file of the service: its crate and its path there, as in `forge/access.rs`, and its
/// text.
pub fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, folder) in CRATES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut paths = Vec::new();
        collect(&root, &mut paths);
        found.extend(paths.into_iter().map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let file = path.strip_prefix(&root).unwrap().display();
            (format!("{name}/{file}"), text)
        }));
    }
    found
}

/// The code of every file, without comments and unit tests.
fn files() -> Vec<(String, String)> {
    sources()
        .into_iter()
        .map(|(name, text)| {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let lines = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            (name, lines.collect::<Vec<_>>().join("\n"))
        })
        .collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The paths in this crate that a piece of code names: `contract::call`, `areas::git_refs`,
/// `clock`.
fn imports(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices("crate::") {
        let rest = &code[start + "crate::".len()..];
        let path: String = rest
            .chars()
            .take_while(|character| character.is_alphanumeric() || "_:".contains(*character))
            .collect();
        if let Some(names) = rest.strip_prefix('{') {
            let list = names.split('}').next().unwrap_or_default();
            found.extend(list.split(',').map(|name| name.trim().to_owned()));
        } else {
            found.push(path.trim_end_matches(':').to_owned());
        }
    }
    found
}

fn violations(breaks: impl Fn(&str, &str) -> bool) -> Vec<String> {
    files()
        .iter()
        .flat_map(|(file, code)| {
            imports(code)
                .into_iter()
                .filter(|import| breaks(file, import))
                .map(|import| format!("{file} imports {import}"))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Whether a file belongs to a module: `contract.rs`, or a file below `contract/`.
fn is_within(file: &str, module: &str) -> bool {
    let rest = file.strip_prefix(module);
    rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

fn top(import: &str) -> &str {
    import.split("::").next().unwrap_or_default()
}

#[test]
fn no_area_imports_another() {
    let found = violations(|file, import| {
        let Some(own) = file
            .strip_prefix("forge/areas/")
            .and_then(|rest| rest.split(['/', '.']).next())
        else {
            return false;
        };
        let mut parts = import.split("::");
        parts.next() == Some("areas") && parts.next().is_some_and(|area| area != own)
    });
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn access_does_not_import_the_areas_or_the_app() {
    let found = violations(|file, import| {
        is_within(file, "forge/access") && ["areas", "app"].contains(&top(import))
    });
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn entities_import_no_other_module() {
    let found = violations(|file, _| is_within(file, "storage/entities"));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn leaf_modules_import_at_most_other_leaves() {
    // Processes share their rate limit budgets through the database.
    let shared =
        |file: &str, import: &str| file == "storage/limits.rs" && top(import) == "database";
    let leaves = [
        "storage/clock.rs",
        "storage/entropy.rs",
        "storage/limits.rs",
        "forge/node_id.rs",
        "forge/urls.rs",
    ];
    let allowed = ["entities", "node_id"];
    let found = violations(|file, import| {
        leaves.contains(&file) && !allowed.contains(&top(import)) && !shared(file, import)
    });
    assert_eq!(found, Vec::<String>::new());
}

/// Within an area, rules, store and view do not import each other, and rules are pure.
#[test]
fn the_parts_of_an_area_do_not_import_each_other() {
    let mut found = Vec::new();
    for (file, code) in files() {
        let Some(part) = file
            .strip_prefix("forge/areas/")
            .and_then(|rest| rest.split('/').nth(1))
        else {
            continue;
        };
        let others: &[&str] = match part {
            "rules.rs" => &[
                "super::store",
                "super::view",
                "sea_orm",
                "async fn",
                "Database",
            ],
            "store.rs" => &["super::rules", "super::view", ".begin("],
            "view.rs" => &["super::rules", "super::store", "sea_orm::"],
            _ => &[],
        };
        for other in others.iter().filter(|other| code.contains(**other)) {
            found.push(format!("{file} names {other}"));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

/// Within an area, only its operations begin transactions. Outside the areas, only the listed
/// modules do.
#[test]
fn no_other_module_begins_a_transaction() {
    let allowed = |file: &str| {
        file.starts_with("storage/database")
            || file.starts_with("world/load")
            || file.starts_with("forge/tokens")
            || file.starts_with("forge/notify/")
            || file == "storage/limits/ledger.rs"
            || file.ends_with("operations.rs")
            || file.contains("/operations/")
    };
    let found: Vec<_> = files()
        .into_iter()
        .filter(|(file, code)| code.contains("db.begin(") && !allowed(file))
        .map(|(file, _)| file)
        .collect();
    assert_eq!(found, Vec::<String>::new());
}
