//! Parts of issue fields that are shown in more than one place.

use crate::node_id;
use contract::issue_fields::{IssueFieldColor, IssueFieldType};
use storage::entities::issue_field::{self, IssueFieldDataType};
use storage::entities::issue_field_option::IssueFieldOptionColor;

pub fn node_id(field: &issue_field::Model) -> String {
    let prefix = match field.data_type {
        IssueFieldDataType::Text => "IFT",
        IssueFieldDataType::Date => "IFD",
        IssueFieldDataType::SingleSelect => "IFSS",
        IssueFieldDataType::MultiSelect => "IFMS",
        IssueFieldDataType::Number => "IFN",
    };
    node_id::issue_field(prefix, field.organization_id, field.id)
}

pub fn data_type(data_type: IssueFieldDataType) -> IssueFieldType {
    match data_type {
        IssueFieldDataType::Text => IssueFieldType::Text,
        IssueFieldDataType::Date => IssueFieldType::Date,
        IssueFieldDataType::SingleSelect => IssueFieldType::SingleSelect,
        IssueFieldDataType::MultiSelect => IssueFieldType::MultiSelect,
        IssueFieldDataType::Number => IssueFieldType::Number,
    }
}

pub fn color(color: IssueFieldOptionColor) -> IssueFieldColor {
    match color {
        IssueFieldOptionColor::Gray => IssueFieldColor::Gray,
        IssueFieldOptionColor::Blue => IssueFieldColor::Blue,
        IssueFieldOptionColor::Green => IssueFieldColor::Green,
        IssueFieldOptionColor::Yellow => IssueFieldColor::Yellow,
        IssueFieldOptionColor::Orange => IssueFieldColor::Orange,
        IssueFieldOptionColor::Red => IssueFieldColor::Red,
        IssueFieldOptionColor::Pink => IssueFieldColor::Pink,
        IssueFieldOptionColor::Purple => IssueFieldColor::Purple,
    }
}
