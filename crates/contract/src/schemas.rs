//! The schemas of types, as poem-openapi derives them, completed with what it cannot express. The
//! documents publish them, and bodies are validated against them.

mod glossary;
pub(crate) mod marks;
pub(crate) mod tidy;

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use poem_openapi::registry::Registry;
use poem_openapi::types::Type;
use serde_json::{Map, Value, json};

/// A schema, usually a reference by name, and the schemas with names.
#[derive(Debug)]
pub struct BodySchema {
    pub root: Value,
    pub components: Map<String, Value>,
}

/// The schema of a request body, before a document relaxes it. It is derived when it is first used
/// and then kept: all schemas together take megabytes.
pub fn of_body<T: Type + 'static>() -> &'static BodySchema {
    static SCHEMAS: Mutex<BTreeMap<TypeId, &BodySchema>> = Mutex::new(BTreeMap::new());
    let mut schemas = SCHEMAS.lock().unwrap_or_else(PoisonError::into_inner);
    schemas.entry(TypeId::of::<T>()).or_insert_with(|| {
        Box::leak(Box::new(BodySchema {
            root: json!(T::schema_ref()),
            components: derive(T::register),
        }))
    })
}

/// The schemas of registered types, as in a document.
pub(crate) fn derive(register: impl FnOnce(&mut Registry)) -> Map<String, Value> {
    let mut registry = Registry::new();
    register(&mut registry);
    let mut document = json!({"components": {"schemas": registry.schemas}});
    tidy::tidy(&mut document);
    complete(&mut document);
    marks::settle(&mut document, false);
    match document["components"]["schemas"].take() {
        Value::Object(schemas) => schemas,
        _ => Map::new(),
    }
}

/// Completes the schemas of a document.
pub(crate) fn complete(document: &mut Value) {
    marks::apply(document);
    glossary::describe_fields(document);
}
