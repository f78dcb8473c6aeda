//! Reads single values: text, truth values, numbers, times, and words of an enumeration.
//! Note: nothing is converted. `yes` is not true, 42 is not text.

use sea_orm::ActiveEnum;
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

use super::findings::{Finding, Findings, one_of, quoted};
use super::record::{FromYaml, mismatch};
use super::yaml::{Yaml, YamlValue};
use contract::issue_field_values::GivenValue;

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

/// The value of an issue in an issue field; its meaning depends on the field's data type.
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

/// The largest integer: half of the largest that every JSON client reads exactly, because
/// assigned ids follow the largest id of a file.
const LARGEST: i64 = 1 << 52;

/// An id, a number of a pull request or of a project, a count of seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Positive(pub i64);

impl FromYaml for Positive {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        match integer(yaml) {
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

/// A count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count(pub i64);

impl FromYaml for Count {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        let value = integer(yaml).filter(|value| (0..=LARGEST).contains(value));
        if value.is_none() {
            mismatch(yaml, key, "a whole number of at least 0", findings);
        }
        value.map(Self)
    }
}

fn integer(yaml: &Yaml) -> Option<i64> {
    match &yaml.value {
        YamlValue::Number(number) => number.as_i64(),
        _ => None,
    }
}

/// A time, with the offset in the file: a commit keeps its time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateTime(pub OffsetDateTime);

impl DateTime {
    /// As the database stores it.
    pub fn seconds(self) -> i64 {
        self.0.unix_timestamp()
    }
}

impl FromYaml for DateTime {
    fn from_yaml(yaml: &Yaml, key: &str, findings: &mut Findings) -> Option<Self> {
        if let YamlValue::Text(text) = &yaml.value
            && let Ok(time) = OffsetDateTime::parse(text, &Rfc3339)
            && time.unix_timestamp() >= 0
            && time.checked_to_offset(UtcOffset::UTC).is_some()
        {
            return Some(Self(time));
        }
        let expected = "a time since 1970 such as `2026-01-02T03:04:05Z`";
        mismatch(yaml, key, expected, findings);
        None
    }
}

/// Reads one of a few named values.
pub fn enum_value<T: Copy, W: AsRef<str>>(
    yaml: &Yaml,
    key: &str,
    variants: &[(W, T)],
    findings: &mut Findings,
) -> Option<T> {
    let names: Vec<&str> = variants.iter().map(|(name, _)| name.as_ref()).collect();
    let mut nearest = None;
    if let YamlValue::Text(text) = &yaml.value {
        if let Some((_, value)) = variants.iter().find(|(name, _)| name.as_ref() == text) {
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

/// Reads one of these values of a column, by their names in the database.
pub fn column_value<T: ActiveEnum<Value = String> + Copy>(
    yaml: &Yaml,
    key: &str,
    values: &[T],
    findings: &mut Findings,
) -> Option<T> {
    let variants: Vec<(String, T)> = values
        .iter()
        .map(|value| (value.to_value(), *value))
        .collect();
    enum_value(yaml, key, &variants, findings)
}
