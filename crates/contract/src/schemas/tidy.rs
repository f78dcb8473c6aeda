//! Removes what is redundant from a derived document.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value, json};

/// Removes explicit defaults, writes whole numbers without fractions, and unwraps
/// references that are wrapped only to make them nullable.
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

/// The same schema for values that may also be null. In OpenAPI 3.0 a schema can be
/// nullable, but a reference to it cannot, so a type that is sometimes null is published
/// twice.
fn nullable_twin(name: &str, schema: &Value) -> Value {
    let mut twin = schema.clone();
    // Generated clients also have a type for the values without null, and name it after the
    // title. Without a title they number it; the name of either schema would be taken.
    twin["title"] = format!("Known{name}").into();
    twin["nullable"] = true.into();
    if let Some(members) = twin.get_mut("enum").and_then(Value::as_array_mut) {
        members.push(Value::Null);
    }
    twin
}

/// Removes the components without references: the schemas of flattened Rust types, and
/// headers that no response has.
pub fn remove_unused(document: &mut Value) {
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

/// Replaces `allOf: [$ref, {…}]` next to the same `{…}` with a plain reference, to the
/// nullable twin if the value may be null. A description or default is kept.
pub fn unwrap_reference(object: &mut Map<String, Value>, nullable: &mut BTreeSet<String>) {
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
    use crate::service;

    #[test]
    fn a_nullable_reference_points_to_a_nullable_schema() {
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
    fn a_flattened_type_has_no_schema() {
        let schemas = &service()["components"]["schemas"];
        assert!(schemas["Repository"]["properties"]["git_refs_url"].is_object());
        assert_eq!(schemas.get("RepositoryParts"), None);
    }
}
