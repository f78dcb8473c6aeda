//! Removes what is redundant from a derived document.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value, json};

/// Removes what says nothing: defaults spelled out, whole numbers as fractions,
/// and wrappers that only make a reference nullable.
pub fn tidy(document: &mut Value) {
    let mut nullable = BTreeSet::new();
    tidy_value(document, &mut nullable);
    for name in nullable {
        let twin = nullable_twin(&name, &document["components"]["schemas"][&name]);
        document["components"]["schemas"][nullable_name(&name)] = twin;
    }
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        schemas.sort_keys();
    }
}

fn nullable_name(name: &str) -> String {
    format!("Nullable{name}")
}

/// The same schema for values that may also be null. In OpenAPI 3.0 only a
/// schema itself can say that it is nullable, not a reference to it, so a type
/// that is sometimes null is published twice.
fn nullable_twin(name: &str, schema: &Value) -> Value {
    let mut twin = schema.clone();
    // Generated clients have a type for the values without null as well, and give it the
    // title. Without one they number it; with the name of either schema there would be two.
    twin["title"] = format!("Known{name}").into();
    twin["nullable"] = true.into();
    if let Some(members) = twin.get_mut("enum").and_then(Value::as_array_mut) {
        members.push(Value::Null);
    }
    twin
}

/// Drops the components that nothing refers to: those of Rust types whose fields
/// are shown as fields of another, and headers that no answer has.
pub fn forget_unused(document: &mut Value) {
    let mut used = HashSet::new();
    collect_references(document, &mut used);
    for folder in ["schemas", "headers"] {
        let components = document["components"].get_mut(folder);
        if let Some(components) = components.and_then(Value::as_object_mut) {
            components.retain(|name, _| used.contains(&format!("#/components/{folder}/{name}")));
        }
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

fn tidy_value(value: &mut Value, nullable: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| tidy_value(item, nullable)),
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
            unwrap_reference(object, nullable);
            object
                .values_mut()
                .for_each(|inner| tidy_value(inner, nullable));
        }
        _ => {}
    }
}

/// `allOf: [$ref, {…}]` beside the same `{…}` becomes a plain reference, to the
/// nullable twin where it may be null; a description or default keeps its place.
fn unwrap_reference(object: &mut Map<String, Value>, nullable: &mut BTreeSet<String>) {
    let parts = object.get("allOf").and_then(Value::as_array);
    let reference = parts.and_then(|parts| parts.iter().find_map(|part| part["$ref"].as_str()));
    let Some(reference) = reference.map(str::to_owned) else {
        return;
    };
    let (folder, name) = reference.rsplit_once('/').unwrap_or_default();
    let target = if object.get("nullable") == Some(&Value::Bool(true)) {
        nullable.insert(name.to_owned());
        format!("{folder}/{}", nullable_name(name))
    } else {
        reference
    };
    object.retain(|key, _| matches!(key.as_str(), "description" | "default"));
    if object.is_empty() {
        object.insert("$ref".into(), target.into());
    } else {
        object.insert("allOf".into(), json!([{"$ref": target}]));
    }
}

#[cfg(test)]
mod tests {
    use super::super::service;

    #[test]
    fn a_reference_that_may_be_null_leads_to_a_schema_that_may() {
        let schemas = &service()["components"]["schemas"];
        let user = &schemas["ReviewComment"]["properties"]["user"];
        assert!(
            user.to_string()
                .contains("#/components/schemas/NullableUser"),
            "{user}"
        );
        assert_eq!(schemas["NullableUser"]["nullable"], true);
        let sides = schemas["NullableSide"]["enum"].as_array().unwrap();
        assert!(sides.contains(&serde_json::Value::Null));
    }

    #[test]
    fn what_is_shown_as_fields_of_another_has_no_schema_of_its_own() {
        let schemas = &service()["components"]["schemas"];
        assert!(schemas["Repository"]["properties"]["git_refs_url"].is_object());
        assert_eq!(schemas.get("RepositoryParts"), None);
    }
}
