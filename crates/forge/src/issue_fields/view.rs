//! Views of issue fields.

use contract::issue_fields::{
    IssueField, IssueFieldColor, IssueFieldOption, IssueFieldType, IssueFieldVisibility,
};
use contract::values::Timestamp;
use storage::entities::issue_field::{self, FieldVisibility, IssueFieldDataType};
use storage::entities::issue_field_option;
use storage::entities::issue_field_option::IssueFieldOptionColor;

use crate::node_id;

/// The details of a field that are shown.
#[derive(Debug, Clone, Copy)]
pub struct Detail {
    /// All details of the options, or only their id, name and colour.
    pub whole_options: bool,
    pub visibility: bool,
}

/// A list of fields, given the options of all of them in the order to show.
pub fn fields(
    fields: Vec<issue_field::Model>,
    options: &[issue_field_option::Model],
    detail: Detail,
) -> Vec<IssueField> {
    fields
        .into_iter()
        .map(|field| {
            let field_options = options.iter().filter(|option| option.field_id == field.id);
            let field_options: Vec<_> = field_options.collect();
            show(field, &field_options, detail)
        })
        .collect()
}

/// One field, given its options in the order to show.
pub fn field(
    field: issue_field::Model,
    options: &[issue_field_option::Model],
    detail: Detail,
) -> IssueField {
    show(field, &options.iter().collect::<Vec<_>>(), detail)
}

fn show(
    field: issue_field::Model,
    options: &[&issue_field_option::Model],
    detail: Detail,
) -> IssueField {
    let select = matches!(
        field.data_type,
        IssueFieldDataType::SingleSelect | IssueFieldDataType::MultiSelect
    );
    let options = options.iter().map(|row| option(row, detail.whole_options));
    IssueField {
        id: field.id,
        node_id: node_id(&field),
        name: field.name,
        description: field.description.into(),
        data_type: data_type(field.data_type),
        visibility: detail.visibility.then_some(visibility(field.visibility)),
        options: select.then(|| options.collect()),
        created_at: Timestamp(field.created_at),
        updated_at: Timestamp(field.updated_at),
    }
}

fn option(option: &issue_field_option::Model, whole: bool) -> IssueFieldOption {
    let description = option.description.clone().unwrap_or_default();
    IssueFieldOption {
        id: option.id,
        name: option.name.clone(),
        color: color(option.color),
        description: whole.then_some(description),
        priority: whole.then_some(option.priority),
        created_at: whole.then_some(Timestamp(option.created_at)),
        updated_at: whole.then_some(Timestamp(option.updated_at)),
    }
}

fn visibility(visibility: FieldVisibility) -> IssueFieldVisibility {
    match visibility {
        FieldVisibility::OrganizationMembersOnly => IssueFieldVisibility::OrganizationMembersOnly,
        FieldVisibility::All => IssueFieldVisibility::All,
    }
}

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
