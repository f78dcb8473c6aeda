//! Limits the cost of a query before it is validated: how many fields it selects and how deep
//! after its fragments are expanded, and an upper bound for the size of its response.

use std::collections::HashMap;

use apollo_compiler::ast::{Definition, Document, Field, Selection};
use serde_json::json;

use super::errors::{Errors, shortened};

/// The most selections of a document, with those of its fragments wherever they are spread.
const MOST_SELECTIONS: usize = 2_000;

/// The most levels of nested syntax, and of selections through fragments.
pub const MOST_DEPTH: usize = 32;

/// The most bytes of a response.
pub const MOST_BYTES: usize = 4 << 20;

/// The lists of the introspection schema, and the most items that each has with our schema.
pub const LISTS: [(&str, usize); 8] = [
    ("args", 2),
    ("directives", 5),
    ("enumValues", 20),
    ("fields", 10),
    ("inputFields", 0),
    ("interfaces", 0),
    ("possibleTypes", 0),
    ("types", 16),
];

/// The most bytes of the value of a field, if it has no fields of its own.
pub const LEAVES: [(&str, usize); 3] = [("description", 640), ("locations", 400), ("login", 160)];
pub const OTHER_LEAF: usize = 64;

/// The bytes around a key and its value: quotes, a colon, a comma and brackets.
const PUNCTUATION: usize = 8;

/// The cost of a set of selections.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    selections: usize,
    depth: usize,
    bytes: usize,
}

/// Refuses a document that costs too much, or has a fragment that contains itself.
pub fn check(document: &Document) -> Result<(), Errors> {
    let fragments = document.definitions.iter().rev().filter_map(|definition| {
        let fragment = definition.as_fragment_definition()?;
        Some((fragment.name.as_str(), fragment.selection_set.as_slice()))
    });
    let mut costs = Costs {
        fragments: fragments.collect(),
        known: HashMap::new(),
    };
    let mut selections = 0;
    for definition in &document.definitions {
        let cost = match definition {
            Definition::OperationDefinition(operation) => costs.of(&operation.selection_set, 1)?,
            Definition::FragmentDefinition(fragment) => costs.of_fragment(&fragment.name, 1)?,
            _ => Cost::default(),
        };
        selections += cost.selections;
        limit_selections(selections)?;
    }
    Ok(())
}

/// The message for a query that nests too deep.
pub fn too_deep() -> String {
    format!("it has more than {MOST_DEPTH} levels")
}

fn limit_selections(selections: usize) -> Result<(), Errors> {
    let reason = || format!("it selects more than {MOST_SELECTIONS} fields");
    match selections > MOST_SELECTIONS {
        true => Err(Errors::limit(&reason())),
        false => Ok(()),
    }
}

struct Costs<'a> {
    fragments: HashMap<&'a str, &'a [Selection]>,
    /// The cost of each fragment; `None` while it is computed.
    known: HashMap<&'a str, Option<Cost>>,
}

impl<'a> Costs<'a> {
    /// The cost of selections at a depth, which begins with 1.
    fn of(&mut self, selections: &'a [Selection], depth: usize) -> Result<Cost, Errors> {
        let mut total = Cost::default();
        if depth > MOST_DEPTH && !selections.is_empty() {
            return Err(Errors::limit(&too_deep()));
        }
        for selection in selections {
            let cost = match selection {
                Selection::Field(field) => {
                    of_field(field, self.of(&field.selection_set, depth + 1)?)
                }
                Selection::InlineFragment(inline) => self.of(&inline.selection_set, depth + 1)?,
                Selection::FragmentSpread(spread) => {
                    self.of_fragment(&spread.fragment_name, depth + 1)?
                }
            };
            total.selections += cost.selections + 1;
            total.bytes = total.bytes.saturating_add(cost.bytes);
            total.depth = total.depth.max(cost.depth + 1);
            limit_selections(total.selections)?;
            if total.bytes > MOST_BYTES {
                let reason = format!("its response may have more than {MOST_BYTES} bytes");
                return Err(Errors::limit(&reason));
            }
        }
        Ok(total)
    }

    fn of_fragment(&mut self, name: &'a str, depth: usize) -> Result<Cost, Errors> {
        match self.known.get(name) {
            Some(Some(cost)) if depth + cost.depth > MOST_DEPTH + 1 => {
                return Err(Errors::limit(&too_deep()));
            }
            Some(Some(cost)) => return Ok(*cost),
            Some(None) => return Err(contains_itself(name)),
            None => {}
        }
        // Validation reports a fragment that does not exist.
        let Some(selections) = self.fragments.get(name).copied() else {
            return Ok(Cost::default());
        };
        self.known.insert(name, None);
        let cost = self.of(selections, depth)?;
        self.known.insert(name, Some(cost));
        Ok(cost)
    }
}

fn contains_itself(name: &str) -> Errors {
    let name = shortened(name);
    let mut errors = Errors::default();
    errors.push(json!({
        "extensions": {"code": "infiniteLoop", "fragmentName": name},
        "message": format!("Fragment {name} contains an infinite loop"),
    }));
    errors
}

fn of_field(field: &Field, inner: Cost) -> Cost {
    let of = |table: &[(&str, usize)]| {
        let row = table.iter().find(|(name, _)| field.name == *name);
        row.map(|(_, number)| *number)
    };
    let leaf = match field.selection_set.is_empty() {
        true => of(&LEAVES).unwrap_or(OTHER_LEAF),
        false => 0,
    };
    let items = of(&LISTS).unwrap_or(1);
    Cost {
        bytes: items
            .saturating_mul(inner.bytes + PUNCTUATION)
            .saturating_add(field.response_name().len() + leaf + PUNCTUATION),
        ..inner
    }
}
