//! The body that gives values.

use poem_openapi::Object;
use poem_openapi::registry::MetaSchema;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::body::Readable;
use super::super::values::described;

/// The body of `add_issue_field_values` and `set_issue_field_values`.
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct IssueFieldValues {
    /// The values, at most one for each field. Absent, nothing changes.
    #[oai(skip_serializing_if_is_none, validator(max_items = 25))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_field_values: Option<Vec<GivenIssueFieldValue>>,
}

impl Readable for IssueFieldValues {}

/// A value for a field.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct GivenIssueFieldValue {
    /// The issue field.
    pub field_id: i64,
    /// A text, the name of an option, a date like 2026-03-10, a number, or the names of several
    /// options, as the data type of the field is.
    pub value: GivenValue,
}

/// A value as it is given. The data type of the field decides what it means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum GivenValue {
    Text(String),
    Number(f64),
    Names(Vec<String>),
}

described!(
    GivenValue,
    "GivenValue",
    MetaSchema {
        one_of: vec![
            String::schema_ref(),
            f64::schema_ref(),
            Vec::<String>::schema_ref()
        ],
        ..MetaSchema::ANY
    }
);

impl Example for IssueFieldValues {
    fn example() -> Self {
        Self {
            issue_field_values: Some(vec![GivenIssueFieldValue {
                field_id: 4001,
                value: GivenValue::Text("High".to_owned()),
            }]),
        }
    }
}
