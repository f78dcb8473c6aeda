//! Applies what a `#[schema]` says that poem-openapi cannot express. It arrives at the beginning
//! of a description.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::tidy;

/// An object that refuses unknown keys.
const CLOSED: &str = "‹closed›";
/// A field that no client could name. The schema is open, so that clients ignore it.
const UNLISTED: &str = "‹unlisted›";
/// A field that this service always sends, but that GitHub documents as optional and the
/// specification does not call "always".
const UNPROMISED: &str = "‹unpromised›";

/// The key with the names of the unpromised fields, until the document is published.
const OPTIONAL: &str = "x-unpromised";

/// Applies the marks of all schemas and removes them.
pub fn apply(document: &mut Value) {
    for schema in schemas(document) {
        if take(schema, CLOSED) {
            schema.insert("additionalProperties".into(), false.into());
        }
        let (mut unlisted, mut unpromised) = (Vec::new(), Vec::new());
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            let Some(property) = property.as_object_mut() else {
                continue;
            };
            if take(property, UNLISTED) {
                unlisted.push(name.clone());
            }
            if take(property, UNPROMISED) {
                unpromised.push(Value::from(name.as_str()));
            }
        }
        if !unlisted.is_empty() {
            no_longer_require(schema, |name| unlisted.iter().any(|one| name == one));
            if let Some(properties) = schema["properties"].as_object_mut() {
                properties.retain(|name, _| !unlisted.contains(name));
            }
            schema.insert("additionalProperties".into(), true.into());
        }
        if !unpromised.is_empty() {
            schema.insert(OPTIONAL.into(), unpromised.into());
        }
    }
}

/// Makes the unpromised fields optional if the document is published. The service guarantees more
/// than it publishes, so that a client generated from the documents can also read GitHub's
/// responses.
pub fn settle(document: &mut Value, published: bool) {
    for schema in schemas(document) {
        let unpromised = schema.shift_remove(OPTIONAL);
        let unpromised = unpromised.as_ref().and_then(Value::as_array);
        if let Some(names) = unpromised.filter(|_| published) {
            no_longer_require(schema, |name| names.contains(name));
        }
    }
}

fn schemas(document: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let schemas = document["components"]["schemas"].as_object_mut();
    let schemas = schemas.into_iter().flatten();
    schemas.filter_map(|(_, schema)| schema.as_object_mut())
}

/// Removes a mark from a description, and tells whether it was there.
fn take(described: &mut Map<String, Value>, mark: &str) -> bool {
    let description = described.get("description").and_then(Value::as_str);
    let Some(rest) = description.and_then(|text| text.strip_prefix(mark)) else {
        return false;
    };
    let rest = rest.trim_start().to_owned();
    if rest.is_empty() {
        described.shift_remove("description");
        tidy::unwrap_reference(described, &mut BTreeSet::new());
    } else {
        described.insert("description".into(), rest.into());
    }
    true
}

fn no_longer_require(schema: &mut Map<String, Value>, optional: impl Fn(&Value) -> bool) {
    let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) else {
        return;
    };
    required.retain(|name| !optional(name));
    if required.is_empty() {
        schema.shift_remove("required");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn marked() -> Value {
        let reference = json!([{"$ref": "#/components/schemas/User"}]);
        let mut document = json!({"components": {"schemas": {"Label": {
            "description": "‹closed›\nA label.",
            "required": ["name", "owner", "+1"],
            "properties": {
                "name": {"type": "string"},
                "owner": {"allOf": reference, "description": "‹unpromised›"},
                "+1": {"type": "integer", "description": "‹unlisted›\nThe number."},
            },
        }}}});
        apply(&mut document);
        document
    }

    #[test]
    fn marks_become_keys_of_the_schema() {
        let mut document = marked();
        settle(&mut document, true);
        let expected = json!({
            "description": "A label.",
            "required": ["name"],
            "properties": {
                "name": {"type": "string"},
                "owner": {"$ref": "#/components/schemas/User"},
            },
            "additionalProperties": true,
        });
        assert_eq!(document["components"]["schemas"]["Label"], expected);
    }

    #[test]
    fn only_published_documents_make_fields_optional() {
        let mut document = marked();
        settle(&mut document, false);
        let label = &document["components"]["schemas"]["Label"];
        assert_eq!(label["required"], json!(["name", "owner"]));
        assert_eq!(label.get(OPTIONAL), None);
    }

    #[test]
    fn no_mark_remains_in_a_document() {
        for document in [crate::service(), crate::companion()] {
            let text = document.to_string();
            assert!(!text.contains('‹') && !text.contains(OPTIONAL));
        }
    }
}
