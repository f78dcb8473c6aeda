//! How single values are read: text, truth values, numbers and times.
//! The rule that surprises: nothing is converted. `yes` is not true, 42 is not text.

use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

use super::findings::{Finding, Findings, quoted};
use super::node::{Content, Node};
use super::record::{FromNode, mismatch};

impl FromNode for String {
    fn from_node(node: &Node, key: &str, findings: &mut Findings) -> Option<Self> {
        // A plain 1.10 has lost its zero when it was read as a number, so a number
        // is never taken for text in silence.
        let nearest = match &node.content {
            Content::Text(text) => return Some(text.clone()),
            Content::Number(number) if number.is_i64() => Some(format!("\"{number}\"")),
            Content::Bool(value) => Some(format!("\"{value}\"")),
            _ => None,
        };
        findings.push(
            Finding::at(node.place, format!("wrong value for {}", quoted(key)))
                .expected("text")
                .found(node.describe())
                .nearest(nearest),
        );
        None
    }
}

impl FromNode for bool {
    fn from_node(node: &Node, key: &str, findings: &mut Findings) -> Option<Self> {
        let nearest = match &node.content {
            Content::Bool(value) => return Some(*value),
            Content::Text(text) => match text.to_lowercase().as_str() {
                "yes" | "on" | "y" | "true" => Some("true".to_owned()),
                "no" | "off" | "n" | "false" => Some("false".to_owned()),
                _ => None,
            },
            _ => None,
        };
        findings.push(
            Finding::at(node.place, format!("wrong value for {}", quoted(key)))
                .expected("`true` or `false`")
                .found(node.describe())
                .nearest(nearest),
        );
        None
    }
}

/// The largest whole number that every JSON client reads as it was written.
const LARGEST: i64 = (1 << 53) - 1;

/// An id, a number of a pull request or of a project, a count of seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Positive(pub i64);

impl FromNode for Positive {
    fn from_node(node: &Node, key: &str, findings: &mut Findings) -> Option<Self> {
        match whole(node) {
            Some(value) if value > LARGEST => {
                mismatch(node, key, &format!("at most `{LARGEST}`"), findings);
                None
            }
            Some(value) if value > 0 => Some(Self(value)),
            _ => {
                mismatch(node, key, "a whole number of at least 1", findings);
                None
            }
        }
    }
}

/// How many there are of something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count(pub i64);

impl FromNode for Count {
    fn from_node(node: &Node, key: &str, findings: &mut Findings) -> Option<Self> {
        let value = whole(node).filter(|value| (0..=LARGEST).contains(value));
        if value.is_none() {
            mismatch(node, key, "a whole number of at least 0", findings);
        }
        value.map(Self)
    }
}

fn whole(node: &Node) -> Option<i64> {
    match &node.content {
        Content::Number(number) => number.as_i64(),
        _ => None,
    }
}

/// A moment, with the offset that the file gives: a commit keeps its time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamp(pub OffsetDateTime);

impl Timestamp {
    /// As the database keeps it.
    pub fn seconds(self) -> i64 {
        self.0.unix_timestamp()
    }
}

impl FromNode for Timestamp {
    fn from_node(node: &Node, key: &str, findings: &mut Findings) -> Option<Self> {
        if let Content::Text(text) = &node.content
            && let Ok(moment) = OffsetDateTime::parse(text, &Rfc3339)
            && moment.unix_timestamp() >= 0
            && moment.checked_to_offset(UtcOffset::UTC).is_some()
        {
            return Some(Self(moment));
        }
        let expected = "a time since 1970 such as `2026-01-02T03:04:05Z`";
        mismatch(node, key, expected, findings);
        None
    }
}
