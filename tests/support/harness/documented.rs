//! Validates every response against the OpenAPI documents: its status and its media type are
//! listed, its headers are those that are listed, and its body matches the schema, without keys
//! that the schema does not define.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use poem::http::{HeaderMap, Method, StatusCode};
use serde_json::{Map, Value, json};

/// Keys of responses that no schema lists, because generated clients cannot name them
/// (`openapi/decisions.md`, "What generated clients can read").
const UNNAMEABLE: &str = "^[+-]1$";

/// The headers that the documents list wherever they are sent.
const LISTED_HEADERS: [&str; 9] = [
    "ETag",
    "Last-Modified",
    "Link",
    "Location",
    "Retry-After",
    "X-Poll-Interval",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
];

/// Paths outside the API.
const OUTSIDE_API: [&str; 6] = [
    "/docs",
    "/healthz",
    "/metrics",
    "/openapi/",
    "/operations.json",
    "/readyz",
];

/// An operation of one of the documents.
struct Operation {
    document: usize,
    template: &'static str,
    /// The media types of responses that are not JSON.
    forms: Vec<String>,
    responses: &'static Map<String, Value>,
}

/// The documents, their schemas as JSON Schema, and all operations by method.
struct Documents {
    documents: [&'static Value; 3],
    schemas: Value,
    operations: HashMap<String, Vec<Operation>>,
}

static DOCUMENTS: LazyLock<Documents> = LazyLock::new(Documents::read);

/// Validators by operation and status; compiling one takes milliseconds.
static VALIDATORS: LazyLock<Mutex<HashMap<String, &'static Validator>>> =
    LazyLock::new(Mutex::default);

/// Fails the test unless the documents describe this response.
#[track_caller]
pub fn assert_documented(
    method: &Method,
    path: &str,
    status: StatusCode,
    headers: &HeaderMap,
    body: &str,
) {
    if [Method::HEAD, Method::OPTIONS].contains(method) {
        assert_eq!(body, "", "{method} {path} has a body");
        return;
    }
    let path = path.split('?').next().unwrap_or(path);
    let path = path.strip_prefix("/api/v3").unwrap_or(path);
    let path = if path.is_empty() { "/" } else { path };
    if OUTSIDE_API.iter().any(|prefix| path.starts_with(prefix)) || status == StatusCode::FOUND {
        return;
    }
    let Some(operation) = DOCUMENTS.operation(method, path) else {
        return assert_error(method, path, status, body);
    };
    let response = format!("{method} {} returned {status}", operation.template);
    let class = format!("{}XX", status.as_u16() / 100);
    let described = operation.responses.get_key_value(status.as_str());
    let described = described.or_else(|| operation.responses.get_key_value(&class));
    let Some((listed, described)) = described else {
        panic!("{response}, which the document does not list: {body}");
    };
    let document = DOCUMENTS.documents[operation.document];
    let described = resolved(document, described);
    for name in LISTED_HEADERS {
        let sent = headers.get(name);
        match &described["headers"][name] {
            Value::Null => assert_eq!(sent, None, "{response} with {name}, which is not listed"),
            header => assert!(
                sent.is_some() || may_be_omitted(resolved(document, header)),
                "{response} without {name}"
            ),
        }
    }
    let media = headers.get("content-type");
    let media = media.map(|media| media.to_str().unwrap());
    let media = media.and_then(|media| media.split(';').next());
    let content = &described["content"];
    let is_form = |media: &str| operation.forms.iter().any(|form| form == media);
    match media {
        None => assert_eq!(body, "", "{response} with a body but no media type"),
        Some(form) if status == StatusCode::OK && is_form(form) => {}
        Some(media) => {
            let described = &content[media];
            assert!(described.is_object(), "{response} with {media}: {content}");
            if media == "application/json" {
                let key = format!("{method} {} {listed}", operation.template);
                assert_valid(&response, &key, &described["schema"], body);
            }
        }
    }
    let empty = media.is_none();
    assert!(
        !empty || content.is_null(),
        "{response} without a body: {content}"
    );
}

/// What a reference refers to, or the value itself.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        None => value,
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
    }
}

/// Whether the description of a header tells when it is omitted.
fn may_be_omitted(header: &Value) -> bool {
    header["description"].as_str().unwrap().contains("Omitted")
}

/// A path without an operation gets an error with the standard body.
fn assert_error(method: &Method, path: &str, status: StatusCode, body: &str) {
    let response = format!("{method} {path} returned {status}");
    assert!(
        status.is_client_error() || status.is_server_error(),
        "{response}, and no document has such an operation: {body}"
    );
    let schema = json!({ "$ref": "#/components/schemas/Failure" });
    assert_valid(&response, "error", &schema, body);
}

fn assert_valid(response: &str, key: &str, schema: &Value, body: &str) {
    let body: Value = serde_json::from_str(body)
        .unwrap_or_else(|error| panic!("{response} with a body that is not JSON: {error}: {body}"));
    let validator = validator(key, schema);
    let errors: Vec<_> = validator
        .iter_errors(&body)
        .map(|error| format!("  at {}: {error}", error.instance_path()))
        .collect();
    assert!(
        errors.is_empty(),
        "{response} with a body that does not match its schema:\n{}\n{body:#}",
        errors.join("\n")
    );
}

fn validator(key: &str, schema: &Value) -> &'static Validator {
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    validators.entry(key.to_owned()).or_insert_with(|| {
        let mut root = as_json_schema(schema);
        root["components"] = DOCUMENTS.schemas.clone();
        Box::leak(Box::new(jsonschema::draft7::new(&root).unwrap()))
    })
}

impl Documents {
    fn read() -> Self {
        let documents = [
            contract::service(),
            contract::companion(),
            contract::control(),
        ];
        let mut operations: HashMap<String, Vec<Operation>> = HashMap::new();
        for (document, described) in documents.iter().enumerate() {
            for (template, methods) in described["paths"].as_object().unwrap() {
                for (method, operation) in methods.as_object().unwrap() {
                    let Some(responses) = operation["responses"].as_object() else {
                        continue;
                    };
                    let id = operation["operationId"].as_str().unwrap_or_default();
                    let forms =
                        contract::operation(id).map_or(&[][..], |operation| operation.forms);
                    let forms = forms.iter().map(|form| form.as_str());
                    let of_method = operations.entry(method.to_uppercase()).or_default();
                    of_method.push(Operation {
                        document,
                        template,
                        forms: forms
                            .map(|word| format!("application/vnd.github.{word}"))
                            .collect(),
                        responses,
                    });
                }
            }
        }
        let schemas = contract::components()
            .iter()
            .map(|(name, schema)| (name.clone(), as_json_schema(schema)));
        let schemas = json!({ "schemas": Value::Object(schemas.collect()) });
        Self {
            documents,
            schemas,
            operations,
        }
    }

    /// Of several matching templates, the one with the most literal segments.
    /// A POST to a reference is an alias of PATCH.
    fn operation(&self, method: &Method, path: &str) -> Option<&Operation> {
        let method = match method == Method::POST && path.contains("/git/refs/") {
            true => &Method::PATCH,
            false => method,
        };
        let operations = self.operations.get(method.as_str())?.iter();
        operations
            .filter_map(|operation| Some((literal_segments(operation.template, path)?, operation)))
            .max_by_key(|(literal, _)| *literal)
            .map(|(_, operation)| operation)
    }
}

/// The parameters that can match several segments.
const MULTI_SEGMENT: [&str; 5] = ["{ref}", "{path}", "{dir}", "{branch}", "{basehead}"];

/// The number of segments that match literally; `None` if the path does not match.
/// The name of a reference or a file matches the rest of the path, up to the segment after it
/// in the template, and may end with a slash.
fn literal_segments(template: &str, path: &str) -> Option<usize> {
    let mut segments = path.split('/');
    let mut literal = 0;
    let mut template = template.split('/');
    while let Some(expected) = template.next() {
        let segment = segments.next()?;
        if MULTI_SEGMENT.contains(&expected) {
            let non_empty = !segment.is_empty();
            return match template.next() {
                None => non_empty.then_some(literal),
                Some(end) => {
                    (non_empty && segments.next_back() == Some(end)).then_some(literal + 1)
                }
            };
        }
        if expected == segment {
            literal += 1;
        } else if !expected.starts_with('{') || segment.is_empty() {
            return None;
        }
    }
    let rest = segments.next();
    rest.is_none_or(str::is_empty).then_some(literal)
}

/// Converts a schema of OpenAPI 3.0 to JSON Schema: `nullable` becomes a type. An object can have
/// only the keys that it defines, unless it allows others.
fn as_json_schema(schema: &Value) -> Value {
    let mut schema = match schema {
        Value::Object(schema) => schema
            .iter()
            .map(|(key, value)| (key.clone(), as_json_schema(value)))
            .collect::<Map<_, _>>(),
        Value::Array(parts) => return parts.iter().map(as_json_schema).collect(),
        scalar => return scalar.clone(),
    };
    if schema.get("properties").is_some_and(Value::is_object)
        && !schema.contains_key("additionalProperties")
    {
        schema.insert(
            "patternProperties".into(),
            json!({ UNNAMEABLE: { "type": "integer" } }),
        );
        schema.insert("additionalProperties".into(), json!(false));
    }
    if schema.remove("nullable") == Some(json!(true)) {
        return json!({ "anyOf": [{ "type": "null" }, schema] });
    }
    Value::Object(schema)
}
