//! Validates a JSON value against a published schema, and describes each violation. The service
//! enforces exactly what the documents promise: there is no other list of required fields,
//! lengths or enums.
//!
//! The sentences are those of GitHub: see `openapi/decisions.md`, "Validation messages". The
//! validator supports only the part of JSON Schema that the documents use.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The violations of `schema` by `value`, one sentence each; empty if the value is valid.
/// `components` resolves `$ref`.
pub fn violations<'a>(
    value: &Value,
    schema: &'a Value,
    components: &'a Map<String, Value>,
) -> Vec<String> {
    let mut check = SchemaChecker {
        components,
        keys_of_forms: BTreeSet::new(),
        found: Vec::new(),
    };
    check.value(value, schema, "");
    check.found
}

struct SchemaChecker<'a> {
    components: &'a Map<String, Value>,
    /// The keys of all forms, if the schema is one of several.
    keys_of_forms: BTreeSet<&'a str>,
    found: Vec<String>,
}

impl<'a> SchemaChecker<'a> {
    fn value(&mut self, value: &Value, schema: &'a Value, at: &str) {
        let schema = self.resolve(schema);
        if value.is_null() && schema["nullable"] == Value::Bool(true) {
            return;
        }
        if let Some(wrapped) = schema["allOf"].as_array() {
            wrapped.iter().for_each(|part| self.value(value, part, at));
            return;
        }
        if let Some(forms) = schema["oneOf"].as_array() {
            self.one_of(value, forms, at);
            return;
        }
        if !has_type(value, schema) {
            self.say(
                at,
                format!("{} is not {}.", inspect(value), type_name(schema)),
            );
            return;
        }
        match value {
            Value::Object(object) => self.object(object, schema, at),
            Value::Array(items) => self.array(items, schema, at),
            Value::String(text) => self.string(text, schema, at),
            Value::Number(_) => self.number(value, schema, at),
            Value::Bool(_) | Value::Null => {}
        }
        self.member(value, schema, at);
    }

    fn object(&mut self, object: &Map<String, Value>, schema: &'a Value, at: &str) {
        let mut missing: Vec<String> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .filter(|name| !object.contains_key(*name))
            .map(quoted)
            .collect();
        missing.sort_unstable();
        match missing.len() {
            0 => {}
            1 => self.say(at, format!("{} wasn't supplied.", missing[0])),
            _ => self.say(at, format!("{} weren't supplied.", missing.join(", "))),
        }
        let properties = schema["properties"].as_object();
        let known = |name: &str| properties.and_then(|known| known.get(name));
        if schema["additionalProperties"] == Value::Bool(false) {
            let extra = object.keys().filter(|name| known(name).is_none());
            let has_other_form =
                |name: &&String| at.is_empty() && self.keys_of_forms.contains(name.as_str());
            let (misplaced, unknown): (Vec<_>, Vec<_>) = extra.partition(has_other_form);
            let end = "not permitted in this combination of keys.";
            self.say_extra(
                at,
                &misplaced,
                (&format!("is {end}"), &format!("are {end}")),
            );
            let ends = ("is not a permitted key.", "are not permitted keys.");
            self.say_extra(at, &unknown, ends);
        }
        for (name, value) in object {
            if let Some(schema) = known(name) {
                self.value(value, schema, &below(at, &format!("properties/{name}")));
            } else if schema["additionalProperties"].is_object() {
                let inner = below(at, "additionalProperties");
                self.value(value, &schema["additionalProperties"], &inner);
            }
        }
    }

    /// Names keys that an object must not have, with the words after one and after several.
    fn say_extra(&mut self, at: &str, names: &[&String], (one, several): (&str, &str)) {
        let quoted: Vec<_> = names.iter().map(quoted).collect();
        match quoted.len() {
            0 => {}
            1 => self.say(at, format!("{} {one}", quoted[0])),
            _ => self.say(at, format!("{} {several}", quoted.join(", "))),
        }
    }

    fn array(&mut self, items: &[Value], schema: &'a Value, at: &str) {
        let count = items.len() as u64;
        if let Some(least) = schema["minItems"].as_u64().filter(|least| count < *least) {
            let noun = if least == 1 { "item" } else { "items" };
            self.say(
                at,
                format!("{least} {noun} required; only {count} were supplied."),
            );
        }
        if let Some(most) = schema["maxItems"].as_u64().filter(|most| count > *most) {
            self.say(
                at,
                format!("No more than {most} items are allowed; {count} were supplied."),
            );
            // The violations of all items could be longer than the body.
            return;
        }
        for item in items {
            self.value(item, &schema["items"], &below(at, "items"));
        }
    }

    fn string(&mut self, text: &str, schema: &Value, at: &str) {
        // PostgreSQL cannot store it, and no field needs it.
        if text.contains('\0') {
            self.say(at, "A NUL character is not allowed.".to_owned());
        }
        let count = text.chars().count() as u64;
        if let Some(most) = schema["maxLength"].as_u64().filter(|most| count > *most) {
            self.say(
                at,
                format!("Only {most} characters are allowed; {count} were supplied."),
            );
        }
        if let Some(least) = schema["minLength"].as_u64().filter(|least| count < *least) {
            let (noun, verb) = if least == 1 {
                ("character", "is")
            } else {
                ("characters", "are")
            };
            self.say(
                at,
                format!("At least {least} {noun} {verb} required; only {count} were supplied."),
            );
        }
        let fits = match schema["format"].as_str() {
            Some("date") => super::values::Day::parse(text).is_some(),
            Some("date-time") => super::values::Timestamp::parse(text).is_some(),
            _ => true,
        };
        if !fits {
            let format = schema["format"].as_str().unwrap_or_default();
            self.say(at, format!("{text} is not a valid {format}."));
        }
    }

    fn number(&mut self, value: &Value, schema: &Value, at: &str) {
        let Some(number) = value.as_f64() else { return };
        if schema["maximum"].as_f64().is_some_and(|most| number > most) {
            let most = &schema["maximum"];
            self.say(at, format!("{value} must be less than or equal to {most}."));
        }
        if schema["minimum"]
            .as_f64()
            .is_some_and(|least| number < least)
        {
            let least = &schema["minimum"];
            self.say(
                at,
                format!("{value} must be greater than or equal to {least}."),
            );
        }
    }

    fn member(&mut self, value: &Value, schema: &Value, at: &str) {
        let Some(members) = schema["enum"].as_array() else {
            return;
        };
        if !members.contains(value) {
            let shown = value.as_str().map_or_else(|| inspect(value), str::to_owned);
            let members = inspect(&Value::Array(members.clone()));
            self.say(at, format!("{shown} is not a member of {members}."));
        }
    }

    /// Exactly one form must match. If none does, only the violations of the closest forms are
    /// reported: those of a form for another choice would confuse the reader.
    fn one_of(&mut self, value: &Value, forms: &'a [Value], at: &str) {
        let keys_of_forms: BTreeSet<&str> = forms
            .iter()
            .filter_map(|form| self.resolve(form)["properties"].as_object())
            .flat_map(|properties| properties.keys().map(String::as_str))
            .collect();
        let mut attempts: Vec<_> = forms
            .iter()
            .map(|form| {
                let mut check = SchemaChecker {
                    components: self.components,
                    keys_of_forms: keys_of_forms.clone(),
                    found: Vec::new(),
                };
                check.value(value, form, "");
                check.found
            })
            .collect();
        match attempts.iter().filter(|found| found.is_empty()).count() {
            1 => {}
            0 => {
                self.say(at, "No subschema in \"oneOf\" matched.".to_owned());
                let nearest = attempts.iter().map(|found| distance(found)).min();
                attempts.retain(|found| Some(distance(found)) == nearest);
                for sentence in attempts.into_iter().flatten() {
                    if !self.found.contains(&sentence) {
                        self.found.push(sentence);
                    }
                }
            }
            _ => self.say(
                at,
                "More than one subschema in \"oneOf\" matched.".to_owned(),
            ),
        }
    }

    fn resolve(&self, schema: &'a Value) -> &'a Value {
        let Some(reference) = schema["$ref"].as_str() else {
            return schema;
        };
        let name = reference.rsplit('/').next().unwrap_or_default();
        self.components.get(name).unwrap_or(&Value::Null)
    }

    fn say(&mut self, at: &str, sentence: String) {
        if self.found.len() == MAX_SENTENCES {
            return;
        }
        self.found.push(if at.is_empty() {
            sentence
        } else {
            format!("{FOR}{at}', {sentence}")
        });
    }
}

/// The distance of a value from a form. A value that makes another choice at the top level, or
/// that both lacks keys and has extra ones, is meant for another form: that counts more than
/// any number of other violations.
fn distance(found: &[String]) -> (bool, usize) {
    let at_top = |words: &str| {
        let mut top = found.iter().filter(|sentence| !sentence.starts_with(FOR));
        top.any(|sentence| sentence.contains(words))
    };
    let other_keys = at_top(" supplied.") && at_top(" permitted ");
    let other_choice = found.iter().any(|sentence| is_choice_at_top(sentence));
    (other_choice || other_keys, found.len())
}

/// Whether the sentence is about a top-level key whose value is not in its enum.
fn is_choice_at_top(sentence: &str) -> bool {
    let named = sentence
        .strip_prefix(FOR)
        .and_then(|rest| rest.split_once("', "));
    named.is_some_and(|(at, fault)| {
        at.matches('/').count() == 1 && fault.contains(" is not a member of ")
    })
}

/// The maximum number of violations to report. A hostile body could cause millions.
pub const MAX_SENTENCES: usize = 100;

/// The beginning of a sentence about a value below the top level.
const FOR: &str = "For '";

fn below(at: &str, part: &str) -> String {
    if at.is_empty() {
        part.to_owned()
    } else {
        format!("{at}/{part}")
    }
}

fn has_type(value: &Value, schema: &Value) -> bool {
    match schema["type"].as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    }
}

fn type_name(schema: &Value) -> String {
    let name = schema["type"].as_str().unwrap_or("value");
    let article = if matches!(name, "integer" | "array" | "object") {
        "an"
    } else {
        "a"
    };
    let or_null = if schema["nullable"] == Value::Bool(true) {
        " or null"
    } else {
        ""
    };
    format!("{article} {name}{or_null}")
}

fn quoted(name: impl AsRef<str>) -> String {
    format!("\"{}\"", name.as_ref())
}

/// A value in the notation of Ruby's `inspect`, which GitHub's sentences use.
fn inspect(value: &Value) -> String {
    match value {
        Value::Null => "nil".to_owned(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(inspect).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(object) => {
            let entries: Vec<_> = object
                .iter()
                .map(|(name, value)| format!("{}=>{}", quoted(name), inspect(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
