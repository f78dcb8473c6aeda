//! Marks the responses of the service by their source: the statuses that the specification lists
//! for an operation, and those that only GitHub or this server sends.

use serde_json::Value;

use super::super::operation::Operation;

/// The key with the source of a response.
const SOURCE: &str = "x-source";

/// Marks each response of an operation of the service.
pub fn mark(operation: &mut Value, declared: &Operation) {
    if declared.documented.specified.is_empty() {
        return;
    }
    let is_listed = |status: &str| {
        declared
            .documented
            .specified
            .iter()
            .any(|one| one.to_string() == status)
    };
    let responses = operation["responses"].as_object_mut().into_iter().flatten();
    for (status, response) in responses.filter(|(_, response)| response.get("$ref").is_none()) {
        response[SOURCE] = match is_listed(status) {
            true => "specification".into(),
            false => "decisions".into(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::{companion, control, declared, operations, service};
    use super::*;

    fn specified(operation: &Value) -> &'static [u16] {
        declared(operation).map_or(&[], |declared| declared.documented.specified)
    }

    #[test]
    fn every_status_of_the_specification_is_documented_as_its_own() {
        for operation in operations(service()) {
            assert!(!specified(operation).is_empty(), "{operation}");
            for status in specified(operation) {
                let source = &operation["responses"][status.to_string()][SOURCE];
                assert_eq!(
                    source, "specification",
                    "{} {status}",
                    operation["operationId"]
                );
            }
        }
        let get_ref = operations(service()).find(|one| one["operationId"] == "get_ref");
        assert_eq!(get_ref.unwrap()["responses"]["403"][SOURCE], "decisions");
        for operation in operations(companion()).chain(operations(control())) {
            assert!(specified(operation).is_empty(), "{operation}");
        }
    }
}
