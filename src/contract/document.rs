//! The two documents: derived from the annotated types, then completed with
//! what poem-openapi cannot say, and rid of what it says needlessly. The served
//! document, the checked one and the YAML are all what these functions return.

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;
use std::sync::LazyLock;

use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem_openapi::registry::{MetaApi, Registry};
use poem_openapi::{OpenApi, OpenApiService};
use serde_json::{Map, Value, json};

use super::problem::DOCUMENTATION_ROOT;
use super::version::ApiVersion;
use super::{
    apps, git_refs, installations, issue_fields, lookups, project_fields, review_comments,
};

type ServiceApi = (
    project_fields::Api,
    issue_fields::Api,
    review_comments::Api,
    git_refs::Api,
    installations::Api,
);
type CompanionApi = (apps::Api, lookups::Api);

/// The 28 operations of the specification.
pub fn service() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
        derive::<ServiceApi>(
            "Forgewright",
            "Project fields, issue fields, pull request review comments, Git references and app \
             installations of a forge.\n\nSend a token as `Authorization: Bearer <token>`; public \
             resources can be read without one where an operation says so. Every request may name \
             a version of the API in `X-Service-Api-Version` (or its alias \
             `X-GitHub-Api-Version`) and a media type in `Accept`; \
             `application/vnd.github+json` is recommended.",
        )
    });
    &DOCUMENT
}

/// What real clients need around the service.
pub fn companion() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
        derive::<CompanionApi>(
            "Forgewright companion",
            "What real clients ask for around the service: apps and their tokens, the things that \
             the addresses of the service lead to, and its root, versions and rate limits. The \
             operations of the service itself are in the other document.\n\nOperations on apps take a \
             JSON web token that the app has signed, as `Authorization: Bearer <JWT>`; all others \
             take the tokens of the service.",
        )
    });
    &DOCUMENT
}

/// Every schema of both documents by name.
pub fn components() -> &'static Map<String, Value> {
    static SCHEMAS: LazyLock<Map<String, Value>> = LazyLock::new(|| {
        [companion(), service()]
            .into_iter()
            .filter_map(|document| document["components"]["schemas"].as_object())
            .flat_map(Clone::clone)
            .collect()
    });
    &SCHEMAS
}

/// Where an operation is documented; the root when it is none of ours.
pub fn documentation_url(operation_id: &str) -> &'static str {
    static ADDRESSES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        [service(), companion()]
            .into_iter()
            .flat_map(operations)
            .filter_map(|operation| {
                let address = operation["externalDocs"]["url"].as_str()?;
                Some((operation["operationId"].as_str()?, address))
            })
            .collect()
    });
    ADDRESSES
        .get(operation_id)
        .copied()
        .unwrap_or(DOCUMENTATION_ROOT)
}

/// Every operation of a document.
fn operations(document: &Value) -> impl Iterator<Item = &Value> {
    let paths = document["paths"]
        .as_object()
        .into_iter()
        .flat_map(Map::values);
    paths.filter_map(Value::as_object).flat_map(Map::values)
}

/// An API that can describe itself and has nothing behind it.
struct Described<T>(PhantomData<T>);

impl<T: OpenApi> OpenApi for Described<T> {
    fn meta() -> Vec<MetaApi> {
        T::meta()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn add_routes(self, _: &mut HashMap<String, HashMap<Method, BoxEndpoint<'static>>>) {}
}

fn derive<T: OpenApi>(title: &str, description: &str) -> Value {
    let newest = ApiVersion::V2026_03_10.as_str();
    let text = OpenApiService::new(Described::<T>(PhantomData), title, newest).spec();
    let mut document: Value = serde_json::from_str(&text).unwrap_or_default();
    let kinds = kinds(&document);
    tidy(&mut document, &kinds);
    forget_unused(&mut document);
    document["openapi"] = "3.0.3".into();
    document["info"] = json!({
        "title": title,
        "description": description,
        "version": newest,
        "contact": {"name": "The Forgewright maintainers", "url": "https://docs.github.com/rest"},
        "license": {"name": "MIT OR Apache-2.0", "url": "https://spdx.org/licenses/MIT.html"},
    });
    document["servers"] = json!([
        {"url": "/", "description": "This server"},
        {"url": "/api/v3", "description": "This server, as clients of an enterprise host address it"},
    ]);
    sort_tags(&mut document);
    document["components"]["parameters"] = json!({"ApiVersion": version_parameter()});
    document["components"]["headers"] = shared_headers();
    document["components"]["responses"] = json!({"Refused": {
        "description": "The request could not be served at all: it cannot be read (400), is too \
                        large (413) or accepts no JSON (415), or the service cannot answer now (5xx).",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}},
    }});
    for schema in CLOSED {
        if let Some(schema) = document["components"]["schemas"].get_mut(schema) {
            schema["additionalProperties"] = false.into();
        }
    }
    complete_operations(&mut document);
    document
}

/// Bodies that refuse keys which they do not know. All others ignore them.
const CLOSED: &[&str] = &[
    "AddFieldFromIssueField",
    "AddPlainField",
    "AddSingleSelectField",
    "AddIterationField",
    "AddIteration",
    "CreateReviewComment",
];

/// Operations that may be called without a body.
const OPTIONAL_BODY: &[&str] = &["create_installation_token"];

fn complete_operations(document: &mut Value) {
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    for (path, item) in paths {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            complete_parameters(operation);
            if OPTIONAL_BODY
                .iter()
                .any(|id| operation["operationId"] == *id)
            {
                operation["requestBody"]["required"] = false.into();
            }
            complete_responses(operation, method, path);
        }
    }
}

fn complete_parameters(operation: &mut Value) {
    let Some(operation) = operation.as_object_mut() else {
        return;
    };
    let parameters = operation.entry("parameters").or_insert_with(|| json!([]));
    for parameter in parameters.as_array_mut().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default();
        if let Some((_, description, example)) = PARAMETERS.iter().find(|known| known.0 == name) {
            let typed = match example.parse::<i64>() {
                Ok(number) => number.into(),
                Err(_) => Value::from(*example),
            };
            parameter["description"] = (*description).into();
            if !example.is_empty() {
                parameter["example"] = typed;
            }
        }
    }
    if let Some(parameters) = parameters.as_array_mut() {
        parameters.push(json!({"$ref": "#/components/parameters/ApiVersion"}));
    }
}

/// What each path or query parameter means, wherever it stands, with a value
/// that exists in the demo world.
const PARAMETERS: &[(&str, &str, &str)] = &[
    (
        "owner",
        "The account that owns the repository. The name is not case-sensitive.",
        "acme",
    ),
    (
        "repo",
        "The name of the repository without `.git`. It is not case-sensitive.",
        "gadgets",
    ),
    (
        "ref",
        "The Git reference: `heads/<branch name>` or `tags/<tag name>`. Slashes may stand as they are or as `%2F`.",
        "heads/main",
    ),
    (
        "org",
        "The name of the organization. It is not case-sensitive.",
        "acme",
    ),
    (
        "username",
        "The handle of the user account. It is not case-sensitive.",
        "alice",
    ),
    ("project_number", "The number of the project.", "1"),
    ("field_id", "The identifier of the field.", "5001"),
    (
        "issue_field_id",
        "The identifier of the issue field.",
        "4001",
    ),
    ("comment_id", "The identifier of the comment.", "9001"),
    ("pull_number", "The number of the pull request.", "1"),
    (
        "installation_id",
        "The identifier of the installation.",
        "7001",
    ),
    ("repository_id", "The identifier of the repository.", "2002"),
    (
        "per_page",
        "How many results a page holds, at most 100.",
        "",
    ),
    ("page", "The number of the page.", ""),
    (
        "before",
        "A cursor from the `prev` relation of the Link header: only results before it.",
        "",
    ),
    (
        "after",
        "A cursor from the `next` relation of the Link header: only results after it.",
        "",
    ),
    (
        "sort",
        "By what to sort. Without it the order is ascending by id.",
        "",
    ),
    (
        "direction",
        "In which direction to sort. Ignored without `sort`.",
        "",
    ),
    (
        "since",
        "Only results that were last updated after this time, `YYYY-MM-DDTHH:MM:SSZ`.",
        "",
    ),
    (
        "outdated",
        "Accepted and ignored: no installation here is outdated.",
        "",
    ),
];

fn version_parameter() -> Value {
    let versions: Vec<_> = ApiVersion::ALL
        .iter()
        .map(|version| version.as_str())
        .collect();
    json!({
        "name": "X-Service-Api-Version",
        "in": "header",
        "description": "The version of the API to use. `X-GitHub-Api-Version` is an alias.",
        "required": false,
        "schema": {"type": "string", "enum": versions, "default": ApiVersion::V2022_11_28.as_str()},
        "example": ApiVersion::V2026_03_10.as_str(),
    })
}

/// Headers by component name, name on the wire, type and meaning.
const HEADERS: &[(&str, &str, &str, &str)] = &[
    (
        "ETag",
        "ETag",
        "string",
        "Identifies this very answer; send it back in `If-None-Match`.",
    ),
    (
        "LastModified",
        "Last-Modified",
        "string",
        "When the thing shown last changed, as an HTTP date, where that is known.",
    ),
    (
        "Link",
        "Link",
        "string",
        "The neighbouring pages; absent when everything fits on one.",
    ),
    (
        "Location",
        "Location",
        "string",
        "Where the new thing can be read.",
    ),
    (
        "RateLimitLimit",
        "X-RateLimit-Limit",
        "integer",
        "How many requests an hour allows.",
    ),
    (
        "RateLimitRemaining",
        "X-RateLimit-Remaining",
        "integer",
        "How many of them are left.",
    ),
    (
        "RateLimitReset",
        "X-RateLimit-Reset",
        "integer",
        "When the hour ends, in Unix seconds.",
    ),
];

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
    let commented = path.contains("/comments");
    let Some(responses) = operation["responses"].as_object_mut() else {
        return;
    };
    let failure = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}});
    responses.entry("401").or_insert_with(|| {
        json!({"description": "Requires authentication, or the credential is not valid.", "content": failure})
    });
    if method == "get" {
        responses.entry("304").or_insert_with(
            || json!({"description": "Not modified since the version that the request names."}),
        );
    }
    for (status, response) in responses.iter_mut() {
        let mut headers = vec!["RateLimitLimit", "RateLimitRemaining", "RateLimitReset"];
        match status.as_str() {
            "200" | "304" if method == "get" => headers.extend(["ETag", "LastModified"]),
            "201" if !path.ends_with("/fields") && !path.ends_with("/access_tokens") => {
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
    responses.sort_keys();
    responses.insert(
        "default".into(),
        json!({"$ref": "#/components/responses/Refused"}),
    );
}

/// The custom media types of review comments (Spec, Custom media types). The
/// answer's own content type is `application/json` for all of them.
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

/// The tags that the document uses, in the order of the specification, which
/// readers see in Swagger UI.
fn sort_tags(document: &mut Value) {
    const ORDER: [&str; 8] = [
        "Project fields",
        "Issue fields",
        "Review comments",
        "Git references",
        "App installations",
        "Apps",
        "Look-ups",
        "Service",
    ];
    let used: HashSet<String> = operations(document)
        .flat_map(|operation| operation["tags"].as_array().into_iter().flatten())
        .filter_map(|tag| tag.as_str().map(str::to_owned))
        .collect();
    if let Some(tags) = document["tags"].as_array_mut() {
        tags.retain(|tag| tag["name"].as_str().is_some_and(|name| used.contains(name)));
        tags.sort_by_key(|tag| ORDER.iter().position(|name| tag["name"] == *name));
    }
}

/// The `type` of each schema, by what refers to it.
type Kinds = HashMap<String, String>;

fn kinds(document: &Value) -> Kinds {
    let schemas = document["components"]["schemas"].as_object();
    schemas
        .into_iter()
        .flatten()
        .filter_map(|(name, schema)| {
            let kind = schema["type"].as_str()?;
            Some((schema_reference(name), kind.to_owned()))
        })
        .collect()
}

fn schema_reference(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

/// Drops the schemas that nothing refers to: those of Rust types whose fields
/// are shown as fields of another.
fn forget_unused(document: &mut Value) {
    let mut used = HashSet::new();
    collect_references(document, &mut used);
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        schemas.retain(|name, _| used.contains(&schema_reference(name)));
    }
}

fn collect_references(value: &Value, used: &mut HashSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, used)),
        Value::Object(object) => {
            if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
                used.insert(reference.to_owned());
            }
            object
                .values()
                .for_each(|inner| collect_references(inner, used));
        }
        _ => {}
    }
}

/// Removes what says nothing: defaults spelled out, whole numbers as fractions,
/// and wrappers that only make a reference nullable.
fn tidy(value: &mut Value, kinds: &Kinds) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| tidy(item, kinds)),
        Value::Object(object) => {
            object.retain(|key, value| match key.as_str() {
                "explode" => !value.is_boolean(),
                "deprecated" => value != &Value::Bool(false),
                _ => true,
            });
            for key in ["minimum", "maximum"] {
                if let Some(whole) = object.get(key).and_then(Value::as_f64) {
                    object.insert(key.to_owned(), (whole as i64).into());
                }
            }
            unwrap_reference(object, kinds);
            object.values_mut().for_each(|inner| tidy(inner, kinds));
        }
        _ => {}
    }
}

/// `allOf: [$ref, {…}]` beside the same `{…}` becomes a plain reference, or, where
/// it may be null, `nullable` with the type that must stand beside it.
fn unwrap_reference(object: &mut Map<String, Value>, kinds: &Kinds) {
    let Some(parts) = object.get("allOf").and_then(Value::as_array) else {
        return;
    };
    let Some(reference) = parts
        .iter()
        .find(|part| part.get("$ref").is_some())
        .cloned()
    else {
        return;
    };
    let nullable = object.get("nullable") == Some(&Value::Bool(true));
    let description = object.remove("description");
    let default = object.remove("default");
    object.clear();
    if nullable {
        let kind = reference["$ref"].as_str().and_then(|name| kinds.get(name));
        object.insert("type".into(), kind.map_or("object", String::as_str).into());
        object.insert("nullable".into(), true.into());
    }
    if let Some(description) = description {
        object.insert("description".into(), description);
    }
    if let Some(default) = default {
        object.insert("default".into(), default);
    }
    if object.is_empty() {
        object.insert("$ref".into(), reference["$ref"].clone());
    } else {
        object.insert("allOf".into(), json!([reference]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_may_be_null_has_the_type_of_what_it_refers_to() {
        let comment = &service()["components"]["schemas"]["ReviewComment"]["properties"];
        for (field, kind) in [("start_side", "string"), ("user", "object")] {
            assert_eq!(comment[field]["type"], kind, "{field}");
            assert_eq!(comment[field]["nullable"], true, "{field}");
        }
    }

    #[test]
    fn what_is_shown_as_fields_of_another_has_no_schema_of_its_own() {
        let schemas = &service()["components"]["schemas"];
        assert!(schemas["Repository"]["properties"]["git_refs_url"].is_object());
        assert_eq!(schemas.get("RepositoryParts"), None);
    }
}
