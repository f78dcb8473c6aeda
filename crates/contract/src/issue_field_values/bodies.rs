//! The request body that sets values.

use contract_macros::schema;
use poem_openapi::registry::MetaSchema;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::body::Readable;
use super::super::values::described;

/// The body of `add_issue_field_values` and `set_issue_field_values`.
#[schema(example)]
#[derive(Default)]
pub struct GiveIssueFieldValues {
    /// The values to set, at most one for each field. If omitted, nothing changes.
    #[schema(validator(max_items = 25))]
    pub issue_field_values: Option<Vec<GivenIssueFieldValue>>,
}

impl Readable for GiveIssueFieldValues {}

/// A value to set in an issue field.
#[schema]
pub struct GivenIssueFieldValue {
    /// The identifier of the issue field.
    pub field_id: i64,
    /// The value, according to the data type of the field: a text, the name of an option, a
    /// date such as `2026-03-10`, a number, or the names of several options.
    pub value: GivenValue,
}

/// A value in a request. The data type of the field determines its meaning.
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

impl Example for GiveIssueFieldValues {
    fn example() -> Self {
        Self {
            issue_field_values: Some(vec![GivenIssueFieldValue {
                field_id: 4001,
                value: GivenValue::Text("High".to_owned()),
            }]),
        }
    }
}
