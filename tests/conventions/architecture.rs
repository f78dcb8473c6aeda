//! Which module may import which, as `docs/architecture.md` describes. The tests search every
//! file for paths that begin with `crate::` and list those that break a rule.

use std::path::{Path, PathBuf};

/// Every Rust file of the service: its path below `src` and its text.
pub fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    collect(&root, &mut found);
    found
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.strip_prefix(&root).unwrap().to_string_lossy();
            (name.into_owned(), text)
        })
        .collect()
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
fn the_contract_imports_no_other_module() {
    let found = violations(|file, _| is_within(file, "contract"));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn no_area_imports_another() {
    let found = violations(|file, import| {
        let Some(own) = file
            .strip_prefix("areas/")
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
fn areas_do_not_import_the_web_the_command_line_or_the_world() {
    let found = violations(|file, import| {
        is_within(file, "areas") && ["web", "cli", "config", "world"].contains(&top(import))
    });
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn access_and_git_do_not_import_the_areas_or_higher_layers() {
    let found = violations(|file, import| {
        let below = is_within(file, "access") || is_within(file, "git");
        below && ["areas", "web", "cli", "config", "world", "app"].contains(&top(import))
    });
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn entities_import_no_other_module() {
    let found = violations(|file, _| is_within(file, "entities"));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn leaf_modules_import_at_most_the_contract_and_the_entities() {
    // Processes share their rate limit budgets through the database.
    let shared = |file: &str, import: &str| file == "limits.rs" && top(import) == "database";
    let leaves = [
        "clock.rs",
        "entropy.rs",
        "node_id.rs",
        "limits.rs",
        "urls.rs",
    ];
    let allowed = ["contract", "entities", "node_id"];
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
            .strip_prefix("areas/")
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
        file.starts_with("database")
            || file.starts_with("world/load")
            || file.starts_with("tokens")
            || file.starts_with("notify/")
            || file == "limits/ledger.rs"
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
