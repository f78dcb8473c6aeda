//! Relaxes the published documents, so that a client generated from them can send whatever
//! GitHub accepts, and can read its responses.
//!
//! Requests, and in tests also responses, are validated against the schemas before this
//! step (`components`).

use serde_json::{Map, Value};

/// Moves the bounds of values, which only this service has, into their descriptions.
pub fn bounds_to_words(value: &mut Value) {
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
}
