//! GitHub's errors for the most common mistakes, which clients read: a field that does not exist,
//! and a selection on a field that has none, or the reverse.

use apollo_compiler::Schema;
use apollo_compiler::ast::{Definition, Document, Field, OperationDefinition, Selection};
use apollo_compiler::schema::{ExtendedType, FieldLookupError};
use serde_json::{Value, json};

use super::errors::{Errors, at, shortened};

/// Checks the selections of every operation and fragment.
pub fn check(document: &Document, schema: &Schema) -> Result<(), Errors> {
    let mut checker = Checker {
        document,
        schema,
        path: Vec::new(),
        errors: Errors::default(),
    };
    for definition in &document.definitions {
        let (label, on, selections) = match definition {
            Definition::OperationDefinition(operation) => (
                label(operation),
                operation.operation_type.default_type_name(),
                &operation.selection_set,
            ),
            Definition::FragmentDefinition(fragment) => (
                format!("fragment {}", shortened(&fragment.name)),
                fragment.type_condition.clone(),
                &fragment.selection_set,
            ),
            _ => continue,
        };
        checker.path = vec![label];
        checker.check(&on, selections);
    }
    checker.errors.verdict()
}

/// `query Name`
fn label(operation: &OperationDefinition) -> String {
    let kind = operation.operation_type.name();
    match &operation.name {
        Some(name) => format!("{kind} {}", shortened(name)),
        None => kind.to_owned(),
    }
}

struct Checker<'a> {
    document: &'a Document,
    schema: &'a Schema,
    /// Where the current selections are.
    path: Vec<String>,
    errors: Errors,
}

impl Checker<'_> {
    fn check(&mut self, on: &str, selections: &[Selection]) {
        for selection in selections {
            if self.errors.is_full() {
                return;
            }
            match selection {
                Selection::Field(field) => {
                    self.path
                        .push(shortened(field.response_name()).into_owned());
                    self.check_field(on, field);
                    self.path.pop();
                }
                Selection::InlineFragment(inline) => {
                    let on = inline
                        .type_condition
                        .as_ref()
                        .map_or(on, |name| name.as_str());
                    self.path.push(format!("... on {}", shortened(on)));
                    self.check(on, &inline.selection_set);
                    self.path.pop();
                }
                Selection::FragmentSpread(_) => {}
            }
        }
    }

    fn check_field(&mut self, on: &str, field: &Field) {
        let name = shortened(&field.name);
        let kind = match self.schema.type_field(on, &field.name) {
            Ok(definition) => definition.ty.inner_named_type(),
            // Validation reports the fragment on that type.
            Err(FieldLookupError::NoSuchType) if !is_root(on) => return,
            Err(_) => {
                let message = format!("Field '{name}' doesn't exist on type '{on}'");
                let extensions =
                    json!({"code": "undefinedField", "typeName": on, "fieldName": name});
                return self.report(field, &message, &extensions);
            }
        };
        let has_fields = matches!(self.schema.types.get(kind), Some(ExtendedType::Object(_)));
        let message = match (has_fields, field.selection_set.first()) {
            (true, Some(_)) => return self.check(kind, &field.selection_set),
            (false, None) => return,
            (true, None) => format!(
                "Field must have selections (field '{name}' returns {kind} but has no selections. \
                 Did you mean '{name} {{ ... }}'?)"
            ),
            (false, Some(_)) => format!(
                "Selections can't be made on scalars (field '{name}' returns {kind} but has \
                 selections)"
            ),
        };
        let extensions = json!({
            "code": "selectionMismatch",
            "nodeName": format!("field '{name}'"),
            "typeName": kind.as_str(),
        });
        self.report(field, &message, &extensions);
    }

    fn report(&mut self, field: &Field, message: &str, extensions: &Value) {
        let start = field.alias.as_ref().unwrap_or(&field.name).location();
        self.errors.push(json!({
            "path": self.path,
            "extensions": extensions,
            "locations": at(start, &self.document.sources).as_slice(),
            "message": message,
        }));
    }
}

/// Whether a type is the root of an operation that this server has none of.
fn is_root(name: &str) -> bool {
    matches!(name, "Mutation" | "Subscription")
}
