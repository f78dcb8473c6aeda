//! Which module may import which, as `docs/architecture.md` describes. Cargo decides which crate
//! may use which; the tests search every file for paths that begin with `crate::` and list those
//! that break a rule within a crate.

use std::path::{Path, PathBuf};

/// The crates, with the folder of each.
const CRATES: [(&str, &str); 7] = [
    ("contract", "crates/contract/src"),
    ("storage", "crates/storage/src"),
    ("git", "crates/git/src"),
    ("forge", "crates/forge/src"),
    ("world", "crates/world/src"),
    ("import", "crates/import/src"),
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
pub fn files() -> Vec<(String, String)> {
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
pub fn imports(code: &str) -> Vec<String> {
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

/// Whether a file belongs to a noun of `crates/forge`.
fn noun(file: &str) -> Option<&str> {
    file.strip_prefix("forge/")?.split(['/', '.']).next()
}

/// Rules are pure. Rows and views know nothing of each other, and nothing but an operation uses
/// operations.
#[test]
fn the_parts_of_a_noun_keep_to_their_task() {
    let mut found = Vec::new();
    for (file, code) in files() {
        let part = file
            .strip_prefix("forge/")
            .and_then(|rest| rest.split('/').nth(1));
        let others: &[&str] = match part {
            Some("rules.rs") => &[
                "super::rows",
                "super::view",
                "sea_orm",
                "async fn",
                "Database",
            ],
            Some("rows.rs") => &["super::view", ".begin("],
            Some("view.rs") => &["super::rules", "super::rows", "sea_orm::"],
            _ => &[],
        };
        for other in others.iter().filter(|other| code.contains(**other)) {
            found.push(format!("{file} names {other}"));
        }
        if noun(&file).is_some() && !file.contains("/operations") && code.contains("::operations::")
        {
            found.push(format!("{file} uses operations"));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

/// Operations begin the transactions of a noun. Outside the nouns, only the listed modules do.
#[test]
fn no_other_module_begins_a_transaction() {
    let allowed = |file: &str| {
        file.starts_with("storage/database")
            || file.starts_with("world/load")
            || file.starts_with("forge/tokens")
            || file.starts_with("forge/webhooks")
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
