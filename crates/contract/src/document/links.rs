//! OpenAPI links from what one operation created, found or changed to the operations on it.
//! poem-openapi cannot express them. Clients and contract fuzzing follow them.

use serde_json::{Map, Value, json};

use super::super::operation::{Links, Operation};

/// Adds the links of an operation to its success response.
pub fn add(operation: &mut Value, declared: &Operation) {
    let responses = operation["responses"].as_object_mut().into_iter().flatten();
    let mut successes = responses.filter(|(status, _)| status.starts_with('2'));
    let Some((_, response)) = successes.next() else {
        return;
    };
    for links in declared.documented.links {
        for target in links.to {
            response["links"][target] = link_to(target, links, declared);
        }
    }
}

/// A link fills each path parameter of its target. OpenAPI has no expression for a part of a
/// string; a parameter that would need one is omitted, and the link has a note.
fn link_to(target: &str, links: &Links, from: &Operation) -> Value {
    let target_path = super::operation(target).map_or("", |target| target.path);
    let arguments = parameters(target_path).filter_map(|name| {
        let given = links.with.iter().find(|(given, _)| *given == name);
        let expression = match given {
            Some((_, expression)) => (*expression).to_owned(),
            None if parameters(from.path).any(|own| own == name) => format!("$request.path.{name}"),
            None => return None,
        };
        Some((name.to_owned(), expression.into()))
    });
    let arguments: Map<_, _> = arguments.collect();
    let mut link = json!({"operationId": target, "parameters": arguments});
    if let Some(note) = links.note {
        link["description"] = note.into();
    }
    link
}

/// The parameters of a path.
fn parameters(path: &str) -> impl Iterator<Item = &str> {
    let parts = path.split('{').skip(1);
    parts.filter_map(|part| Some(part.split_once('}')?.0))
}

#[cfg(test)]
mod tests {
    use super::super::{companion, declared, operations, service};
    use super::*;

    #[test]
    fn a_link_fills_every_path_parameter_of_an_operation_of_the_same_document() {
        let mut followed = 0;
        for document in [service(), companion()] {
            for operation in operations(document) {
                let id = &operation["operationId"];
                let links = declared(operation).unwrap().documented.links;
                let targets = links.iter().flat_map(|links| {
                    let to = links.to.iter();
                    to.map(move |target| (target, links))
                });
                let responses = operation["responses"].as_object().unwrap().values();
                let written: Vec<_> = responses
                    .filter_map(|one| one["links"].as_object())
                    .collect();
                let count = targets.clone().count();
                assert_eq!(
                    written.iter().map(|links| links.len()).sum::<usize>(),
                    count,
                    "{id}"
                );
                for (target, links) in targets {
                    let named = |one: &&Value| one["operationId"] == *target;
                    assert!(
                        operations(document).find(named).is_some(),
                        "{id} to {target}"
                    );
                    let link = &written[0][*target]["parameters"].as_object().unwrap();
                    let path = super::super::operation(target).unwrap().path;
                    for name in parameters(path).filter(|_| links.note.is_none()) {
                        assert!(link.contains_key(name), "{id} to {target}: {name}");
                    }
                    let used = |given: &str| parameters(path).any(|name| name == given);
                    assert!(
                        links.with.iter().all(|(name, _)| used(name)),
                        "{id} to {target}"
                    );
                    followed += 1;
                }
            }
        }
        assert!(followed > 80, "{followed}");
    }

    #[test]
    fn a_link_takes_values_from_parameters_that_exist() {
        for operation in operations(service()).chain(operations(companion())) {
            let from = declared(operation).unwrap();
            let given = from.documented.links.iter().flat_map(|links| links.with);
            for (_, expression) in given {
                if let Some(name) = expression.strip_prefix("$request.path.") {
                    assert!(parameters(from.path).any(|own| own == name), "{}", from.id);
                }
            }
        }
    }
}
