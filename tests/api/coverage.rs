//! Every status in the documents has a test: one in `tests/api` whose name begins with the
//! operation and the status (or several, as in `get_tag_404_and_409_when…`), or one in
//! `walk.rs`, which calls every operation of the documents.

mod walk;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::access;

/// Whether a status is tested elsewhere.
type TestedElsewhere = fn(&DocumentedStatus) -> bool;

/// Statuses that need no test of that name, and why.
const REASONS: [(&str, TestedElsewhere); 4] = [
    (
        "walk::every_operation_is_401_with_an_unknown_token tests it",
        |documented| documented.status == "401",
    ),
    (
        "walk::every_get_is_304_when_nothing_changed and \
         walk::no_write_is_ever_304 test it",
        |documented| documented.status == "304",
    ),
    (
        "access.rs tests it with a cell of the table in crates/forge/src/access/README.md",
        |documented| access::expects_status(&documented.operation, &documented.status),
    ),
    (
        "walk::every_operation_is_403_when_the_rate_limit_is_exceeded tests it",
        |documented| {
            documented.status == "403" && documented.description == "A rate limit was exceeded."
        },
    ),
];

/// A status that a document lists for an operation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct DocumentedStatus {
    operation: String,
    status: String,
    description: String,
}

fn documented_statuses() -> Vec<DocumentedStatus> {
    let mut documented_statuses = Vec::new();
    for operation in [contract::service(), contract::companion()]
        .into_iter()
        .flat_map(operations)
    {
        let answers = operation["responses"].as_object().unwrap().iter();
        // A range such as 5XX applies to every request: failures.rs.
        for (status, answer) in answers.filter(|(status, _)| !status.ends_with("XX")) {
            documented_statuses.push(DocumentedStatus {
                operation: operation["operationId"].as_str().unwrap().to_owned(),
                status: status.clone(),
                description: answer["description"].as_str().unwrap().to_owned(),
            });
        }
    }
    documented_statuses
}

fn operations(document: &Value) -> impl Iterator<Item = &Value> {
    let paths = document["paths"].as_object().unwrap().values();
    paths
        .flat_map(|path| path.as_object().unwrap().values())
        .filter(|operation| operation["operationId"].is_string())
}

/// The names of all tests in a folder.
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

/// The functions with an attribute that ends in `test]`, except for ignored ones: a test
/// that never runs proves nothing.
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

/// The beginning of the attribute that disables a test.
const IGNORED: &str = concat!("#[", "ignore");

/// Whether a test covers this status of this operation.
fn covers(test: &str, documented: &DocumentedStatus) -> bool {
    let Some(rest) = test.strip_prefix(&documented.operation) else {
        return false;
    };
    rest.strip_prefix('_').is_some_and(|rest| {
        rest.split('_')
            .take_while(|word| *word == "and" || word.parse::<u16>().is_ok())
            .any(|word| word == documented.status)
    })
}

#[test]
fn every_documented_status_has_a_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api");
    let tests = tests(&folder);
    assert!(tests.len() > 200, "only {} tests were found", tests.len());
    let documented_statuses = documented_statuses();
    assert!(documented_statuses.len() > 200);
    let untested: Vec<String> = documented_statuses
        .iter()
        .filter(|documented| !tests.iter().any(|test| covers(test, documented)))
        .filter(|documented| !REASONS.iter().any(|(_, tested)| tested(documented)))
        .map(|documented| format!("{}_{}_…", documented.operation, documented.status))
        .collect();
    assert!(untested.is_empty(), "no test: {untested:#?}");
}

#[test]
fn a_test_belongs_to_the_operation_and_statuses_that_its_name_begins_with() {
    let documented = |operation: &str, status: &str| DocumentedStatus {
        operation: operation.to_owned(),
        status: status.to_owned(),
        description: String::new(),
    };
    let test = "get_tag_404_and_409_when_there_is_none";
    assert!(covers(test, &documented("get_tag", "404")));
    assert!(covers(test, &documented("get_tag", "409")));
    assert!(!covers(test, &documented("get_tag", "200")));
    assert!(!covers(
        "update_ref_alias_200",
        &documented("update_ref", "200")
    ));
    assert!(!covers("get_tag_when_404", &documented("get_tag", "404")));
    let source = format!(
        "#[tokio::test]\nasync fn a_1() {{}}\nfn b() {{}}\n#[test]\nfn c() {{}}\n\
         #[test]\n{IGNORED} = \"slow\"]\nfn d() {{}}\n{IGNORED}]\n#[test]\nfn e() {{}}"
    );
    assert_eq!(tests_of(&source), ["a_1", "c"]);
}
