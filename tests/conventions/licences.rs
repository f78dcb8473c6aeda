//! Every dependency has a permissive licence.

use std::process::Command;

use serde_json::Value;

/// Licences that require only a notice. MPL-2.0 requires more, but only for changes to its own
/// files.
const ALLOWED: [&str; 16] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// Crates that declare no SPDX expression, but whose licence file has been reviewed.
const REVIEWED: [&str; 1] = [
    // MIT
    "jsonpath-rust",
];

#[test]
fn every_dependency_has_an_allowed_licence() {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--filter-platform=x86_64-unknown-linux-gnu",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let used: Vec<_> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["id"].as_str().unwrap())
        .collect();
    let refused: Vec<_> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|package| used.contains(&package["id"].as_str().unwrap()))
        .filter(|package| !REVIEWED.contains(&package["name"].as_str().unwrap()))
        .filter(|package| !allows(package["license"].as_str().unwrap_or_default()))
        .map(|package| format!("{}: {}", package["name"], package["license"]))
        .collect();
    assert_eq!(refused, Vec::<String>::new());
    assert!(used.len() > 100, "only {} crates were checked", used.len());
}

/// Whether an SPDX expression of ORs and ANDs allows the use. Older crates write `/` for OR.
fn allows(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ").replace(['(', ')'], "");
    !expression.is_empty()
        && expression.split(" AND ").all(|part| {
            part.split(" OR ")
                .any(|name| ALLOWED.contains(&name.trim()))
        })
}

#[test]
fn spdx_expressions_are_evaluated() {
    assert!(allows("MIT OR Apache-2.0"));
    assert!(allows("MIT/Apache-2.0"));
    assert!(allows("(MIT OR GPL-3.0) AND Unicode-3.0"));
    assert!(!allows("GPL-3.0"));
    assert!(!allows("MIT AND GPL-3.0"));
    assert!(!allows(""));
}
