//! What a filter asks of the values of a field: a text, the name of an option or an iteration,
//! a number or a date; of the last two also `>3`, `>=3`, `<3`, `<=3` and `1..3`.

use sea_orm::sea_query::{Expr, ExprTrait, Func, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, Condition};

use crate::contract::project_fields::ProjectFieldType;
use crate::contract::values::Day;
use crate::entities::issue_field::IssueFieldDataType;
use crate::entities::{issue_field_value, project_item, project_item_value};
use crate::projects::{FieldContent, Whole};

use project_item_value::Column;

/// That the value of an item in a field is one of these.
pub fn fitting(field: &Whole, values: &[String]) -> Result<Condition, String> {
    let FieldContent::Own {
        options,
        iterations,
    } = &field.content
    else {
        return of_issue(field, values);
    };
    let mut fits = Condition::any();
    for value in values {
        let same = |name: &str| name.to_lowercase() == value.to_lowercase();
        fits = match field.data_type() {
            ProjectFieldType::Text => fits.add(same_text(text_column(), value)),
            ProjectFieldType::Number => {
                let read = |text: &str| text.parse::<f64>().ok().filter(|read| read.is_finite());
                fits.add(range(Column::NumberValue, field, value, read)?)
            }
            ProjectFieldType::Date => {
                let read = |text: &str| Day::parse(text).map(|day| day.to_string());
                fits.add(range(Column::DateValue, field, value, read)?)
            }
            ProjectFieldType::SingleSelect => {
                let named = options.iter().filter(|option| same(&option.name));
                fits.add(Column::OptionId.is_in(named.map(|option| option.id)))
            }
            ProjectFieldType::Iteration => {
                let titled = iterations.iter().filter(|row| same(&row.title));
                fits.add(Column::IterationId.is_in(titled.map(|row| row.id)))
            }
            _ => return Err(format!("{} cannot be filtered by", field.name())),
        };
    }
    let mut having = of_field(field.field.id);
    having.cond_where(fits);
    Ok(Condition::all().add(Expr::exists(having)))
}

/// That an item has any value in a field.
pub fn any(field: &Whole) -> SimpleExpr {
    Expr::exists(match field.field.issue_field_id {
        Some(source) => of_issue_field(source),
        None => of_field(field.field.id),
    })
}

/// That the value of an item's issue in an issue field is one of these.
fn of_issue(field: &Whole, values: &[String]) -> Result<Condition, String> {
    let FieldContent::Issue {
        field: source,
        options,
    } = &field.content
    else {
        return Ok(Condition::any());
    };
    let content = issue_field_value::Column::Content;
    let mut fits = Condition::any();
    for value in values {
        fits = match source.data_type {
            IssueFieldDataType::Text => fits.add(same_text(content_column(), value)),
            IssueFieldDataType::Number => {
                let number = value.parse::<f64>().map_err(|_| wrong(field, value))?;
                fits.add(content.eq(number.to_string()))
            }
            IssueFieldDataType::Date => {
                let read = |text: &str| Day::parse(text).map(|day| day.to_string());
                fits.add(range(content, field, value, read)?)
            }
            IssueFieldDataType::SingleSelect | IssueFieldDataType::MultiSelect => {
                let key = value.to_lowercase();
                let named = options.iter().filter(|option| option.name_key == key);
                let chosen = issue_field_value::Column::OptionId;
                fits.add(chosen.is_in(named.map(|option| option.id)))
            }
        };
    }
    let mut having = of_issue_field(source.id);
    having.cond_where(fits);
    Ok(Condition::all().add(Expr::exists(having)))
}

fn content_column() -> SimpleExpr {
    Expr::col((
        issue_field_value::Entity,
        issue_field_value::Column::Content,
    ))
}

fn wrong(field: &Whole, value: &str) -> String {
    format!("{}: {value} is not a value of the field", field.name())
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

/// That a value is the one that is written, or within the range that is.
fn range<T: Into<sea_orm::Value>>(
    column: impl ColumnTrait,
    field: &Whole,
    value: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Condition, String> {
    let bound = |text: &str| read(text).ok_or_else(|| wrong(field, value));
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
