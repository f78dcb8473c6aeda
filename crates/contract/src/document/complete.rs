//! Completes a derived document with what poem-openapi cannot express: headers, examples of
//! parameters, and the responses that every operation has.

use serde_json::{Map, Value, json};

use super::super::headers::{self, Header};
use super::super::operation::Operation;
use super::super::schemas;
use super::super::version::ApiVersion;
use super::parameters::PARAMETERS;
use super::{declared, for_each_operation, links, requirements, specified};

/// Completes a document of the forge's API.
pub fn complete(document: &mut Value) {
    sort_tags(document);
    document["components"]["parameters"] = json!({"ApiVersionHeader": version_parameter()});
    document["components"]["headers"] = headers::definitions();
    document["components"]["schemas"]["ApiVersion"] = version_schema();
    add_common_responses(document, &Header::RATE_LIMIT);
    schemas::complete(document);
    complete_operations(document);
}

/// Completes the document of the control API, which has no versions, media types or rate limits.
pub fn complete_control(document: &mut Value) {
    sort_tags(document);
    document["components"]["headers"] = headers::definitions();
    add_common_responses(document, &[]);
    schemas::complete(document);
    for_each_operation(document, |operation, declared| {
        describe_parameters(operation, declared);
        if let Some(responses) = operation["responses"].as_object_mut() {
            for (status, response) in responses.iter_mut() {
                let headers = declared_headers(declared, status);
                if !headers.is_empty() {
                    response["headers"] = headers::references(&headers);
                }
            }
            add_refusals(responses);
        }
    });
}

/// Adds the responses that every operation has, with these headers.
fn add_common_responses(document: &mut Value, headers: &[Header]) {
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
    let responses = &mut document["components"]["responses"];
    if !headers.is_empty() {
        responses["Refused"]["headers"] = headers::references(headers);
    }
    let failed = [headers, &[Header::RetryAfter]].concat();
    responses["Failed"]["headers"] = headers::references(&failed);
}

fn complete_operations(document: &mut Value) {
    for_each_operation(document, |operation, declared| {
        complete_parameters(operation, declared);
        complete_responses(operation, declared);
        requirements::add(operation, declared);
        specified::mark(operation, declared);
        links::add(operation, declared);
    });
}

fn complete_parameters(operation: &mut Value, declared: &Operation) {
    describe_parameters(operation, declared);
    if let Some(parameters) = operation["parameters"].as_array_mut() {
        parameters.push(json!({"$ref": "#/components/parameters/ApiVersionHeader"}));
    }
}

/// Adds descriptions and examples to the parameters whose declarations have none.
fn describe_parameters(operation: &mut Value, declared: &Operation) {
    let Some(operation) = operation.as_object_mut() else {
        return;
    };
    let parameters = operation.entry("parameters").or_insert_with(|| json!([]));
    for parameter in parameters.as_array_mut().into_iter().flatten() {
        let Some(parameter) = parameter.as_object_mut() else {
            continue;
        };
        let name = parameter["name"].as_str().unwrap_or_default();
        let usual = PARAMETERS.iter().find(|known| known.0 == name);
        let mut examples = declared.documented.examples.iter();
        let own = examples.find(|own| own.0 == name);
        let example = own.map(|own| own.1).or(usual.map(|usual| usual.2));
        // Every parameter lists its keys in the same order.
        let description = parameter.shift_remove("description");
        let description = description.or_else(|| Some(usual?.1.into()));
        if let Some(description) = description {
            parameter.insert("description".into(), description);
        }
        if let Some(example) = example.filter(|example| !example.is_empty()) {
            let textual = parameter["schema"]["type"] == "string";
            let example = match example.parse::<i64>() {
                Ok(number) if !textual => number.into(),
                _ => example.into(),
            };
            parameter.insert("example".into(), example);
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

fn complete_responses(operation: &mut Value, declared: &Operation) {
    let paginated = operation["parameters"]
        .as_array()
        .is_some_and(|all| all.iter().any(|parameter| parameter["name"] == "per_page"));
    let Some(responses) = operation["responses"].as_object_mut() else {
        return;
    };
    responses.entry("401").or_insert_with(|| {
        json!({"description": "Requires authentication, or the credentials are invalid.", "content": failure()})
    });
    if !declared.unlimited {
        responses.entry("403").or_insert_with(
            || json!({"description": "A rate limit was exceeded.", "content": failure()}),
        );
    }
    if declared.reads_only() && responses.contains_key("200") {
        responses
            .entry("304")
            .or_insert_with(|| json!({"description": "Not modified."}));
    }
    for (status, response) in responses.iter_mut() {
        let mut headers = declared_headers(declared, status);
        headers.extend(Header::RATE_LIMIT);
        let has_body = response["content"]["application/json"].is_object();
        match status.as_str() {
            "200" | "201" | "202" | "304" if declared.reads_only() || has_body => {
                headers.push(Header::ETag);
            }
            _ => {}
        }
        if matches!(status.as_str(), "200" | "304") && paginated {
            headers.push(Header::Link);
        }
        if status == "403" && !declared.unlimited {
            headers.push(Header::RetryAfter);
        }
        response["headers"] = headers::references(&headers);
        if declared.documented.comment_media && status.starts_with('2') {
            add_comment_media(response);
        }
    }
    add_refusals(responses);
}

/// The headers that the operation declares for its responses with this status.
fn declared_headers(declared: &Operation, status: &str) -> Vec<Header> {
    let headers = declared.documented.headers.iter().copied();
    headers
        .filter(|header| header.statuses().contains(&status))
        .collect()
}

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

/// Keeps the tags that the document uses, in the order of their declaration.
fn sort_tags(document: &mut Value) {
    let used: Vec<_> = super::operations(document)
        .filter_map(|operation| {
            Some((
                operation["tags"][0].clone(),
                declared(operation)?.documented.area,
            ))
        })
        .collect();
    let area = |tag: &Value| {
        let used = used.iter().find(|(name, _)| tag["name"] == *name);
        used.and_then(|(_, area)| *area)
    };
    if let Some(tags) = document["tags"].as_array_mut() {
        tags.retain(|tag| area(tag).is_some());
        tags.sort_by_key(area);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{control, operations};

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
