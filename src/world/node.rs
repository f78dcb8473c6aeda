//! A YAML document as a tree in which every key and every value knows its place.
//! What the tree means is not decided here (see `record.rs` and `file.rs`).
//! The rule that surprises: a value that comes through an alias stands where the
//! alias is written, because that is where a reader can change it.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::options::AliasLimits;
use serde_saphyr::{
    Budget, DefaultMessageFormatter, Error, Location, MessageFormatter, Options, Spanned,
};

use super::findings::{Finding, one_line, quoted};

const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 1_000_000;
const MAX_REPLAYED_EVENTS: usize = 200_000;

/// A line and a column, both counted from 1, columns in characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub line: u64,
    pub column: u64,
}

impl Place {
    /// Where the placeholder of a value that could not be read stands. Findings
    /// about it are dropped: the reason was reported already.
    pub const NOWHERE: Self = Self { line: 0, column: 0 };

    pub const START: Self = Self { line: 1, column: 1 };

    fn of(location: Location) -> Self {
        Self {
            line: location.line(),
            column: location.column(),
        }
    }
}

/// A value with the place at which it was written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct At<T> {
    pub place: Place,
    pub value: T,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub place: Place,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Mapping(Vec<(At<String>, Node)>),
}

impl Node {
    pub fn is_null(&self) -> bool {
        self.content == Content::Null
    }

    pub fn has_other_keys(&self, known: &[&str]) -> bool {
        match &self.content {
            Content::Mapping(entries) => entries
                .iter()
                .any(|(name, _)| !known.contains(&name.value.as_str())),
            _ => false,
        }
    }

    pub fn to_json(&self) -> Value {
        match &self.content {
            Content::Null => Value::Null,
            Content::Bool(value) => Value::Bool(*value),
            Content::Number(value) => Value::Number(value.clone()),
            Content::Text(value) => Value::String(value.clone()),
            Content::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            Content::Mapping(entries) => Value::Object(json_object(entries)),
        }
    }

    /// The text that the database cannot keep, because it has a NUL in it. What the
    /// key `spared` holds is not looked at.
    pub fn texts_with_nul(&self, spared: &str) -> Vec<Place> {
        let nul = |text: &str| text.contains('\0');
        match &self.content {
            Content::Text(text) if nul(text) => vec![self.place],
            Content::List(items) => items
                .iter()
                .flat_map(|item| item.texts_with_nul(spared))
                .collect(),
            Content::Mapping(entries) => entries
                .iter()
                .flat_map(|(key, node)| match (nul(&key.value), key.value == spared) {
                    (true, _) => vec![key.place],
                    (false, true) => Vec::new(),
                    (false, false) => node.texts_with_nul(spared),
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// What stands here, in words for a reader of the file.
    pub fn describe(&self) -> String {
        match &self.content {
            Content::Null => "nothing".to_owned(),
            Content::Bool(value) => format!("the truth value {}", quoted(&value.to_string())),
            Content::Number(value) => format!("the number {}", quoted(&value.to_string())),
            Content::Text(value) => quoted(value),
            Content::List(_) => "a list".to_owned(),
            Content::Mapping(_) => "a mapping".to_owned(),
        }
    }

    /// The deepest place on `path`, a field as an error of the API names it
    /// (`options[0].color`), and how many of its steps exist.
    pub fn follow(&self, path: &str) -> (Place, usize) {
        let mut here = self;
        let mut place = self.place;
        let mut depth = 0;
        for step in path.split(['.', '[', ']']).filter(|step| !step.is_empty()) {
            let next = match &here.content {
                Content::Mapping(entries) => entries
                    .iter()
                    .find(|(key, _)| key.value == step)
                    .map(|(key, node)| (key.place, node)),
                Content::List(items) => step
                    .parse()
                    .ok()
                    .and_then(|index: usize| items.get(index))
                    .map(|node| (node.place, node)),
                _ => None,
            };
            let Some((at, node)) = next else { break };
            (here, place, depth) = (node, at, depth + 1);
        }
        (place, depth)
    }
}

pub fn json_object(entries: &[(At<String>, Node)]) -> Map<String, Value> {
    entries
        .iter()
        .map(|(key, node)| (key.value.clone(), node.to_json()))
        .collect()
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Content>::deserialize(deserializer)?;
        Ok(Self {
            place: Place::of(spanned.referenced),
            content: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Content, E> {
        Ok(Content::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Content, E> {
        Ok(Content::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Content, E> {
        Ok(Content::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Content, E> {
        Number::from_f64(value)
            .map(Content::Number)
            .ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Content, E> {
        Ok(Content::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Content, E> {
        Ok(Content::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Content, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Content::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Content, A::Error> {
        let mut mapping = Vec::new();
        while let Some(key) = entries.next_key::<Spanned<String>>()? {
            let at = At {
                place: Place::of(key.referenced),
                value: key.value,
            };
            mapping.push((at, entries.next_value()?));
        }
        Ok(Content::Mapping(mapping))
    }
}

/// Reads one document. Only what is not YAML, or too much of it, fails here.
pub fn parse(text: &str) -> Result<Node, Finding> {
    serde_saphyr::from_str_with_options(text, options()).map_err(|error| refused(&error))
}

/// Bounds that no world written by hand or by a program comes near, and that an
/// alias bomb or a tower of brackets meets at once.
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

fn refused(error: &Error) -> Finding {
    let place = error
        .location()
        .filter(|location| location.line() > 0)
        .map_or(Place::START, Place::of);
    let inner = match error {
        Error::AliasError { error, .. } => error,
        other => other,
    };
    match inner {
        Error::DuplicateMappingKey { key, .. } => {
            let key = key.as_deref().unwrap_or("?");
            Finding::at(place, format!("duplicate key {}", quoted(key)))
                .expected("each key once in a mapping")
        }
        Error::MultipleDocuments { .. } => {
            Finding::at(place, "a second document").expected("one YAML document in a file")
        }
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            Finding::at(place, "an alias inside its own anchor")
                .expected("aliases of values that end above them")
        }
        Error::AliasReplayLimitExceeded { .. } | Error::AliasReplayStackDepthExceeded { .. } => {
            Finding::at(place, "aliases that expand too far").expected(format!(
                "at most {MAX_REPLAYED_EVENTS} values that come through aliases"
            ))
        }
        Error::NullIntoString { .. } | Error::Unexpected { .. } => {
            Finding::at(place, "a key that is not text").expected("text as a key")
        }
        Error::NonFiniteFloat { value, .. } => Finding::at(place, "a number that is not finite")
            .expected("a finite number, or text in quotes")
            .found(quoted(value)),
        Error::BinaryNotUtf8 { .. } | Error::InvalidBinaryBase64 { .. } => {
            Finding::at(place, "a `!!binary` value that is not text")
                .expected("UTF-8 text in base64")
        }
        Error::Budget { breach, .. } => {
            Finding::at(place, format!("too much in one file ({breach:?})"))
                .expected(format!("at most {MAX_DEPTH} levels and {MAX_NODES} values"))
        }
        other => {
            let message = DefaultMessageFormatter.format_message(other);
            Finding::at(place, format!("not valid YAML: {}", one_line(&message)))
        }
    }
}
