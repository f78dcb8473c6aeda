//! Holds the contract against `openapi/`: derives the documents from
//! `src/contract`, which compiles alone here, and stops the build with a line
//! for each difference. With OPENAPI_BLESS set it rewrites the YAML instead;
//! that has to happen here, because while the two disagree nothing else of the
//! package can be built.

use std::path::Path;
use std::process::ExitCode;

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
