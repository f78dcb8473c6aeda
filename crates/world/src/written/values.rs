//! Values that are written in a form of their own.

use std::collections::BTreeMap;

use sea_orm::ActiveEnum;
use serde::{Serialize, Serializer, ser::Error};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Whether a key is left out of the file.
pub(super) trait Absent {
    fn is_absent(&self) -> bool {
        false
    }
}

impl Absent for String {}
impl Absent for i64 {}

impl<T> Absent for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T> Absent for Vec<T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T> Absent for BTreeMap<String, T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

/// A value of a column, by its name in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<T>(pub T);

impl<T> From<T> for Word<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: ActiveEnum<Value = String>> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_value())
    }
}

/// A time, in seconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub i64);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let time = OffsetDateTime::from_unix_timestamp(self.0).map_err(S::Error::custom)?;
        let text = time.format(&Rfc3339).map_err(S::Error::custom)?;
        serializer.serialize_str(&text)
    }
}

/// The value of an issue or a project item in a field.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum GivenFieldValue {
    Text(String),
    Number(f64),
    /// The names of options.
    Names(Vec<String>),
}

/// The repositories that a fine-grained token can access.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantedRepositories {
    All,
    Public,
    #[serde(untagged)]
    Only(Vec<String>),
}
