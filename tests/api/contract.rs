//! The OpenAPI documents equal what the code derives, any difference is reported, and
//! everything in them is described.

use contract::document::{drift, yaml};
use contract::{
    self, git_objects, git_refs, installations, issue_fields, lookups, problem, project_fields,
    review_comments, shared,
};
use poem_openapi::types::{Example, ToJSON};
use serde::Serialize;
use serde_json::Value;

fn read_yaml(file: &str) -> Value {
    let path = format!("{}/openapi/{file}", env!("CARGO_MANIFEST_DIR"));
    yaml::read(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    let items = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (format!("{method} {path}"), operation))
    });
    items.collect()
}

#[test]
fn the_yaml_is_what_the_code_derives() {
    for (file, derived) in [
        ("service.yaml", contract::service()),
        ("companion.yaml", contract::companion()),
        ("control.yaml", contract::control()),
    ] {
        assert_eq!(drift::differences(&read_yaml(file), derived), [], "{file}");
    }
}

#[test]
fn the_service_has_exactly_the_operations_of_the_specification() {
    let specified = [
        "get /orgs/{org}/projectsV2/{project_number}/fields",
        "post /orgs/{org}/projectsV2/{project_number}/fields",
        "get /orgs/{org}/projectsV2/{project_number}/fields/{field_id}",
        "get /users/{username}/projectsV2/{project_number}/fields",
        "post /users/{username}/projectsV2/{project_number}/fields",
        "get /users/{username}/projectsV2/{project_number}/fields/{field_id}",
        "get /orgs/{org}/issue-fields",
        "post /orgs/{org}/issue-fields",
        "patch /orgs/{org}/issue-fields/{issue_field_id}",
        "delete /orgs/{org}/issue-fields/{issue_field_id}",
        "get /repos/{owner}/{repo}/pulls/comments",
        "get /repos/{owner}/{repo}/pulls/comments/{comment_id}",
        "patch /repos/{owner}/{repo}/pulls/comments/{comment_id}",
        "delete /repos/{owner}/{repo}/pulls/comments/{comment_id}",
        "get /repos/{owner}/{repo}/pulls/{pull_number}/comments",
        "post /repos/{owner}/{repo}/pulls/{pull_number}/comments",
        "post /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies",
        "get /repos/{owner}/{repo}/git/matching-refs/{ref}",
        "get /repos/{owner}/{repo}/git/ref/{ref}",
        "post /repos/{owner}/{repo}/git/refs",
        "patch /repos/{owner}/{repo}/git/refs/{ref}",
        "delete /repos/{owner}/{repo}/git/refs/{ref}",
        "get /installation/repositories",
        "delete /installation/token",
        "get /user/installations",
        "get /user/installations/{installation_id}/repositories",
        "put /user/installations/{installation_id}/repositories/{repository_id}",
        "delete /user/installations/{installation_id}/repositories/{repository_id}",
    ];
    let mut specified: Vec<_> = specified.map(str::to_owned).to_vec();
    let mut published: Vec<_> = operations(contract::service())
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    specified.sort_unstable();
    published.sort_unstable();
    assert_eq!(published, specified);
}

#[test]
fn every_operation_is_described() {
    for document in [
        contract::service(),
        contract::companion(),
        contract::control(),
    ] {
        for (name, operation) in operations(document) {
            for key in ["summary", "description", "operationId"] {
                let text = operation[key].as_str().unwrap_or_default();
                assert!(!text.is_empty(), "{name} has no {key}");
            }
            // GitHub has no page for what only this server does.
            let ours = name.contains(" /_forgewright/");
            assert_ne!(operation["externalDocs"]["url"].is_string(), ours, "{name}");
            assert!(
                operation["security"].is_array(),
                "{name} has no security requirement"
            );
            for parameter in operation["parameters"].as_array().unwrap() {
                let described =
                    parameter["$ref"].is_string() || parameter["description"].is_string();
                assert!(described, "{name}: {parameter}");
            }
            for (status, response) in operation["responses"].as_object().unwrap() {
                let described = response["$ref"].is_string() || response["description"] != "";
                assert!(described, "{name}: {status}");
            }
        }
    }
}

#[test]
fn every_field_is_described() {
    let mut undescribed = Vec::new();
    for (schema, definition) in contract::components() {
        for (field, property) in definition["properties"].as_object().into_iter().flatten() {
            if property["description"].is_null() && property["$ref"].is_null() {
                undescribed.push(format!("{schema}.{field}"));
            }
        }
    }
    assert_eq!(undescribed, Vec::<String>::new());
}

/// Whether a schema, or each of its alternatives, has an example.
fn has_example(schema: &Value) -> bool {
    if let Some(forms) = schema["oneOf"].as_array() {
        return forms.iter().all(has_example);
    }
    match (schema["type"].as_str(), schema["$ref"].as_str()) {
        (Some("array"), _) => has_example(&schema["items"]),
        (Some("string"), _) => true,
        (_, Some(reference)) => {
            let name = reference.rsplit('/').next().unwrap();
            let definition = &contract::components()[name];
            !definition["example"].is_null()
                || definition["oneOf"].is_array() && has_example(definition)
        }
        _ => false,
    }
}

#[test]
fn every_body_and_every_answer_has_an_example() {
    for document in [contract::service(), contract::companion()] {
        for (name, operation) in operations(document) {
            let body = &operation["requestBody"]["content"]["application/json"]["schema"];
            assert!(
                body.is_null() || has_example(body),
                "{name}: its body has no example"
            );
            for status in ["200", "201"] {
                let answer =
                    &operation["responses"][status]["content"]["application/json"]["schema"];
                assert!(
                    answer.is_null() || has_example(answer),
                    "{name}: its answer has no example"
                );
            }
        }
    }
}

/// Changes one leaf at a time in a copy of the document. The report must have exactly its
/// pointer.
#[test]
fn a_change_anywhere_in_the_yaml_is_reported_with_its_pointer() {
    let document = contract::service();
    let mut pointers = Vec::new();
    leaves(document, String::new(), &mut pointers);
    assert!(pointers.len() > 3000, "{} leaves", pointers.len());
    for pointer in pointers.iter().step_by(97) {
        let mut copy = document.clone();
        let leaf = copy.pointer_mut(pointer).unwrap();
        *leaf = match leaf.as_str() {
            Some(text) => format!("{text}, or not").into(),
            None => "something else".into(),
        };
        let found = drift::differences(&copy, document);
        let array = |name: &str| pointer.rsplit('/').nth(1) == Some(name);
        if array("required") || array("enum") || array("tags") {
            assert_eq!(
                found.len(),
                2,
                "{pointer}: one removed, one added: {found:?}"
            );
        } else {
            assert!(!found.is_empty(), "{pointer}");
            let named = found
                .iter()
                .all(|difference| related(&difference.pointer, pointer));
            assert!(named, "{pointer}: {found:?}");
        }
    }
}

/// The report identifies a parameter by its name, not by its index.
fn related(found: &str, changed: &str) -> bool {
    found == changed || changed.contains("/parameters/") && found.contains("/parameters/")
}

fn leaves(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let key = key.replace('~', "~0").replace('/', "~1");
                leaves(value, format!("{pointer}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                leaves(value, format!("{pointer}/{index}"), found);
            }
        }
        _ => found.push(pointer),
    }
}

#[test]
fn a_missing_and_an_extra_operation_are_reported() {
    let derived = contract::service();
    let mut written = derived.clone();
    let paths = written["paths"].as_object_mut().unwrap();
    let gone = paths.remove("/installation/token").unwrap();
    paths.insert("/installation/tokens".into(), gone);
    let pointers: Vec<_> = drift::differences(&written, derived)
        .into_iter()
        .map(|difference| difference.pointer)
        .collect();
    assert_eq!(
        pointers,
        [
            "/paths/~1installation~1tokens",
            "/paths/~1installation~1token"
        ]
    );
}

#[test]
fn order_alone_is_not_a_difference() {
    let document = contract::service();
    let mut copy = document.clone();
    let schemas = copy["components"]["schemas"].as_object_mut().unwrap();
    schemas.sort_keys();
    schemas["CreateRef"]["required"]
        .as_array_mut()
        .unwrap()
        .reverse();
    assert_eq!(drift::differences(&copy, document), []);
}

/// serde serializes the answers and poem-openapi describes them, each by its own attributes
/// of the same fields.
#[test]
fn serde_and_poem_openapi_serialize_the_examples_alike() {
    fn agree<T: Example + Serialize + ToJSON>() {
        let example = T::example();
        let name = std::any::type_name::<T>();
        assert_eq!(
            serde_json::to_value(&example).ok(),
            example.to_json(),
            "{name}"
        );
    }
    agree::<problem::FailureBody>();
    agree::<shared::user::User>();
    agree::<shared::repository::Repository>();
    agree::<shared::installation::Installation>();
    agree::<project_fields::ProjectField>();
    agree::<issue_fields::IssueField>();
    agree::<review_comments::ReviewComment>();
    agree::<git_refs::GitRef>();
    agree::<installations::InstallationRepositories>();
    agree::<installations::UserInstallations>();
    agree::<lookups::Root>();
    agree::<lookups::RateLimits>();
    agree::<git_objects::GitCommit>();
    agree::<git_objects::GitTag>();
    agree::<git_objects::GitTree>();
}
