//! The table is complete: each operation of the documents is in it or has a reason not to be,
//! a test runs each column, and each token of the world belongs to a caller of the table.

use serde_json::Value;

use super::callers::{Caller, jwt};
use super::operations::{self, TableOperation};
use super::table::Table;
use super::{COMPANION_COLUMNS, SPECIFIED, WORLD, start};

/// Companion operations that are not in the table: why, and where they are tested.
const NOT_IN_THE_TABLE: [(&str, &[&str]); 2] = [
    (
        "public information about the service: root.rs and versions.rs",
        &[
            "get_root",
            "get_meta",
            "get_zen",
            "list_versions",
            "get_rate_limit",
        ],
    ),
    (
        "only for an app, with its JSON web token: apps/signing.rs",
        &[
            "get_app",
            "list_app_installations",
            "get_app_installation",
            "create_installation_token",
            "get_org_installation",
            "get_user_installation",
            "get_repo_installation",
            "get_app_hook_config",
            "update_app_hook_config",
            "list_app_hook_deliveries",
            "get_app_hook_delivery",
            "redeliver_app_hook_delivery",
        ],
    ),
];

/// Whether a cell of the table expects this status from the operation.
pub fn expects_status(operation: &str, status: &str) -> bool {
    let mut listed = Table::read().operations();
    if !listed.any(|(_, _, names)| names.iter().any(|name| name == operation)) {
        return false;
    }
    statuses(&operations::named(operation)).contains(&status.to_owned())
}

/// The statuses that an operation has in the table.
fn statuses(operation: &TableOperation) -> Vec<String> {
    let table = Table::read();
    let visibilities = operation.visibilities().iter();
    let columns = visibilities.map(|visibility| visibility.column(operation.column));
    let cells = columns.flat_map(|column| table.column(operation.section, &column));
    let mut statuses: Vec<_> = cells
        .map(|(_, expected)| expected.unwrap_or(operation.success).to_string())
        .collect();
    statuses.sort_unstable();
    statuses.dedup();
    statuses
}

/// The operations of a document and the statuses that it lists for each.
pub fn published(document: &Value) -> Vec<(String, Vec<String>)> {
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.values().flat_map(|path| path.as_object().unwrap());
    operations
        .filter_map(|(_, operation)| {
            let statuses = operation["responses"].as_object()?.keys().cloned();
            let name = operation["operationId"].as_str()?.to_owned();
            Some((name, statuses.collect()))
        })
        .collect()
}

fn sorted(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort_unstable();
    names
}

#[test]
fn every_operation_of_the_documents_is_run() {
    let names = |document: &Value| published(document).into_iter().map(|(name, _)| name);
    let service = sorted(names(contract::service()));
    assert_eq!(
        service,
        sorted(SPECIFIED.iter().map(|name| (*name).to_owned()))
    );
    assert_eq!(service.len(), 28);
    let listed = Table::read().operations();
    let listed = listed.flat_map(|(_, _, names)| names.iter().cloned());
    let excused = NOT_IN_THE_TABLE.iter().flat_map(|(_, names)| *names);
    let accounted = listed.chain(excused.map(|name| (*name).to_owned()));
    let all = service.into_iter().chain(names(contract::companion()));
    assert_eq!(sorted(all), sorted(accounted));
}

#[test]
fn every_column_of_the_table_is_run_and_has_every_caller() {
    let table = Table::read();
    let mut run = Vec::new();
    for (section, column, names) in table.operations() {
        let companions = names.iter().any(|name| !SPECIFIED.contains(&name.as_str()));
        assert_eq!(
            COMPANION_COLUMNS.contains(&(section, column)),
            companions,
            "{section}: {column}"
        );
        let visibilities = operations::named(&names[0]).visibilities().iter();
        run.extend(visibilities.map(|visibility| (section.to_owned(), visibility.column(column))));
    }
    let columns = table.columns();
    assert_eq!(run, columns);
    let (first, rest) = columns.split_first().unwrap();
    let callers = |(section, column): &(String, String)| -> Vec<String> {
        let cells = table.column(section, column);
        cells.into_iter().map(|(caller, _)| caller.label).collect()
    };
    assert!(callers(first).len() > 40);
    for column in rest {
        assert_eq!(callers(first), callers(column), "{column:?}");
    }
}

#[test]
fn every_status_of_the_table_is_in_the_documents() {
    let documents = [contract::service(), contract::companion()];
    let published: Vec<_> = documents.into_iter().flat_map(published).collect();
    let mut missing = Vec::new();
    for name in Table::read().operations().flat_map(|(_, _, names)| names) {
        let (_, known) = published.iter().find(|(known, _)| known == name).unwrap();
        let found = statuses(&operations::named(name)).into_iter();
        missing.extend(
            found
                .filter(|status| !known.contains(status))
                .map(|status| (name, status)),
        );
    }
    assert!(missing.is_empty(), "not published: {missing:?}");
}

#[tokio::test]
async fn every_token_of_the_world_is_in_the_table() {
    let used: Vec<String> = Table::read()
        .callers()
        .iter()
        .flat_map(Caller::credentials)
        .flatten()
        .collect();
    let used_for_setup = ["zoe-classic", "olivia-classic", "olivia-write-bot"];
    for line in WORLD.lines().filter(|line| line.contains("value: ")) {
        let (_, value) = line.rsplit_once("value: ").unwrap();
        let value = value.trim_end_matches('}');
        let known = used.iter().any(|token| token == value) || used_for_setup.contains(&value);
        assert!(known, "nobody uses {value}");
    }
    let service = start().await;
    service.as_(&jwt(540)).get("/app").await.expect(200);
    service.as_(&jwt(-1)).get("/app").await.expect(401);
}
