//! Compares the contract with `openapi/`, and fails the build with one line per difference. If
//! OPENAPI_BLESS is set, it rewrites the YAML instead.
//!
//! Also determines the commit for `forgewright --version`.

use std::path::Path;
use std::process::{Command, ExitCode};

use contract::document::{drift, yaml};
use serde_json::Value;

#[allow(
    clippy::disallowed_methods,
    reason = "Cargo passes settings to build scripts in environment variables"
)]
fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=openapi");
    println!("cargo::rerun-if-env-changed=OPENAPI_BLESS");
    let version = env!("CARGO_PKG_VERSION");
    match commit() {
        Some(commit) => println!("cargo::rustc-env=FORGEWRIGHT_VERSION={version} ({commit})"),
        None => println!("cargo::rustc-env=FORGEWRIGHT_VERSION={version}"),
    }
    let documents = [
        ("openapi/service.yaml", contract::service()),
        ("openapi/companion.yaml", contract::companion()),
        ("openapi/control.yaml", contract::control()),
    ];
    let results = if std::env::var_os("OPENAPI_BLESS").is_some() {
        documents.map(|(path, derived)| rewrite(Path::new(path), derived))
    } else {
        documents.map(|(path, derived)| check(Path::new(path), derived))
    };
    let mut clean = true;
    for message in results.into_iter().filter_map(Result::err).flatten() {
        println!("cargo::error={message}");
        clean = false;
    }
    if clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn rewrite(path: &Path, derived: &Value) -> Result<(), Vec<String>> {
    let failed = |cause: &dyn std::fmt::Display| vec![format!("{}: {cause}", path.display())];
    let text = yaml::write(derived).map_err(|cause| failed(&cause))?;
    // Writing an identical file would make the build stale again.
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    std::fs::write(path, text).map_err(|cause| failed(&cause))
}

fn check(path: &Path, derived: &Value) -> Result<(), Vec<String>> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|cause| {
        vec![format!(
            "{shown} cannot be read ({cause}); build with OPENAPI_BLESS=1 to rewrite it"
        )]
    })?;
    let written = yaml::read(&text).map_err(|cause| vec![format!("{shown}: {cause}")])?;
    let found = drift::differences(&written, derived);
    if found.is_empty() {
        return Ok(());
    }
    let count = found.len();
    let summary = format!(
        "{shown} and crates/contract differ in {count} place(s); build with OPENAPI_BLESS=1 to rewrite the YAML"
    );
    let lines = found
        .iter()
        .map(|difference| format!("{shown}: {difference}"));
    Err(std::iter::once(summary).chain(lines).collect())
}

/// The abbreviated commit hash, from FORGEWRIGHT_COMMIT, from the file that `cargo package`
/// writes, or from Git. A debug build does not ask Git: it would become stale with every
/// commit.
#[allow(
    clippy::disallowed_methods,
    reason = "Cargo passes settings to build scripts in environment variables"
)]
fn commit() -> Option<String> {
    println!("cargo::rerun-if-env-changed=FORGEWRIGHT_COMMIT");
    let named = std::env::var("FORGEWRIGHT_COMMIT").ok();
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let found = || commit_of_package().or_else(|| is_release.then(commit_of_tree).flatten());
    let commit = named.or_else(found)?;
    let is_hash = commit.len() >= 10 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| commit[..10].to_ascii_lowercase())
}

fn commit_of_package() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let info: Value = serde_json::from_str(&text).ok()?;
    info["git"]["sha1"].as_str().map(str::to_owned)
}

fn commit_of_tree() -> Option<String> {
    // Ignore a Git repository that merely contains this directory.
    if !Path::new(".git").exists() {
        return None;
    }
    // Git appends to the reflog of HEAD whenever the commit changes.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
