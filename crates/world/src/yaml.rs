//! A YAML document as a tree in which every key and every value has its location.
//! `record.rs` and `file.rs` interpret the tree. Types are read from the
//! tree and not from the text, because serde stops at the first error and a check
//! reports all of them.
//! Note: a value that comes through an alias has the location of the alias, because that is
//! where an author can change it.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use serde_saphyr::options::AliasLimits;
use serde_saphyr::{Budget, DefaultMessageFormatter, Error, MessageFormatter, Options, Spanned};

use super::findings::{Finding, one_line, quoted};

const MAX_DEPTH: usize = 32;
pub const MAX_NODES: usize = 1_000_000;
const MAX_REPLAYED_EVENTS: usize = 200_000;

/// A line and a column, both counted from 1, columns in characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    pub line: u64,
    pub column: u64,
}

impl Location {
    /// The location of the placeholder for an unreadable value. Findings about it are
    /// dropped: the reason is already reported.
    pub const NOWHERE: Self = Self { line: 0, column: 0 };

    pub const START: Self = Self { line: 1, column: 1 };

    fn of(location: serde_saphyr::Location) -> Self {
        Self {
            line: location.line(),
            column: location.column(),
        }
    }
}

/// A value and its location in the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct At<T> {
    pub location: Location,
    pub value: T,
}

/// The value of a key that may be absent.
pub fn value_of<T: Clone>(value: &Option<At<T>>) -> Option<T> {
    value.as_ref().map(|value| value.value.clone())
}

/// A node of the document.
pub type Yaml = At<YamlValue>;

#[derive(Debug, Clone, PartialEq)]
pub enum YamlValue {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Yaml>),
    Mapping(Vec<(At<String>, Yaml)>),
}

impl At<YamlValue> {
    pub fn is_null(&self) -> bool {
        self.value == YamlValue::Null
    }

    /// The entries of a mapping; anything else has none.
    pub fn entries(&self) -> &[(At<String>, Self)] {
        match &self.value {
            YamlValue::Mapping(entries) => entries,
            _ => &[],
        }
    }

    pub fn to_json(&self) -> Value {
        match &self.value {
            YamlValue::Null => Value::Null,
            YamlValue::Bool(value) => Value::Bool(*value),
            YamlValue::Number(value) => Value::Number(value.clone()),
            YamlValue::Text(value) => Value::String(value.clone()),
            YamlValue::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            YamlValue::Mapping(entries) => entries
                .iter()
                .map(|(key, value)| (key.value.clone(), value.to_json()))
                .collect(),
        }
    }

    /// The locations of texts with a NUL, which no database column accepts. Skips the value of
    /// the key `spared`.
    pub fn texts_with_nul(&self, spared: &str) -> Vec<Location> {
        let nul = |text: &str| text.contains('\0');
        let below = |yaml: &Self| yaml.texts_with_nul(spared);
        match &self.value {
            YamlValue::Text(text) if nul(text) => vec![self.location],
            YamlValue::List(items) => items.iter().flat_map(below).collect(),
            YamlValue::Mapping(entries) => entries
                .iter()
                .flat_map(|(key, yaml)| match (nul(&key.value), key.value == spared) {
                    (true, _) => vec![key.location],
                    (false, true) => Vec::new(),
                    (false, false) => below(yaml),
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// A description of the value for the author of the file.
    pub fn describe(&self) -> String {
        match &self.value {
            YamlValue::Null => "nothing".to_owned(),
            YamlValue::Bool(value) => format!("the boolean {}", quoted(&value.to_string())),
            YamlValue::Number(value) => format!("the number {}", quoted(&value.to_string())),
            YamlValue::Text(value) => quoted(value),
            YamlValue::List(_) => "a list".to_owned(),
            YamlValue::Mapping(_) => "a mapping".to_owned(),
        }
    }

    /// The deepest location on `path`, a field as an error of the API names it
    /// (`options[0].color`), and how many of its steps exist.
    pub fn follow(&self, path: &str) -> (Location, usize) {
        let mut node = self;
        let mut location = self.location;
        let mut depth = 0;
        for step in path.split(['.', '[', ']']).filter(|step| !step.is_empty()) {
            let next = match &node.value {
                YamlValue::Mapping(entries) => entries
                    .iter()
                    .find(|(key, _)| key.value == step)
                    .map(|(key, yaml)| (key.location, yaml)),
                YamlValue::List(items) => step
                    .parse()
                    .ok()
                    .and_then(|index: usize| items.get(index))
                    .map(|yaml| (yaml.location, yaml)),
                _ => None,
            };
            let Some((at, yaml)) = next else { break };
            (node, location, depth) = (yaml, at, depth + 1);
        }
        (location, depth)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::deserialize(deserializer)?;
        Ok(Self {
            location: Location::of(spanned.referenced),
            value: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlVisitor)
    }
}

struct YamlVisitor;

impl<'de> Visitor<'de> for YamlVisitor {
    type Value = YamlValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<YamlValue, E> {
        Ok(YamlValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<YamlValue, E> {
        Ok(YamlValue::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<YamlValue, E> {
        Ok(YamlValue::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<YamlValue, E> {
        Number::from_f64(value)
            .map(YamlValue::Number)
            .ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<YamlValue, E> {
        Ok(YamlValue::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<YamlValue, E> {
        Ok(YamlValue::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<YamlValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(YamlValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<YamlValue, A::Error> {
        let mut mapping = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            mapping.push(entry);
        }
        Ok(YamlValue::Mapping(mapping))
    }
}

/// Parses one document. Fails only if it is not YAML or too large.
pub fn parse(text: &str) -> Result<Yaml, Finding> {
    serde_saphyr::from_str_with_options(text, options()).map_err(|error| finding(&error))
}

/// Limits that no real world comes near, and that an
/// alias bomb or deeply nested brackets exceed at once.
fn options() -> Options {
    let mut alias_limits = AliasLimits::default();
    alias_limits.max_total_replayed_events = MAX_REPLAYED_EVENTS;
    let mut budget = Budget::default();
    budget.max_depth = MAX_DEPTH;
    budget.max_nodes = MAX_NODES;
    budget.max_events = 3 * MAX_NODES;
    budget.max_documents = 2;
    // The replay limit above bounds the cost of aliases; how often a single
    // anchor is used is the author's business.
    budget.enforce_alias_anchor_ratio = false;
    serde_saphyr::options! {
        budget: Some(budget),
        alias_limits: alias_limits,
        emit_comments: false,
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

fn finding(error: &Error) -> Finding {
    let location = error
        .location()
        .filter(|location| location.line() > 0)
        .map_or(Location::START, Location::of);
    let inner = match error {
        Error::AliasError { error, .. } => error,
        other => other,
    };
    match inner {
        Error::DuplicateMappingKey { key, .. } => {
            let key = key.as_deref().unwrap_or("?");
            Finding::at(location, format!("duplicate key {}", quoted(key)))
                .expected("each key once in a mapping")
        }
        Error::MultipleDocuments { .. } => {
            Finding::at(location, "a second document").expected("one YAML document in a file")
        }
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            Finding::at(location, "an alias inside its own anchor")
                .expected("an alias after the end of its anchor")
        }
        Error::AliasReplayLimitExceeded { .. } | Error::AliasReplayStackDepthExceeded { .. } => {
            Finding::at(location, "aliases expand to too many values").expected(format!(
                "at most {MAX_REPLAYED_EVENTS} values through aliases"
            ))
        }
        Error::NullIntoString { .. } | Error::Unexpected { .. } => {
            Finding::at(location, "a key that is not text").expected("text as a key")
        }
        Error::NonFiniteFloat { value, .. } => Finding::at(location, "a number that is not finite")
            .expected("a finite number, or text in quotes")
            .found(quoted(value)),
        Error::BinaryNotUtf8 { .. } | Error::InvalidBinaryBase64 { .. } => {
            Finding::at(location, "a `!!binary` value that is not text")
                .expected("UTF-8 text in base64")
        }
        Error::Budget { breach, .. } => Finding::at(
            location,
            format!("the file is too deep or too long ({breach:?})"),
        )
        .expected(format!("at most {MAX_DEPTH} levels and {MAX_NODES} values")),
        other => {
            let message = DefaultMessageFormatter.format_message(other);
            Finding::at(location, format!("not valid YAML: {}", one_line(&message)))
        }
    }
}
