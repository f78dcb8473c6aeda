//! Lists the differences between two OpenAPI documents. Order is ignored where it has no
//! meaning: in the keys of objects, `required`, `enum`, `tags`, and `parameters`, which are
//! matched by location and name.

use serde_json::{Map, Value};

/// A difference: a JSON pointer, and the value on either side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub pointer: String,
    pub written: Option<Value>,
    pub derived: Option<Value>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let show = |side: &Option<Value>| match side {
            None => "(absent)".to_owned(),
            Some(value) => shortened(&value.to_string()),
        };
        write!(
            f,
            "{}: the YAML has {}, the code has {}",
            self.pointer,
            show(&self.written),
            show(&self.derived)
        )
    }
}

fn shortened(text: &str) -> String {
    const LIMIT: usize = 160;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// All differences between the written document and the derived one.
pub fn differences(written: &Value, derived: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(written, derived, "", &mut found);
    found
}

fn compare(written: &Value, derived: &Value, pointer: &str, found: &mut Vec<Difference>) {
    match (written, derived) {
        (Value::Object(left), Value::Object(right)) => {
            compare_objects(left, right, pointer, found);
        }
        (Value::Array(left), Value::Array(right)) => compare_arrays(left, right, pointer, found),
        _ if written == derived => {}
        _ => found.push(Difference {
            pointer: pointer.to_owned(),
            written: Some(written.clone()),
            derived: Some(derived.clone()),
        }),
    }
}

fn compare_objects(
    left: &Map<String, Value>,
    right: &Map<String, Value>,
    pointer: &str,
    found: &mut Vec<Difference>,
) {
    let added = right.keys().filter(|key| !left.contains_key(*key));
    for key in left.keys().chain(added) {
        let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
        compare_sides(left.get(key), right.get(key), pointer, found);
    }
}

fn compare_sides(
    left: Option<&Value>,
    right: Option<&Value>,
    pointer: String,
    found: &mut Vec<Difference>,
) {
    match (left, right) {
        (Some(left), Some(right)) => compare(left, right, &pointer, found),
        (left, right) => found.push(Difference {
            pointer,
            written: left.cloned(),
            derived: right.cloned(),
        }),
    }
}

fn compare_arrays(left: &[Value], right: &[Value], pointer: &str, found: &mut Vec<Difference>) {
    let named = |items: &[Value]| -> Option<Map<String, Value>> {
        items
            .iter()
            .map(|item| Some((identity(item, pointer)?, item.clone())))
            .collect()
    };
    if let (Some(left), Some(right)) = (named(left), named(right)) {
        compare_objects(&left, &right, pointer, found);
        return;
    }
    for index in 0..left.len().max(right.len()) {
        compare_sides(
            left.get(index),
            right.get(index),
            format!("{pointer}/{index}"),
            found,
        );
    }
}

/// The key of an item in an array whose order has no meaning.
fn identity(item: &Value, pointer: &str) -> Option<String> {
    let array = pointer.rsplit('/').next().unwrap_or_default();
    match (array, item) {
        ("parameters", Value::Object(parameter)) => match parameter.get("$ref") {
            Some(reference) => reference.as_str().map(str::to_owned),
            None => Some(format!(
                "{}:{}",
                parameter.get("in")?.as_str()?,
                parameter.get("name")?.as_str()?
            )),
        },
        ("required" | "enum" | "tags", Value::String(name)) => Some(name.clone()),
        _ => None,
    }
}
