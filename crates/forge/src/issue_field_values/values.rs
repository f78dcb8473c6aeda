//! The values of issues in the issue fields of their organization. A value exists
//! as long as its field and its selected options; both may be renamed.

mod reading;
mod visible;

use std::collections::BTreeMap;

use sea_orm::sea_query::LockType;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set};

use crate::issue_fields::view::{color, data_type, node_id};
use contract::issue_field_values::{IssueFieldValue, IssueFieldValueOption, ShownValue};
use storage::database::{Connection, rows_with};
use storage::entities::issue_field::{self, FieldVisibility, IssueFieldDataType};
use storage::entities::{issue_field_option, issue_field_value};

pub use super::values::reading::LONGEST_TEXT;
pub use super::values::visible::visible;

/// The issue fields of an organization that a caller sees, with their options.
#[derive(Debug, Default)]
pub struct Fields {
    fields: BTreeMap<i64, issue_field::Model>,
    /// In display order.
    options: Vec<issue_field_option::Model>,
}

/// Which issue fields a caller sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldAccess {
    All,
    /// Only fields that are visible to everybody.
    Public,
}

/// A stored value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    /// A text, or a number or a date as text.
    Content(String),
    /// The ids of options, ascending.
    Options(Vec<i64>),
}

/// The values of an issue, by the ids of their fields.
pub type Values = BTreeMap<i64, FieldValue>;

impl Fields {
    pub async fn of(
        connection: &Connection,
        organization: i64,
        access: FieldAccess,
    ) -> Result<Self, DbErr> {
        let fields = issue_field::Entity::find();
        let options = issue_field_option::Entity::find();
        Self::read(connection, fields, options, organization, access).await
    }

    /// Like `of`, with locks that prevent the deletion of fields and options, for a transaction
    /// that sets values.
    pub async fn locked(
        transaction: &Connection,
        organization: i64,
        access: FieldAccess,
    ) -> Result<Self, DbErr> {
        let fields = issue_field::Entity::find().lock(LockType::KeyShare);
        let options = issue_field_option::Entity::find().lock(LockType::KeyShare);
        Self::read(transaction, fields, options, organization, access).await
    }

    async fn read(
        connection: &Connection,
        fields: sea_orm::Select<issue_field::Entity>,
        options: sea_orm::Select<issue_field_option::Entity>,
        organization: i64,
        access: FieldAccess,
    ) -> Result<Self, DbErr> {
        let rows = fields
            .filter(issue_field::COLUMN.organization_id.eq(organization))
            .all(connection)
            .await?;
        let visible_rows = rows
            .into_iter()
            .filter(|row| access == FieldAccess::All || row.visibility == FieldVisibility::All);
        let fields: BTreeMap<i64, _> = visible_rows.map(|row| (row.id, row)).collect();
        if fields.is_empty() {
            return Ok(Self::default());
        }
        let options = options
            .filter(issue_field_option::Column::FieldId.is_in(fields.keys().copied()))
            .order_by_asc(issue_field_option::Column::Priority)
            .order_by_asc(issue_field_option::Column::Id)
            .all(connection)
            .await?;
        Ok(Self { fields, options })
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    pub fn has(&self, field: i64) -> bool {
        self.fields.contains_key(&field)
    }

    /// The field with a name, ignoring case.
    pub fn by_name(&self, name: &str) -> Option<&issue_field::Model> {
        let key = name.to_lowercase();
        self.fields.values().find(|field| field.name_key == key)
    }

    /// The views of the values of an issue, in the order of their fields.
    pub fn views(&self, values: &Values) -> Vec<IssueFieldValue> {
        let visible_values = values
            .iter()
            .filter_map(|(field, value)| Some((self.fields.get(field)?, value)));
        visible_values
            .map(|(field, value)| self.show(field, value))
            .collect()
    }

    fn show(&self, field: &issue_field::Model, value: &FieldValue) -> IssueFieldValue {
        let selected = self.selected(value);
        let select = |data_type| (field.data_type == data_type).then_some(&selected);
        IssueFieldValue {
            issue_field_id: field.id,
            issue_field_name: field.name.clone(),
            node_id: node_id(field),
            data_type: data_type(field.data_type),
            value: shown_value(field.data_type, value, &selected),
            single_select_option: select(IssueFieldDataType::SingleSelect)
                .and_then(|selected| selected.first().cloned()),
            multi_select_options: select(IssueFieldDataType::MultiSelect).cloned(),
        }
    }

    /// The selected options of a value, in the order of the field.
    fn selected(&self, value: &FieldValue) -> Vec<IssueFieldValueOption> {
        let FieldValue::Options(ids) = value else {
            return Vec::new();
        };
        let rows = self.options.iter().filter(|row| ids.contains(&row.id));
        rows.map(|row| IssueFieldValueOption {
            id: row.id,
            name: row.name.clone(),
            color: color(row.color),
        })
        .collect()
    }
}

fn shown_value(
    data_type: IssueFieldDataType,
    value: &FieldValue,
    selected: &[IssueFieldValueOption],
) -> ShownValue {
    match (data_type, value) {
        (IssueFieldDataType::Number, FieldValue::Content(text)) => number(text),
        (_, FieldValue::Content(text)) => ShownValue::Text(text.clone()),
        (IssueFieldDataType::SingleSelect, FieldValue::Options(ids)) => {
            ShownValue::Whole(ids.first().copied().unwrap_or_default())
        }
        (_, FieldValue::Options(_)) => {
            let names: Vec<&str> = selected.iter().map(|option| option.name.as_str()).collect();
            ShownValue::Text(names.join(","))
        }
    }
}

/// A number without a fraction is shown without one.
fn number(text: &str) -> ShownValue {
    match (text.parse(), text.parse()) {
        (Ok(whole), _) => ShownValue::Whole(whole),
        (_, Ok(number)) => ShownValue::Number(number),
        _ => ShownValue::Text(text.to_owned()),
    }
}

/// The values of issues, by the ids of the issues.
pub async fn of_issues(
    connection: &Connection,
    issues: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Values>, DbErr> {
    let mut rows = rows_with(connection, issue_field_value::Column::IssueId, issues).await?;
    rows.sort_unstable_by_key(|row| row.option_id);
    let mut values_by_issue: BTreeMap<i64, Values> = BTreeMap::new();
    for row in rows {
        let values = values_by_issue.entry(row.issue_id).or_default();
        match (row.option_id, row.content) {
            (Some(option), _) => {
                let value = values.entry(row.field_id);
                let value = value.or_insert_with(|| FieldValue::Options(Vec::new()));
                if let FieldValue::Options(ids) = value {
                    ids.push(option);
                }
            }
            (None, Some(text)) => {
                values.insert(row.field_id, FieldValue::Content(text));
            }
            (None, None) => {}
        }
    }
    Ok(values_by_issue)
}

/// The values of one issue.
pub async fn of_issue(connection: &Connection, issue: i64) -> Result<Values, DbErr> {
    let mut values = of_issues(connection, [issue]).await?;
    Ok(values.remove(&issue).unwrap_or_default())
}

/// Replaces the values of an issue. The issue must be locked.
pub async fn replace(
    transaction: &Connection,
    issue: i64,
    before: &Values,
    after: &Values,
) -> Result<(), DbErr> {
    let stale = before
        .iter()
        .filter(|(field, value)| after.get(field) != Some(value));
    let stale: Vec<i64> = stale.map(|(field, _)| *field).collect();
    if !stale.is_empty() {
        issue_field_value::Entity::delete_many()
            .filter(issue_field_value::COLUMN.issue_id.eq(issue))
            .filter(issue_field_value::Column::FieldId.is_in(stale))
            .exec(transaction)
            .await?;
    }
    let new = after
        .iter()
        .filter(|(field, value)| before.get(field) != Some(value));
    let rows: Vec<_> = new
        .flat_map(|(field, value)| rows_of(issue, *field, value))
        .collect();
    if !rows.is_empty() {
        issue_field_value::Entity::insert_many(rows)
            .exec_without_returning(transaction)
            .await?;
    }
    Ok(())
}

fn rows_of(issue: i64, field: i64, value: &FieldValue) -> Vec<issue_field_value::ActiveModel> {
    let row = |option, content| issue_field_value::ActiveModel {
        issue_id: Set(issue),
        field_id: Set(field),
        option_id: Set(option),
        content: Set(content),
        ..Default::default()
    };
    match value {
        FieldValue::Content(text) => vec![row(None, Some(text.clone()))],
        FieldValue::Options(ids) => ids.iter().map(|id| row(Some(*id), None)).collect(),
    }
}
