//! The representation of a value.

use contract_macros::schema;
use poem_openapi::registry::MetaSchema;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::issue_fields::{IssueFieldColor, IssueFieldType};
use super::super::values::described;

/// The value of an issue field on an issue or a pull request.
#[schema(example)]
pub struct IssueFieldValue {
    /// The identifier of the field.
    pub issue_field_id: i64,
    /// The name of the issue field.
    pub issue_field_name: String,
    /// The global identifier of the field.
    pub node_id: String,
    pub data_type: IssueFieldType,
    /// The value: a text, a number or a date. For a `single_select` field, the identifier of
    /// the option; for a `multi_select` field, the names of the options, separated by commas.
    pub value: ShownValue,
    /// The selected option. Only present for a `single_select` field.
    pub single_select_option: Option<IssueFieldValueOption>,
    /// The selected options. Only present for a `multi_select` field.
    pub multi_select_options: Option<Vec<IssueFieldValueOption>>,
}

/// A selected option.
#[schema]
pub struct IssueFieldValueOption {
    /// The identifier of the option.
    pub id: i64,
    /// The name that is shown.
    pub name: String,
    pub color: IssueFieldColor,
}

/// A value of any data type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ShownValue {
    Whole(i64),
    Number(f64),
    Text(String),
}

described!(
    ShownValue,
    "ShownValue",
    MetaSchema {
        one_of: vec![String::schema_ref(), f64::schema_ref()],
        ..MetaSchema::ANY
    }
);

impl Example for IssueFieldValue {
    fn example() -> Self {
        Self {
            issue_field_id: 4001,
            issue_field_name: "Priority".to_owned(),
            node_id: "IFSS_kwDNA-nND6E".to_owned(),
            data_type: IssueFieldType::SingleSelect,
            value: ShownValue::Whole(1),
            single_select_option: Some(IssueFieldValueOption {
                id: 1,
                name: "High".to_owned(),
                color: IssueFieldColor::Red,
            }),
            multi_select_options: None,
        }
    }
}
