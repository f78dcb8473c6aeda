//! Links lead from one operation to the next.

use super::super::{companion, operations, service};
use super::{Argument, LINKS, Links, NEW_REF, Value};

fn named<'a>(document: &'a Value, id: &str) -> Option<&'a Value> {
    operations(document).find(|operation| operation["operationId"] == id)
}

fn in_path(operation: &Value) -> Vec<&str> {
    let parameters = operation["parameters"].as_array().unwrap().iter();
    let in_path = parameters.filter(|parameter| parameter["in"] == "path");
    in_path.map(|one| one["name"].as_str().unwrap()).collect()
}

fn all() -> impl Iterator<Item = (&'static str, &'static Links)> {
    LINKS
        .iter()
        .flat_map(|links| links.from.iter().map(move |from| (*from, links)))
}

/// The source operation of a link, and its document.
fn source(id: &str) -> (&'static Value, &'static Value) {
    let documents = [service(), companion()].into_iter();
    let mut found = documents.filter_map(|document| Some((named(document, id)?, document)));
    found.next().unwrap_or_else(|| panic!("no operation {id}"))
}

#[test]
fn a_link_connects_a_documented_response_to_an_operation_of_the_same_document() {
    for (id, links) in all() {
        let (from, document) = source(id);
        let response = &from["responses"][links.status];
        assert!(response["description"].is_string(), "{id}");
        for target in links.to {
            assert!(named(document, target).is_some(), "{target}");
            assert_eq!(response["links"][target]["operationId"], *target);
        }
    }
}

#[test]
fn a_link_fills_every_path_parameter_from_the_request_or_the_response() {
    for (id, links) in all() {
        let (from, document) = source(id);
        let known = |(_, expression): &Argument| match expression.strip_prefix("$request.path.") {
            Some(parameter) => in_path(from).contains(&parameter),
            None => expression.starts_with("$response.body#/"),
        };
        assert!(links.with.iter().all(known), "{id}");
        for target in links.to {
            let mut needed = in_path(named(document, target).unwrap());
            needed.retain(|name| id != NEW_REF || *name != "ref");
            let given: Vec<_> = links.with.iter().map(|(name, _)| *name).collect();
            assert_eq!(needed, given, "{id} to {target}");
        }
    }
}
