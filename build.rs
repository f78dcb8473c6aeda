//! Holds the contract against `openapi/`: derives the documents from
//! `src/contract`, which compiles alone here, and stops the build with a line
//! for each difference. With OPENAPI_BLESS set it rewrites the YAML instead;
//! that has to happen here, because while the two disagree nothing else of the
//! package can be built.
//!
//! It also finds out which commit is built, for `forgewright --version`.

use std::path::Path;
use std::process::{Command, ExitCode};

use serde_json::Value;
use source::contract;
use source::contract::document::{drift, yaml};

/// In a module of this path, so that the contract finds its own modules.
#[path = "src"]
#[allow(dead_code, unused_imports)]
mod source {
    pub mod contract;
}

#[allow(
    clippy::disallowed_methods,
    reason = "a build script is told by the environment alone"
)]
fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=openapi");
    println!("cargo::rerun-if-changed=src/contract.rs");
    println!("cargo::rerun-if-changed=src/contract");
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
    let outcome = if std::env::var_os("OPENAPI_BLESS").is_some() {
        documents.map(|(path, derived)| rewrite(Path::new(path), derived))
    } else {
        documents.map(|(path, derived)| check(Path::new(path), derived))
    };
    let mut clean = true;
    for sentence in outcome.into_iter().filter_map(Result::err).flatten() {
        println!("cargo::error={sentence}");
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
    // Left alone when it says the same, so that a blessed build is not stale at once.
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    std::fs::write(path, text).map_err(|cause| failed(&cause))
}

fn check(path: &Path, derived: &Value) -> Result<(), Vec<String>> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|cause| {
        vec![format!(
            "{shown} cannot be read ({cause}); `just openapi` writes it anew"
        )]
    })?;
    let written = yaml::read(&text).map_err(|cause| vec![format!("{shown}: {cause}")])?;
    let found = drift::differences(&written, derived);
    if found.is_empty() {
        return Ok(());
    }
    let count = found.len();
    let summary = format!(
        "{shown} and src/contract disagree in {count} place(s); `just openapi` accepts the code's side"
    );
    let lines = found
        .iter()
        .map(|difference| format!("{shown}: {difference}"));
    Err(std::iter::once(summary).chain(lines).collect())
}

/// The commit, abbreviated: as FORGEWRIGHT_COMMIT names it, as `cargo package` noted it, or
/// as Git knows it. A tree without any of them has none, and a debug build asks Git nothing:
/// it would be built anew after every commit.
#[allow(
    clippy::disallowed_methods,
    reason = "a build script is told by the environment alone"
)]
fn commit() -> Option<String> {
    println!("cargo::rerun-if-env-changed=FORGEWRIGHT_COMMIT");
    let named = std::env::var("FORGEWRIGHT_COMMIT").ok();
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let noted = || commit_of_package().or_else(|| is_release.then(commit_of_tree).flatten());
    let commit = named.or_else(noted)?;
    let is_hash = commit.len() >= 10 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| commit[..10].to_ascii_lowercase())
}

fn commit_of_package() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let info: Value = serde_json::from_str(&text).ok()?;
    info["git"]["sha1"].as_str().map(str::to_owned)
}

fn commit_of_tree() -> Option<String> {
    // Not of a repository around this one.
    if !Path::new(".git").exists() {
        return None;
    }
    // The log of HEAD grows whenever the commit changes.
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
