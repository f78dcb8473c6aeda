//! Every status that the documents promise has a test: one in `tests/api` whose
//! name begins with the operation and the status (or several, as in
//! `get_tag_404_and_409_when…`), or one of the walks below, which go through all
//! operations of the documents themselves.

mod walk;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use forgewright::contract;
use serde_json::Value;

use crate::access;

/// Whether a promise needs no test of its own.
type Covers = fn(&Promise) -> bool;

/// What needs no test of that name, and why.
const REASONS: [(&str, Covers); 4] = [
    (
        "walk::every_operation_is_401_with_a_token_that_is_unknown has it",
        |promise| promise.status == "401",
    ),
    (
        "walk::every_get_is_304_when_nothing_changed and \
         walk::no_change_is_ever_304 have it",
        |promise| promise.status == "304",
    ),
    (
        "a cell of the table in src/access/README.md has it, which access.rs runs",
        |promise| access::refuses(&promise.operation, &promise.status),
    ),
    (
        "walk::every_operation_is_403_when_the_budget_is_used_up has it",
        |promise| promise.status == "403" && promise.description == "A rate limit was exceeded.",
    ),
];

/// A status that a document lists for an operation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Promise {
    operation: String,
    status: String,
    description: String,
}

fn promises() -> Vec<Promise> {
    let mut promises = Vec::new();
    for operation in [contract::service(), contract::companion()]
        .into_iter()
        .flat_map(operations)
    {
        let answers = operation["responses"].as_object().unwrap().iter();
        // The ranges stand for what befalls any request: failures.rs.
        for (status, answer) in answers.filter(|(status, _)| !status.ends_with("XX")) {
            promises.push(Promise {
                operation: operation["operationId"].as_str().unwrap().to_owned(),
                status: status.clone(),
                description: answer["description"].as_str().unwrap().to_owned(),
            });
        }
    }
    promises
}

fn operations(document: &Value) -> impl Iterator<Item = &Value> {
    let paths = document["paths"].as_object().unwrap().values();
    paths
        .flat_map(|path| path.as_object().unwrap().values())
        .filter(|operation| operation["operationId"].is_string())
}

/// The names of all tests of this folder.
fn tests(folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names.extend(tests(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(tests_of(&fs::read_to_string(&path).unwrap()));
        }
    }
    names
}

/// The functions below an attribute that ends in `test]`, unless another attribute
/// keeps them from running: a test that never runs proves nothing.
fn tests_of(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut attributes: Vec<&str> = Vec::new();
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[") {
            attributes.push(line);
            continue;
        }
        let test = attributes
            .iter()
            .any(|attribute| attribute.ends_with("test]"));
        let ignored = attributes
            .iter()
            .any(|attribute| attribute.starts_with(IGNORED));
        let declared = line.trim_start_matches("async ").strip_prefix("fn ");
        if let Some(rest) = declared.filter(|_| test && !ignored) {
            names.push(rest.split('(').next().unwrap().to_owned());
        }
        attributes.clear();
    }
    names
}

/// How the attribute begins that keeps a test from running.
const IGNORED: &str = concat!("#[", "ignore");

/// Whether a test is about this status of this operation.
fn keeps(test: &str, promise: &Promise) -> bool {
    let Some(rest) = test.strip_prefix(&promise.operation) else {
        return false;
    };
    rest.strip_prefix('_').is_some_and(|rest| {
        rest.split('_')
            .take_while(|word| *word == "and" || word.parse::<u16>().is_ok())
            .any(|word| word == promise.status)
    })
}

#[test]
fn every_promised_status_has_a_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api");
    let tests = tests(&folder);
    assert!(tests.len() > 200, "only {} tests were found", tests.len());
    let promises = promises();
    assert!(promises.len() > 200);
    let broken: Vec<String> = promises
        .iter()
        .filter(|promise| !tests.iter().any(|test| keeps(test, promise)))
        .filter(|promise| !REASONS.iter().any(|(_, covers)| covers(promise)))
        .map(|promise| format!("{}_{}_…", promise.operation, promise.status))
        .collect();
    assert!(broken.is_empty(), "no test: {broken:#?}");
}

#[test]
fn a_test_belongs_to_the_operation_and_statuses_that_its_name_begins_with() {
    let promise = |operation: &str, status: &str| Promise {
        operation: operation.to_owned(),
        status: status.to_owned(),
        description: String::new(),
    };
    let test = "get_tag_404_and_409_when_there_is_none";
    assert!(keeps(test, &promise("get_tag", "404")));
    assert!(keeps(test, &promise("get_tag", "409")));
    assert!(!keeps(test, &promise("get_tag", "200")));
    assert!(!keeps(
        "update_ref_alias_200",
        &promise("update_ref", "200")
    ));
    assert!(!keeps("get_tag_when_404", &promise("get_tag", "404")));
    let source = format!(
        "#[tokio::test]\nasync fn a_1() {{}}\nfn b() {{}}\n#[test]\nfn c() {{}}\n\
         #[test]\n{IGNORED} = \"slow\"]\nfn d() {{}}\n{IGNORED}]\n#[test]\nfn e() {{}}"
    );
    assert_eq!(tests_of(&source), ["a_1", "c"]);
}
