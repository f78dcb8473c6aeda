//! Basic values: timestamps, dates, and fields that are always present but may be null.
//! poem-openapi publishes their schemas and serde serializes them; `tests/api/contract.rs`
//! checks that the two agree.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{
    ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{OffsetDateTime, UtcOffset};

/// Implements poem-openapi's traits for a type that serde can already read and
/// write, given the schema to publish. A `component` is referred to by its name.
macro_rules! described {
    ($type:ty, $name:literal, $schema:expr) => {
        described!(@ $type, $name, {
            fn schema_ref() -> ::poem_openapi::registry::MetaSchemaRef {
                ::poem_openapi::registry::MetaSchemaRef::Inline(Box::new($schema))
            }
        });
    };
    ($type:ty, component $name:literal, $schema:expr) => {
        described!(@ $type, $name, {
            fn schema_ref() -> ::poem_openapi::registry::MetaSchemaRef {
                ::poem_openapi::registry::MetaSchemaRef::Reference($name.to_owned())
            }

            fn register(registry: &mut ::poem_openapi::registry::Registry) {
                registry.create_schema::<Self, _>($name.to_owned(), |_| $schema);
            }
        });
    };
    (@ $type:ty, $name:literal, { $($schema:item)* }) => {
        impl ::poem_openapi::types::Type for $type {
            const IS_REQUIRED: bool = true;
            type RawValueType = Self;
            type RawElementValueType = Self;

            fn name() -> ::std::borrow::Cow<'static, str> {
                $name.into()
            }

            $($schema)*

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
                Box::new(self.as_raw_value().into_iter())
            }
        }

        impl ::poem_openapi::types::ToJSON for $type {
            fn to_json(&self) -> Option<serde_json::Value> {
                serde_json::to_value(self).ok()
            }
        }

        impl ::poem_openapi::types::ParseFromJSON for $type {
            fn parse_from_json(
                value: Option<serde_json::Value>,
            ) -> ::poem_openapi::types::ParseResult<Self> {
                serde_json::from_value(value.unwrap_or_default())
                    .map_err(::poem_openapi::types::ParseError::custom)
            }
        }
    };
}
pub(super) use described;

/// A JSON object with any keys.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonObject(pub serde_json::Map<String, serde_json::Value>);

impl JsonObject {
    /// An object with one field.
    pub fn of(name: &str, value: serde_json::Value) -> Self {
        Self(serde_json::Map::from_iter([(name.to_owned(), value)]))
    }
}

described!(JsonObject, "JsonObject", MetaSchema::new("object"));

/// Any JSON, null included.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AnyJson(pub serde_json::Value);

described!(AnyJson, "AnyJson", MetaSchema::ANY);

/// A text or a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TextOrNumber {
    Text(String),
    Number(serde_json::Number),
}

/// A time in Unix seconds, serialized as `2026-03-10T09:30:00Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

const SECONDS: &[time::format_description::BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]Z");

impl Timestamp {
    /// Parses an RFC 3339 time with any offset and drops fractions of a second. None if the
    /// time in UTC has no year of four digits.
    pub fn parse(text: &str) -> Option<Self> {
        let moment = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        let utc = moment.checked_to_offset(UtcOffset::UTC)?;
        (0..=9999)
            .contains(&utc.year())
            .then(|| Self(utc.unix_timestamp()))
    }

    /// The same time as a calendar time; out-of-range values fall back to 1970.
    pub fn to_calendar(self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(self.0).unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = self.to_calendar().format(SECONDS).unwrap_or_default();
        f.write_str(&text)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(format!("`{text}` is not a time like 2026-03-10T09:30:00Z"))
        })
    }
}

described!(
    Timestamp,
    "Timestamp",
    MetaSchema::new_with_format("string", "date-time")
);

impl ParseFromParameter for Timestamp {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        Self::parse(value)
            .ok_or_else(|| ParseError::custom(format!("{value} is not a valid date-time.")))
    }
}

/// A time with the offset from UTC that it was given in. Commits and tags keep the offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZonedTimestamp {
    /// Unix seconds.
    pub seconds: i64,
    /// Minutes east of UTC.
    pub offset_minutes: i32,
}

impl ZonedTimestamp {
    fn parse(text: &str) -> Option<Self> {
        let seconds = Timestamp::parse(text)?.0;
        let offset = OffsetDateTime::parse(text, &Rfc3339).ok()?.offset();
        (seconds >= 0).then(|| Self {
            seconds,
            offset_minutes: offset.whole_seconds() / 60,
        })
    }
}

impl Serialize for ZonedTimestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Timestamp(self.seconds).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ZonedTimestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(format!("`{text}` is not a time like 2026-03-10T09:30:00Z"))
        })
    }
}

described!(
    ZonedTimestamp,
    "Timestamp",
    MetaSchema::new_with_format("string", "date-time")
);

/// A calendar day, `2026-03-10`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub time::Date);

const DAY: &[time::format_description::BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]");

impl Day {
    /// Parses `YYYY-MM-DD`, and nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        // The format allows a sign before the year.
        let signed = text.starts_with(['+', '-']);
        let date = time::Date::parse(text, DAY).ok();
        date.filter(|_| !signed).map(Self)
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.format(DAY).unwrap_or_default())
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(format!("`{text}` is not a date like 2026-03-10"))
        })
    }
}

described!(Day, "Day", MetaSchema::new_with_format("string", "date"));

/// A URL: a string in Rust, `format: uri` in the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Url(pub String);

described!(Url, "Url", MetaSchema::new_with_format("string", "uri"));

impl From<String> for Url {
    fn from(url: String) -> Self {
        Self(url)
    }
}

/// A URL template (RFC 6570), such as `…/git/refs{/sha}`: not itself a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UrlTemplate(pub String);

described!(UrlTemplate, "UrlTemplate", MetaSchema::new("string"));

impl From<String> for UrlTemplate {
    fn from(template: String) -> Self {
        Self(template)
    }
}

/// A field that is always present and may be null. `Option` means that the field may be absent.
/// Generated clients distinguish the two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nullable<T>(pub Option<T>);

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        Self(value)
    }
}

impl<T: Type> Type for Nullable<T> {
    const IS_REQUIRED: bool = true;
    type RawValueType = T::RawValueType;
    type RawElementValueType = T::RawElementValueType;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref().merge(MetaSchema {
            nullable: true,
            ..MetaSchema::ANY
        })
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        self.0.as_ref().and_then(T::as_raw_value)
    }

    fn raw_element_iter<'a>(
        &'a self,
    ) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        match &self.0 {
            Some(value) => value.raw_element_iter(),
            None => Box::new(std::iter::empty()),
        }
    }
}

impl<T: ToJSON> ToJSON for Nullable<T> {
    fn to_json(&self) -> Option<serde_json::Value> {
        match &self.0 {
            Some(value) => value.to_json(),
            None => Some(serde_json::Value::Null),
        }
    }
}

impl<T: ParseFromJSON> ParseFromJSON for Nullable<T> {
    fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
        match value {
            None | Some(serde_json::Value::Null) => Ok(Self(None)),
            value => T::parse_from_json(value)
                .map(|value| Self(Some(value)))
                .map_err(ParseError::propagate),
        }
    }
}
