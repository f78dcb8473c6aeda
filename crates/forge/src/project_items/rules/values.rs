//! Validates values of fields.

use super::{invalid, unknown_field};
use crate::issue_field_values::values::{FieldValue, LONGEST_TEXT};
use crate::project_items::draft::NewValue;
use crate::projects::showing::issue_option_key;
use crate::projects::{FieldContent, FieldWithContent};
use contract::problem::FieldProblem;
use contract::project_fields::ProjectFieldType;
use contract::project_items::SetItemField;
use contract::values::{Day, TextOrNumber};
use storage::entities::issue_field::{self, IssueFieldDataType};
use storage::entities::issue_field_option;

/// A field, and its new value; None removes the value.
#[derive(Debug)]
pub struct FieldAssignment<'a> {
    pub field: &'a FieldWithContent,
    pub value: SetTo,
}

/// The new value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum SetTo {
    /// A field of the project's own.
    Own(Option<NewValue>),
    /// An issue field, by its id, whose value is the issue's.
    Issue(i64, Option<FieldValue>),
}

/// The assignments of a body, or all its problems.
pub fn settings<'a>(
    fields: &'a [FieldWithContent],
    requested: Vec<SetItemField>,
) -> Result<Vec<FieldAssignment<'a>>, Vec<FieldProblem>> {
    let (mut settings, mut problems): (Vec<FieldAssignment<'_>>, _) = (Vec::new(), Vec::new());
    for (index, requested) in requested.into_iter().enumerate() {
        let at = |part: &str| format!("fields[{index}].{part}");
        let Some(field) = fields.iter().find(|field| field.field.id == requested.id) else {
            problems.push(unknown_field(at("id"), requested.id));
            continue;
        };
        if settings
            .iter()
            .any(|set| set.field.field.id == requested.id)
        {
            let message = format!("{} is listed more than once", field.name());
            problems.push(invalid(at("id"), message));
            continue;
        }
        match value(field, requested.value.0) {
            Ok(value) => settings.push(FieldAssignment { field, value }),
            Err(reason) => {
                let message = format!("{} {reason}", field.name());
                problems.push(invalid(at("value"), message));
            }
        }
    }
    match problems.is_empty() {
        true => Ok(settings),
        false => Err(problems),
    }
}

/// The new value of a field, or the reason why it is invalid.
fn value(field: &FieldWithContent, requested: Option<TextOrNumber>) -> Result<SetTo, String> {
    if let FieldContent::Issue {
        field: source,
        options,
    } = &field.content
    {
        let requested = requested.map(|requested| issue_value(source, options, requested));
        return Ok(SetTo::Issue(source.id, requested.transpose()?));
    }
    if !is_settable(field.data_type()) {
        return Err("is read-only".to_owned());
    }
    let value = requested
        .map(|requested| own_value(field, requested))
        .transpose()?;
    Ok(SetTo::Own(value.flatten()))
}

/// A value for one of the project's own fields. An empty text is no value.
pub fn own_value(
    field: &FieldWithContent,
    requested: TextOrNumber,
) -> Result<Option<NewValue>, String> {
    let FieldContent::Own {
        options,
        iterations,
    } = &field.content
    else {
        return Err("is an issue field".to_owned());
    };
    let value = match (field.data_type(), requested) {
        (ProjectFieldType::Text, TextOrNumber::Text(text)) => return text_value(text),
        (ProjectFieldType::Number, TextOrNumber::Number(number)) => {
            NewValue::Number(finite(&number)?)
        }
        (ProjectFieldType::Date, TextOrNumber::Text(text)) => NewValue::Date(day(&text)?),
        (ProjectFieldType::SingleSelect, TextOrNumber::Text(key)) => {
            let option = options.iter().find(|option| option.option_key == key);
            NewValue::Option(option.ok_or_else(|| format!("has no option {key}"))?.id)
        }
        (ProjectFieldType::Iteration, TextOrNumber::Text(key)) => {
            let iteration = iterations.iter().find(|row| row.iteration_key == key);
            NewValue::Iteration(
                iteration
                    .ok_or_else(|| format!("has no iteration {key}"))?
                    .id,
            )
        }
        (data_type, _) => return Err(format!("must be {}", form(data_type))),
    };
    Ok(Some(value))
}

/// A value for an issue field, whose options are known by the ids that the project shows.
fn issue_value(
    field: &issue_field::Model,
    options: &[issue_field_option::Model],
    requested: TextOrNumber,
) -> Result<FieldValue, String> {
    Ok(match (field.data_type, requested) {
        (IssueFieldDataType::Text, TextOrNumber::Text(text)) => match text_value(text)? {
            Some(NewValue::Text(text)) if !text.trim().is_empty() => FieldValue::Content(text),
            _ => return Err("must be a text that is not blank, or null".to_owned()),
        },
        (IssueFieldDataType::Number, TextOrNumber::Number(number)) => {
            FieldValue::Content(finite(&number)?.to_string())
        }
        (IssueFieldDataType::Date, TextOrNumber::Text(text)) => {
            FieldValue::Content(day(&text)?.to_string())
        }
        (IssueFieldDataType::SingleSelect, TextOrNumber::Text(key)) => {
            let option = options
                .iter()
                .find(|option| issue_option_key(option) == key);
            let option = option.ok_or_else(|| format!("has no option {key}"))?;
            FieldValue::Options(vec![option.id])
        }
        (IssueFieldDataType::Text, _) => {
            return Err(format!("must be {}", form(ProjectFieldType::Text)));
        }
        (IssueFieldDataType::Number, _) => {
            return Err(format!("must be {}", form(ProjectFieldType::Number)));
        }
        (IssueFieldDataType::Date, _) => {
            return Err(format!("must be {}", form(ProjectFieldType::Date)));
        }
        (IssueFieldDataType::SingleSelect | IssueFieldDataType::MultiSelect, _) => {
            return Err(format!("must be {}", form(ProjectFieldType::SingleSelect)));
        }
    })
}

fn finite(number: &serde_json::Number) -> Result<f64, String> {
    let finite = number.as_f64().filter(|number| number.is_finite());
    finite.ok_or_else(|| "must be a smaller number".to_owned())
}

fn day(text: &str) -> Result<Day, String> {
    let invalid = || format!("must be {}", form(ProjectFieldType::Date));
    Day::parse(text).ok_or_else(invalid)
}

fn text_value(text: String) -> Result<Option<NewValue>, String> {
    if text.chars().count() > LONGEST_TEXT {
        return Err(format!(
            "is too long (maximum is {LONGEST_TEXT} characters)"
        ));
    }
    Ok((!text.is_empty()).then_some(NewValue::Text(text)))
}

fn is_settable(data_type: ProjectFieldType) -> bool {
    use ProjectFieldType::{Date, Iteration, Number, SingleSelect, Text};
    matches!(data_type, Text | Number | Date | SingleSelect | Iteration)
}

/// A description of the values that a field accepts.
fn form(data_type: ProjectFieldType) -> &'static str {
    match data_type {
        ProjectFieldType::Number => "a number",
        ProjectFieldType::Date => "a date such as 2026-03-10",
        ProjectFieldType::SingleSelect => "the id of an option",
        ProjectFieldType::Iteration => "the id of an iteration",
        _ => "a text",
    }
}
