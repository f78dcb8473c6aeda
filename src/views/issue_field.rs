//! Parts of issue fields that are shown in more than one place.

use crate::contract::issue_fields::{IssueFieldColor, IssueFieldType};
use crate::entities::issue_field::{self, DataType};
use crate::entities::issue_field_option::Color;
use crate::node_id;

pub fn node_id(field: &issue_field::Model) -> String {
    let prefix = match field.data_type {
        DataType::Text => "IFT",
        DataType::Date => "IFD",
        DataType::SingleSelect => "IFSS",
        DataType::MultiSelect => "IFMS",
        DataType::Number => "IFN",
    };
    node_id::issue_field(prefix, field.organization_id, field.id)
}

pub fn data_type(data_type: DataType) -> IssueFieldType {
    match data_type {
        DataType::Text => IssueFieldType::Text,
        DataType::Date => IssueFieldType::Date,
        DataType::SingleSelect => IssueFieldType::SingleSelect,
        DataType::MultiSelect => IssueFieldType::MultiSelect,
        DataType::Number => IssueFieldType::Number,
    }
}

pub fn color(color: Color) -> IssueFieldColor {
    match color {
        Color::Gray => IssueFieldColor::Gray,
        Color::Blue => IssueFieldColor::Blue,
        Color::Green => IssueFieldColor::Green,
        Color::Yellow => IssueFieldColor::Yellow,
        Color::Orange => IssueFieldColor::Orange,
        Color::Red => IssueFieldColor::Red,
        Color::Pink => IssueFieldColor::Pink,
        Color::Purple => IssueFieldColor::Purple,
    }
}
