//! Reads single values: text, truth values, numbers, times, and words of an enumeration.
//! The rule that surprises: nothing is converted. `yes` is not true, 42 is not text.

use sea_orm::ActiveEnum;
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

use super::findings::{Finding, Findings, one_of, quoted};
use super::record::{FromYaml, mismatch};
use super::yaml::{Yaml, YamlValue};
use crate::contract::issue_field_values::GivenValue;

impl FromYaml for String {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        // A plain 1.10 has lost its zero when it was read as a number, so a number
        // is never taken for text in silence.
        let nearest = match &yaml.value {
            YamlValue::Text(text) => return Some(text.clone()),
            YamlValue::Number(number) if number.is_i64() => Some(format!("\"{number}\"")),
            YamlValue::Bool(value) => Some(format!("\"{value}\"")),
            _ => None,
        };
        findings.push(
            Finding::at(yaml.location, format!("wrong value for {}", quoted(key)))
                .expected("text")
                .found(yaml.describe())
                .nearest(nearest),
        );
        None
    }
}

impl FromYaml for bool {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        let nearest = match &yaml.value {
            YamlValue::Bool(value) => return Some(*value),
            YamlValue::Text(text) => match text.to_lowercase().as_str() {
                "yes" | "on" | "y" | "true" => Some("true".to_owned()),
                "no" | "off" | "n" | "false" => Some("false".to_owned()),
                _ => None,
            },
            _ => None,
        };
        findings.push(
            Finding::at(yaml.location, format!("wrong value for {}", quoted(key)))
                .expected("`true` or `false`")
                .found(yaml.describe())
                .nearest(nearest),
        );
        None
    }
}

/// The value of an issue in an issue field; the data type of the field decides what it means.
impl FromYaml for GivenValue {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        match &yaml.value {
            YamlValue::Text(text) => Some(Self::Text(text.clone())),
            YamlValue::Number(number) => number.as_f64().map(Self::Number),
            YamlValue::List(_) => Vec::from_yaml(yaml, key, findings).map(Self::Names),
            _ => {
                mismatch(yaml, key, "text, a number or a list of texts", findings);
                None
            }
        }
    }
}

/// The largest whole number that every JSON client reads as it was written.
const LARGEST: i64 = (1 << 53) - 1;

/// An id, a number of a pull request or of a project, a count of seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Positive(pub i64);

impl FromYaml for Positive {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        match whole(yaml) {
            Some(value) if value > LARGEST => {
                mismatch(yaml, key, &format!("at most `{LARGEST}`"), findings);
                None
            }
            Some(value) if value > 0 => Some(Self(value)),
            _ => {
                mismatch(yaml, key, "a whole number of at least 1", findings);
                None
            }
        }
    }
}

/// How many there are of something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count(pub i64);

impl FromYaml for Count {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        let value = whole(yaml).filter(|value| (0..=LARGEST).contains(value));
        if value.is_none() {
            mismatch(yaml, key, "a whole number of at least 0", findings);
        }
        value.map(Self)
    }
}

fn whole(yaml: &Yaml) -> Option<i64> {
    match &yaml.value {
        YamlValue::Number(number) => number.as_i64(),
        _ => None,
    }
}

/// A moment, with the offset that the file gives: a commit keeps its time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateTime(pub OffsetDateTime);

impl DateTime {
    /// As the database keeps it.
    pub fn seconds(self) -> i64 {
        self.0.unix_timestamp()
    }
}

impl FromYaml for DateTime {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        if let YamlValue::Text(text) = &yaml.value
            && let Ok(moment) = OffsetDateTime::parse(text, &Rfc3339)
            && moment.unix_timestamp() >= 0
            && moment.checked_to_offset(UtcOffset::UTC).is_some()
        {
            return Some(Self(moment));
        }
        let expected = "a time since 1970 such as `2026-01-02T03:04:05Z`";
        mismatch(yaml, key, expected, findings);
        None
    }
}

/// Reads one of a few words.
pub fn word<T: Copy, W: AsRef<str>>(
    yaml: &Yaml,
    key: &str,
    words: &[(W, T)],
    findings: &mut Findings,
) -> Option<T> {
    let names: Vec<&str> = words.iter().map(|(name, _)| name.as_ref()).collect();
    let mut nearest = None;
    if let YamlValue::Text(text) = &yaml.value {
        if let Some((_, value)) = words.iter().find(|(name, _)| name.as_ref() == text) {
            return Some(*value);
        }
        nearest = findings.nearest(text, names.iter().copied());
    }
    findings.push(
        Finding::at(yaml.location, format!("wrong value for {}", quoted(key)))
            .expected(one_of(&names))
            .found(yaml.describe())
            .nearest(nearest),
    );
    None
}

/// Reads one of these values of a column, by the words that the database has for them.
pub fn column_word<T: ActiveEnum<Value = String> + Copy>(
    yaml: &Yaml,
    key: &str,
    values: &[T],
    findings: &mut Findings,
) -> Option<T> {
    let words: Vec<(String, T)> = values
        .iter()
        .map(|value| (value.to_value(), *value))
        .collect();
    word(yaml, key, &words, findings)
}
