//! Relaxes the published documents. The service guarantees more than it publishes, so that
//! a client generated from the documents can also read GitHub's responses, and can send
//! whatever GitHub accepts.
//!
//! Requests, and in tests also responses, are validated against the schemas before this
//! step (`components`).

use serde_json::{Map, Value};

/// Fields that this service always sends, but that GitHub documents as optional and the
/// specification does not call "always".
const UNPROMISED: [(&str, &[&str]); 28] = [
    ("Failure", &["status"]),
    ("FieldProblem", &["resource", "field"]),
    ("GitTree", &["url"]),
    (
        "Installation",
        &[
            "client_id",
            "has_multiple_single_files",
            "single_file_paths",
        ],
    ),
    ("HookDelivery", &["throttled_at", "url"]),
    ("HookDeliveryItem", &["throttled_at", "url"]),
    ("InstallationRepositories", &["repository_selection"]),
    ("Integration", &["client_id"]),
    (
        "Issue",
        &[
            "closed_by",
            "issue_dependencies_summary",
            "issue_field_values",
            "pinned_comment",
            "reactions",
            "sub_issues_summary",
            "timeline_url",
            "type",
        ],
    ),
    (
        "IssueComment",
        &[
            "author_association",
            "performed_via_github_app",
            "reactions",
        ],
    ),
    ("IssueField", &["description", "created_at", "updated_at"]),
    ("IssueFieldOption", &["color"]),
    (
        "IterationConfiguration",
        &["duration", "start_day", "iterations"],
    ),
    ("License", &["html_url"]),
    ("Pull", &["assignee", "merge_commit_sha"]),
    ("PullSummary", &["assignee", "merge_commit_sha"]),
    ("RepositoryPermissions", &["maintain", "triage"]),
    ("Repository", &["temp_clone_token"]),
    ("Repository", &REPOSITORY),
    ("TemplateRepository", &["temp_clone_token"]),
    ("TemplateRepository", &REPOSITORY),
    ("FullRepository", &["temp_clone_token"]),
    ("FullRepository", &REPOSITORY),
    ("NestedRepository", &REPOSITORY),
    ("ReviewComment", &REVIEW_COMMENT),
    ("RequiredStatusChecks", &["checks"]),
    ("ShortBranch", &["protection", "protection_url"]),
    ("Verification", &["verified_at"]),
];

const REPOSITORY: [&str; 9] = [
    "allow_auto_merge",
    "allow_merge_commit",
    "allow_rebase_merge",
    "allow_squash_merge",
    "delete_branch_on_merge",
    "has_discussions",
    "is_template",
    "topics",
    "visibility",
];

const REVIEW_COMMENT: [&str; 10] = [
    "line",
    "original_line",
    "original_position",
    "original_start_line",
    "position",
    "reactions",
    "side",
    "start_line",
    "start_side",
    "subject_type",
];

/// Makes the fields optional that GitHub does not guarantee, and moves bounds into descriptions.
pub fn loosen(document: &mut Value) {
    for (name, fields) in UNPROMISED {
        for name in [name.to_owned(), format!("Nullable{name}")] {
            let schema = &mut document["components"]["schemas"];
            let schema = schema.get_mut(&name).and_then(Value::as_object_mut);
            if let Some(schema) = schema {
                no_longer_require(schema, fields);
            }
        }
    }
    bounds_to_words(document);
}

fn no_longer_require(schema: &mut Map<String, Value>, fields: &[&str]) {
    let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) else {
        return;
    };
    required.retain(|name| !fields.iter().any(|field| name == field));
    if required.is_empty() {
        schema.remove("required");
    }
}

/// Moves the bounds of values, which only this service has, into their descriptions.
fn bounds_to_words(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(bounds_to_words),
        Value::Object(object) => {
            // The description of a parameter is next to its schema.
            let inner = object.get_mut("schema").and_then(Value::as_object_mut);
            let of_parameter = inner.and_then(take_bounds);
            let own = if is_schema(object) {
                take_bounds(object)
            } else {
                None
            };
            for words in of_parameter.into_iter().chain(own) {
                let text = object.get("description").and_then(Value::as_str);
                let text = text.map_or_else(|| words.clone(), |text| format!("{text} {words}"));
                object.insert("description".into(), text.into());
            }
            object.values_mut().for_each(bounds_to_words);
        }
        _ => {}
    }
}

/// Whether the object is a schema, and not a map of names to schemas.
fn is_schema(object: &Map<String, Value>) -> bool {
    object.get("type").is_some_and(Value::is_string)
}

fn take_bounds(schema: &mut Map<String, Value>) -> Option<String> {
    let mut take = |key: &str| schema.remove(key).and_then(|bound| bound.as_u64());
    let characters = range(take("minLength"), take("maxLength"), " characters");
    let items = range(take("minItems"), take("maxItems"), " items");
    let number = range(take("minimum"), take("maximum"), "");
    characters.or(items).or(number)
}

fn range(least: Option<u64>, most: Option<u64>, of: &str) -> Option<String> {
    match (least, most) {
        (None, None) => None,
        (Some(least), Some(most)) if least == most => Some(format!("Exactly {least}{of}.")),
        (Some(least), Some(most)) => Some(format!("From {least} to {most}{of}.")),
        (Some(1), None) if of == " characters" => Some("Not empty.".into()),
        (Some(least), None) => Some(format!("At least {least}{of}.")),
        (None, Some(most)) => Some(format!("At most {most}{of}.")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_become_words() {
        let mut document = json!({
            "parameters": [{
                "name": "per_page",
                "description": "How many.",
                "schema": {"type": "integer", "minimum": 1, "maximum": 100},
            }],
            "properties": {
                "minimum": {"type": "string", "minLength": 1},
                "sha": {"type": "string", "minLength": 40, "maxLength": 40, "description": "A hash."},
                "options": {"type": "array", "maxItems": 5, "items": {"type": "string"}},
            },
        });
        bounds_to_words(&mut document);
        assert_eq!(
            document,
            json!({
                "parameters": [{
                    "name": "per_page",
                    "description": "How many. From 1 to 100.",
                    "schema": {"type": "integer"},
                }],
                "properties": {
                    "minimum": {"type": "string", "description": "Not empty."},
                    "sha": {"type": "string", "description": "A hash. Exactly 40 characters."},
                    "options": {"type": "array", "items": {"type": "string"}, "description": "At most 5 items."},
                },
            })
        );
    }

    #[test]
    fn every_unpromised_field_is_required_before_loosening() {
        let schemas = super::super::components();
        for (name, fields) in UNPROMISED {
            let schema = schemas.get(name);
            let schema = schema.or_else(|| schemas.get(&format!("Nullable{name}")));
            let required = schema.unwrap()["required"].as_array().unwrap();
            for field in fields {
                assert!(required.contains(&json!(field)), "{name}.{field}");
            }
        }
    }
}
