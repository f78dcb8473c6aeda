//! Filters on the values of a field: a text, the name of an option or an iteration, a number or a
//! date; for the last two also `>3`, `>=3`, `<3`, `<=3` and `1..3`.

use sea_orm::sea_query::{Expr, ExprTrait, Func, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, Condition};

use crate::projects::{FieldContent, FieldWithContent};
use contract::project_fields::ProjectFieldType;
use contract::values::Day;
use storage::entities::issue_field::IssueFieldDataType;
use storage::entities::{issue_field_value, project_item, project_item_value};

use project_item_value::Column;

/// The value of an item in a field is one of these.
pub fn matching(field: &FieldWithContent, values: &[String]) -> Result<Condition, String> {
    let FieldContent::Own {
        options,
        iterations,
    } = &field.content
    else {
        return of_issue(field, values);
    };
    let mut condition = Condition::any();
    for value in values {
        let is_name = |name: &str| name.to_lowercase() == value.to_lowercase();
        condition = match field.data_type() {
            ProjectFieldType::Text => condition.add(same_text(text_column(), value)),
            ProjectFieldType::Number => {
                let read = |text: &str| text.parse::<f64>().ok().filter(|read| read.is_finite());
                condition.add(range(Column::NumberValue, field, value, read)?)
            }
            ProjectFieldType::Date => {
                let read = |text: &str| Day::parse(text).map(|day| day.to_string());
                condition.add(range(Column::DateValue, field, value, read)?)
            }
            ProjectFieldType::SingleSelect => {
                let with_name = options.iter().filter(|option| is_name(&option.name));
                condition.add(Column::OptionId.is_in(with_name.map(|option| option.id)))
            }
            ProjectFieldType::Iteration => {
                let titled = iterations.iter().filter(|row| is_name(&row.title));
                condition.add(Column::IterationId.is_in(titled.map(|row| row.id)))
            }
            _ => return Err(format!("Items cannot be filtered by {}", field.name())),
        };
    }
    let mut matching_values = of_field(field.field.id);
    matching_values.cond_where(condition);
    Ok(Condition::all().add(Expr::exists(matching_values)))
}

/// An item has any value in a field.
pub fn any(field: &FieldWithContent) -> SimpleExpr {
    Expr::exists(match field.field.issue_field_id {
        Some(source) => of_issue_field(source),
        None => of_field(field.field.id),
    })
}

/// The value of an item's issue in an issue field is one of these.
fn of_issue(field: &FieldWithContent, values: &[String]) -> Result<Condition, String> {
    let FieldContent::Issue {
        field: source,
        options,
    } = &field.content
    else {
        return Ok(Condition::any());
    };
    let content = issue_field_value::Column::Content;
    let mut condition = Condition::any();
    for value in values {
        condition = match source.data_type {
            IssueFieldDataType::Text => condition.add(same_text(content_column(), value)),
            IssueFieldDataType::Number => {
                let number = value
                    .parse::<f64>()
                    .map_err(|_| invalid_value(field, value))?;
                condition.add(content.eq(number.to_string()))
            }
            IssueFieldDataType::Date => {
                let read = |text: &str| Day::parse(text).map(|day| day.to_string());
                condition.add(range(content, field, value, read)?)
            }
            IssueFieldDataType::SingleSelect | IssueFieldDataType::MultiSelect => {
                let key = value.to_lowercase();
                let with_name = options.iter().filter(|option| option.name_key == key);
                let chosen = issue_field_value::Column::OptionId;
                condition.add(chosen.is_in(with_name.map(|option| option.id)))
            }
        };
    }
    let mut matching_values = of_issue_field(source.id);
    matching_values.cond_where(condition);
    Ok(Condition::all().add(Expr::exists(matching_values)))
}

fn content_column() -> SimpleExpr {
    Expr::col((
        issue_field_value::Entity,
        issue_field_value::Column::Content,
    ))
}

fn invalid_value(field: &FieldWithContent, value: &str) -> String {
    format!(
        "{}: {value} is not a valid value of the field",
        field.name()
    )
}

/// The value of an item's issue in an issue field.
fn of_issue_field(field: i64) -> SelectStatement {
    Query::select()
        .expr(Expr::val(1))
        .from(issue_field_value::Entity)
        .and_where(
            Expr::col((
                issue_field_value::Entity,
                issue_field_value::Column::IssueId,
            ))
            .equals((project_item::Entity, project_item::Column::IssueId)),
        )
        .and_where(issue_field_value::Column::FieldId.eq(field))
        .to_owned()
}

/// The value of an item in one of the project's own fields.
fn of_field(field: i64) -> SelectStatement {
    Query::select()
        .expr(Expr::val(1))
        .from(project_item_value::Entity)
        .and_where(
            Expr::col((project_item_value::Entity, Column::ItemId))
                .equals((project_item::Entity, project_item::Column::Id)),
        )
        .and_where(Column::FieldId.eq(field))
        .to_owned()
}

fn same_text(column: SimpleExpr, value: &str) -> SimpleExpr {
    let lower = |text: SimpleExpr| Expr::expr(Func::lower(text));
    lower(column).eq(lower(Expr::val(value)))
}

fn text_column() -> SimpleExpr {
    Expr::col((project_item_value::Entity, Column::TextValue))
}

/// A value equals the given one, or is within the given range.
fn range<T: Into<sea_orm::Value>>(
    column: impl ColumnTrait,
    field: &FieldWithContent,
    value: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Condition, String> {
    let bound = |text: &str| read(text).ok_or_else(|| invalid_value(field, value));
    let all = Condition::all();
    if let Some((from, to)) = value.split_once("..") {
        let (from, to) = (bound(from)?, bound(to)?);
        return Ok(all.add(column.gte(from)).add(column.lte(to)));
    }
    let compared = match value.as_bytes() {
        [b'>', b'=', ..] => column.gte(bound(&value[2..])?),
        [b'<', b'=', ..] => column.lte(bound(&value[2..])?),
        [b'>', ..] => column.gt(bound(&value[1..])?),
        [b'<', ..] => column.lt(bound(&value[1..])?),
        _ => column.eq(bound(value)?),
    };
    Ok(all.add(compared))
}
