//! A value as clients see it.

use poem_openapi::Object;
use poem_openapi::registry::MetaSchema;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::issue_fields::{IssueFieldColor, IssueFieldType};
use super::super::values::described;

/// The value of an issue in an issue field.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct IssueFieldValue {
    pub issue_field_id: i64,
    pub issue_field_name: String,
    /// The global identifier of the field.
    pub node_id: String,
    pub data_type: IssueFieldType,
    /// A text, a number or a date; of a `single_select` field the id of the option, of a `multi_select`
    /// field the names of the options, with commas between them.
    pub value: ShownValue,
    /// The option. Only of a `single_select` field.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_select_option: Option<IssueFieldValueOption>,
    /// The options. Only of a `multi_select` field.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multi_select_options: Option<Vec<IssueFieldValueOption>>,
}

/// An option that was chosen.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct IssueFieldValueOption {
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
