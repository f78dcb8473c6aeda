//! Completes a derived document with what poem-openapi cannot express: headers,
//! examples of parameters, closed bodies, and the responses that every operation has.

use serde_json::{Map, Value, json};

use super::super::lookups::UNLIMITED_PATH;
use super::super::version::ApiVersion;
use super::words::{self, HEADERS, PARAMETERS};
use super::{requirements, specified};

/// Completes a document of the forge's API.
pub fn complete(document: &mut Value) {
    sort_tags(document);
    document["components"]["parameters"] = json!({"ApiVersionHeader": version_parameter()});
    document["components"]["headers"] = shared_headers();
    document["components"]["schemas"]["ApiVersion"] = version_schema();
    add_common_responses(document);
    complete_schemas(document);
    complete_operations(document);
}

/// Completes the schemas of any document.
pub fn complete_schemas(document: &mut Value) {
    close_bodies(document);
    describe_fields(document);
    remove_unnameable(document);
}

/// Completes the document of the control API, which has no versions, media types or rate limits.
pub fn complete_control(document: &mut Value) {
    sort_tags(document);
    document["components"]["headers"] = shared_headers();
    add_common_responses(document);
    complete_schemas(document);
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    for (_, item) in paths {
        for (_, operation) in item.as_object_mut().into_iter().flatten() {
            describe_parameters(operation);
            let creates_world = operation["operationId"] == "create_world";
            if let Some(responses) = operation["responses"].as_object_mut() {
                if creates_world {
                    responses["201"]["headers"] = header_references(&["Location"]).into();
                }
                add_refusals(responses);
            }
        }
    }
}

fn close_bodies(document: &mut Value) {
    for name in CLOSED {
        if let Some(schema) = document["components"]["schemas"].get_mut(name) {
            schema["additionalProperties"] = false.into();
        }
    }
}

fn add_common_responses(document: &mut Value) {
    document["components"]["responses"] = json!({
        "Refused": {
            "description": "The request is malformed (400), its body did not arrive in time (408) or is too large \
                            (413), or it does not accept JSON (415).",
            "content": failure(),
        },
        "Failed": {
            "description": "The server failed to process the request (500), or cannot process it at the moment (503).",
            "content": failure(),
        },
    });
}

/// Bodies that refuse unknown keys: all of the control API, and some of the forge's API. The
/// others ignore them.
const CLOSED: [&str; 12] = [
    "AddFieldFromIssueField",
    "AddPlainField",
    "AddSingleSelectField",
    "AddIterationField",
    "AddIteration",
    "AddSelectOption",
    "AddProjectItem",
    "CreateReviewComment",
    "CreateFault",
    "CreateWorld",
    "DeliverySettings",
    "UpdateClock",
];

/// Removes `+1` and `-1`, which most languages would give the same name, so that generated
/// clients lose one or both. The description mentions them, and the schema is open.
fn remove_unnameable(document: &mut Value) {
    let schema = document["components"]["schemas"].get_mut("Reactions");
    let Some(schema) = schema.and_then(Value::as_object_mut) else {
        return;
    };
    let nameable = |name: &str| !name.starts_with(['+', '-']);
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.retain(|name, _| nameable(name));
    }
    if let Some(required) = schema["required"].as_array_mut() {
        required.retain(|name| name.as_str().is_some_and(nameable));
    }
    schema.insert("additionalProperties".into(), true.into());
}

/// Describes the fields that mean the same everywhere.
fn describe_fields(document: &mut Value) {
    let schemas = document["components"]["schemas"]
        .as_object_mut()
        .into_iter()
        .flatten();
    for (_, schema) in schemas {
        let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
            continue;
        };
        for (name, property) in properties {
            let bare = property.get("description").is_none() && property.get("$ref").is_none();
            if let Some(meaning) = words::field(name).filter(|_| bare) {
                property["description"] = meaning.into();
            }
        }
    }
}

fn complete_operations(document: &mut Value) {
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    for (path, item) in paths {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            complete_parameters(operation);
            complete_responses(operation, method, path);
            requirements::add(operation);
            specified::mark(operation);
        }
    }
}

fn complete_parameters(operation: &mut Value) {
    describe_parameters(operation);
    if let Some(parameters) = operation["parameters"].as_array_mut() {
        parameters.push(json!({"$ref": "#/components/parameters/ApiVersionHeader"}));
    }
}

fn describe_parameters(operation: &mut Value) {
    let Some(operation) = operation.as_object_mut() else {
        return;
    };
    let operation_id = operation["operationId"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let parameters = operation.entry("parameters").or_insert_with(|| json!([]));
    for parameter in parameters.as_array_mut().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default();
        if let Some((_, description, example)) = PARAMETERS.iter().find(|known| known.0 == name) {
            let other = words::OTHER_EXAMPLES
                .iter()
                .find(|other| operation_id == other.0 && name == other.1);
            let example = other.map_or(example, |other| &other.2);
            let textual = parameter["schema"]["type"] == "string";
            let typed = match example.parse::<i64>() {
                Ok(number) if !textual => number.into(),
                _ => Value::from(*example),
            };
            let meaning = words::OTHER_MEANINGS
                .iter()
                .find(|other| operation_id == other.0 && name == other.1);
            let description = meaning.map_or(description, |other| &other.2);
            parameter["description"] = (*description).into();
            if !example.is_empty() {
                parameter["example"] = typed;
            }
        }
    }
}

fn version_parameter() -> Value {
    json!({
        "name": "X-Service-Api-Version",
        "in": "header",
        "description": "The version of the API to use. `X-GitHub-Api-Version` is an alias.",
        "required": false,
        "schema": {"$ref": "#/components/schemas/ApiVersion"},
        "example": ApiVersion::V2026_03_10.as_str(),
    })
}

fn version_schema() -> Value {
    let versions = ApiVersion::ALL.map(ApiVersion::as_str);
    let names = versions.map(|version| format!("V{}", version.replace('-', "_")));
    json!({
        "type": "string",
        "description": "A version of the API, named by its date. If omitted, the oldest version is used.",
        "enum": versions,
        "default": ApiVersion::V2022_11_28.as_str(),
        "x-enum-varnames": names,
    })
}

fn failure() -> Value {
    json!({"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}})
}

fn shared_headers() -> Value {
    let headers = HEADERS.iter().map(|(component, _, kind, description)| {
        let header = json!({"description": description, "schema": {"type": kind}});
        ((*component).to_owned(), header)
    });
    Value::Object(headers.collect())
}

fn header_references(components: &[&str]) -> Map<String, Value> {
    HEADERS
        .iter()
        .filter(|header| components.contains(&header.0))
        .map(|(component, name, ..)| {
            let reference = json!({"$ref": format!("#/components/headers/{component}")});
            ((*name).to_owned(), reference)
        })
        .collect()
}

fn complete_responses(operation: &mut Value, method: &str, path: &str) {
    let paginated = operation["parameters"]
        .as_array()
        .is_some_and(|all| all.iter().any(|parameter| parameter["name"] == "per_page"));
    let commented =
        (path.contains("/comments") || path.contains("/reviews")) && !path.contains("/reactions");
    let limited = path != UNLIMITED_PATH;
    let Some(responses) = operation["responses"].as_object_mut() else {
        return;
    };
    responses.entry("401").or_insert_with(|| {
        json!({"description": "Requires authentication, or the credentials are invalid.", "content": failure()})
    });
    if limited {
        responses.entry("403").or_insert_with(
            || json!({"description": "A rate limit was exceeded.", "content": failure()}),
        );
    }
    if method == "get" && responses.contains_key("200") {
        responses
            .entry("304")
            .or_insert_with(|| json!({"description": "Not modified."}));
    }
    for (status, response) in responses.iter_mut() {
        let mut headers = vec!["RateLimitLimit", "RateLimitRemaining", "RateLimitReset"];
        match status.as_str() {
            "200" | "201" | "202" | "304"
                if method == "get" || response["content"]["application/json"].is_object() =>
            {
                headers.push("ETag");
            }
            _ => {}
        }
        match status.as_str() {
            "200" | "304" if method == "get" => {
                let has_references =
                    path.contains("/git/ref") || path.contains("/git/matching-refs");
                if has_references {
                    headers.push("PollInterval");
                }
                if has_references || DATED.iter().any(|end| path.ends_with(end)) {
                    headers.push("LastModified");
                }
            }
            "201" if !UNLOCATED.iter().any(|end| path.ends_with(end)) => {
                headers.push("Location");
            }
            _ => {}
        }
        if status == "200" && paginated {
            headers.push("Link");
        }
        response["headers"] = header_references(&headers).into();
        if commented && status.starts_with('2') {
            add_comment_media(response);
        }
    }
    add_refusals(responses);
}

/// The ends of the paths, besides those of references, whose responses have `Last-Modified`.
const DATED: [&str; 3] = [
    "/git/commits/{commit_sha}",
    "/git/tags/{tag_sha}",
    "/projectsV2/{project_number}",
];

/// The ends of the paths whose 201 has no `Location`, as on GitHub.
const UNLOCATED: [&str; 6] = [
    "/access_tokens",
    "/assignees",
    "/drafts",
    "/fields",
    "/items",
    "/reactions",
];

/// Adds the error responses that every operation has.
fn add_refusals(responses: &mut Map<String, Value>) {
    responses.sort_keys();
    // Not `default`, which would include success.
    for (range, refusal) in [("4XX", "Refused"), ("5XX", "Failed")] {
        let reference = json!({"$ref": format!("#/components/responses/{refusal}")});
        responses.insert(range.into(), reference);
    }
}

/// Adds the custom media types of review comments (Spec, Custom media types). The content
/// type of the response is `application/json` for all of them.
fn add_comment_media(response: &mut Value) {
    let Some(content) = response.get_mut("content").and_then(Value::as_object_mut) else {
        return;
    };
    if let Some(shape) = content.get("application/json").cloned() {
        for form in ["raw", "text", "html", "full"] {
            let media = format!("application/vnd.github-commitcomment.{form}+json");
            content.insert(media, shape.clone());
        }
    }
}

/// Keeps the tags that the document uses and sorts them in the order of the specification,
/// in which Swagger UI shows them.
fn sort_tags(document: &mut Value) {
    let used: Vec<_> = super::operations(document)
        .filter_map(|operation| operation["tags"][0].as_str().map(str::to_owned))
        .collect();
    if let Some(tags) = document["tags"].as_array_mut() {
        tags.retain(|tag| used.iter().any(|name| tag["name"] == **name));
        tags.sort_by_key(|tag| TAGS.iter().position(|name| tag["name"] == *name));
    }
}

/// The tags of all documents in their order.
const TAGS: [&str; 23] = [
    "Project fields",
    "Project items",
    "Issue fields",
    "Issues",
    "Labels",
    "Review comments",
    "Pull requests",
    "Reviews",
    "Reactions",
    "Git references",
    "Commits",
    "Commit statuses",
    "Checks",
    "Contents",
    "App installations",
    "Apps",
    "Look-ups",
    "Service",
    "Worlds",
    "Clock",
    "Faults",
    "Journal",
    "Deliveries",
];

#[cfg(test)]
mod tests {
    use super::super::{companion, control, operations, service};
    use super::TAGS;

    #[test]
    fn every_tag_has_its_place() {
        for document in [service(), companion(), control()] {
            let tags = document["tags"].as_array().unwrap().iter();
            let places: Vec<_> = tags
                .map(|tag| TAGS.iter().position(|name| tag["name"] == *name))
                .collect();
            assert!(
                places.iter().all(Option::is_some) && places.is_sorted(),
                "{places:?}"
            );
        }
    }

    #[test]
    fn every_body_of_the_control_api_refuses_unknown_keys() {
        let document = control();
        let mut bodies = 0;
        for operation in operations(document) {
            let body = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
            if let Some(name) = body.as_str().and_then(|name| name.rsplit('/').next()) {
                bodies += 1;
                let schema = &document["components"]["schemas"][name];
                assert_eq!(schema["additionalProperties"], false, "{name}");
            }
        }
        assert!(bodies > 0);
    }
}
