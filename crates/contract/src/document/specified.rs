//! Marks the responses of the service by their source: the statuses that the specification lists
//! for an operation, and those that only GitHub or this server sends.

use serde_json::Value;

/// The statuses that the specification lists for each operation (Spec, Endpoints).
#[rustfmt::skip]
const SPECIFIED: [(&str, &[&str]); 28] = [
    ("list_org_project_fields", &["200", "304", "401", "403"]),
    ("add_org_project_field", &["201", "304", "401", "403", "422"]),
    ("get_org_project_field", &["200", "304", "401", "403"]),
    ("list_user_project_fields", &["200", "304", "401", "403"]),
    ("add_user_project_field", &["201", "304", "401", "403", "422"]),
    ("get_user_project_field", &["200", "304", "401", "403"]),
    ("list_issue_fields", &["200", "404"]),
    ("create_issue_field", &["200", "404", "422"]),
    ("update_issue_field", &["200", "404", "422"]),
    ("delete_issue_field", &["204", "404", "422"]),
    ("list_repo_review_comments", &["200"]),
    ("get_review_comment", &["200", "404"]),
    ("update_review_comment", &["200"]),
    ("delete_review_comment", &["204", "404"]),
    ("list_pull_review_comments", &["200"]),
    ("create_review_comment", &["201", "403", "422"]),
    ("reply_to_review_comment", &["201", "404"]),
    ("list_matching_refs", &["200", "409"]),
    ("get_ref", &["200", "404", "409"]),
    ("create_ref", &["201", "409", "422"]),
    ("update_ref", &["200", "409", "422"]),
    ("delete_ref", &["204", "409", "422"]),
    ("list_installation_repositories", &["200", "304", "401", "403"]),
    ("revoke_installation_token", &["204"]),
    ("list_user_installations", &["200", "304", "401", "403"]),
    ("list_user_installation_repositories", &["200", "304", "403", "404"]),
    ("add_installation_repository", &["204", "304", "403", "404"]),
    ("remove_installation_repository", &["204", "304", "403", "404", "422"]),
];

/// The key with the source of a response.
const SOURCE: &str = "x-source";

/// Marks each response of an operation of the service.
pub fn mark(operation: &mut Value) {
    let id = operation["operationId"].as_str().unwrap_or_default();
    let Some((_, listed)) = SPECIFIED.iter().find(|(known, _)| *known == id) else {
        return;
    };
    let responses = operation["responses"].as_object_mut().into_iter().flatten();
    for (status, response) in responses.filter(|(_, response)| response.get("$ref").is_none()) {
        response[SOURCE] = match listed.contains(&status.as_str()) {
            true => "specification".into(),
            false => "decisions".into(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::{operations, service};
    use super::*;

    #[test]
    fn every_status_of_the_specification_is_documented_as_its_own() {
        let mut specified = 0;
        for operation in operations(service()) {
            let id = operation["operationId"].as_str().unwrap();
            let (_, listed) = SPECIFIED.iter().find(|(known, _)| *known == id).unwrap();
            for status in *listed {
                let source = &operation["responses"][status][SOURCE];
                assert_eq!(source, "specification", "{id} {status}");
                specified += 1;
            }
        }
        let all: usize = SPECIFIED.iter().map(|(_, listed)| listed.len()).sum();
        assert_eq!(specified, all);
        let get_ref = operations(service()).find(|one| one["operationId"] == "get_ref");
        assert_eq!(get_ref.unwrap()["responses"]["403"][SOURCE], "decisions");
    }
}
