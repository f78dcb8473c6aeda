//! Parses the values of requests by the data types of their fields.

use super::{FieldValue, Fields, Values};
use contract::issue_field_values::{GivenIssueFieldValue, GivenValue};
use contract::problem::FieldProblem;
use contract::values::Day;
use storage::entities::issue_field::{self, IssueFieldDataType};

/// The resource in validation errors.
const RESOURCE: &str = "IssueFieldValue";

/// The most characters of a text.
pub const LONGEST_TEXT: usize = 1024;

impl Fields {
    /// Parses the values of a body, or returns every problem.
    pub fn parse(&self, inputs: &[GivenIssueFieldValue]) -> Result<Values, Vec<FieldProblem>> {
        let mut values = Values::new();
        let mut problems = Vec::new();
        for (index, input) in inputs.iter().enumerate() {
            let at = |key| format!("issue_field_values[{index}].{key}");
            let problem = |key, why: String| FieldProblem::invalid(RESOURCE, at(key)).because(why);
            let Some(field) = self.fields.get(&input.field_id) else {
                let why = "Issue field does not exist in the repository's organization";
                problems.push(problem("field_id", why.to_owned()));
                continue;
            };
            match self.value(field, &input.value) {
                Err(why) => problems.push(problem("value", why)),
                Ok(value) => {
                    if values.insert(field.id, value).is_some() {
                        let why = "Issue field is listed more than once";
                        problems.push(problem("field_id", why.to_owned()));
                    }
                }
            }
        }
        match problems.is_empty() {
            true => Ok(values),
            false => Err(problems),
        }
    }

    /// Parses the value of a field, or returns the error message.
    pub fn value(
        &self,
        field: &issue_field::Model,
        input: &GivenValue,
    ) -> Result<FieldValue, String> {
        match (field.data_type, input) {
            (IssueFieldDataType::Text, GivenValue::Text(text)) => text_value(text),
            (IssueFieldDataType::Date, GivenValue::Text(text)) => match Day::parse(text) {
                Some(day) => Ok(FieldValue::Content(day.to_string())),
                None => Err(expected(field)),
            },
            (IssueFieldDataType::Number, GivenValue::Number(number)) => {
                Ok(FieldValue::Content(number.to_string()))
            }
            (IssueFieldDataType::SingleSelect, GivenValue::Text(name)) => {
                Ok(FieldValue::Options(vec![self.option(field, name)?]))
            }
            (IssueFieldDataType::MultiSelect, GivenValue::Names(names)) if !names.is_empty() => {
                let ids: Result<Vec<i64>, String> =
                    names.iter().map(|name| self.option(field, name)).collect();
                let mut ids = ids?;
                ids.sort_unstable();
                ids.dedup();
                Ok(FieldValue::Options(ids))
            }
            _ => Err(expected(field)),
        }
    }

    /// The option with a name, ignoring case.
    fn option(&self, field: &issue_field::Model, name: &str) -> Result<i64, String> {
        let key = name.trim().to_lowercase();
        let mut options = self.options.iter();
        let option = options.find(|row| row.field_id == field.id && row.name_key == key);
        option.map(|row| row.id).ok_or_else(|| {
            let options = self.options.iter().filter(|row| row.field_id == field.id);
            let names: Vec<&str> = options.map(|row| row.name.as_str()).collect();
            let names = names.join(", ");
            format!("{} has no such option; its options are {names}", field.name)
        })
    }
}

fn text_value(text: &str) -> Result<FieldValue, String> {
    if text.trim().is_empty() {
        return Err("Value can't be blank".to_owned());
    }
    match text.chars().count() <= LONGEST_TEXT {
        true => Ok(FieldValue::Content(text.to_owned())),
        false => Err(format!("Value is longer than {LONGEST_TEXT} characters")),
    }
}

fn expected(field: &issue_field::Model) -> String {
    let form = match field.data_type {
        IssueFieldDataType::Text => "a string",
        IssueFieldDataType::Date => "a date such as 2026-03-10",
        IssueFieldDataType::Number => "a number",
        IssueFieldDataType::SingleSelect => "the name of an option",
        IssueFieldDataType::MultiSelect => "a list of option names",
    };
    format!("Value of {} must be {form}", field.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use storage::entities::issue_field::FieldVisibility;

    fn field(data_type: IssueFieldDataType) -> issue_field::Model {
        issue_field::Model {
            id: 1,
            organization_id: 1,
            name: "Due".to_owned(),
            name_key: "due".to_owned(),
            description: None,
            data_type,
            visibility: FieldVisibility::All,
            created_at: 0,
            updated_at: 0,
        }
    }

    fn content(data_type: IssueFieldDataType, input: &GivenValue) -> Option<String> {
        match Fields::default().value(&field(data_type), input).ok()? {
            FieldValue::Content(text) => Some(text),
            FieldValue::Options(_) => None,
        }
    }

    #[test]
    fn a_date_is_a_day_of_the_calendar() {
        let date =
            |text: &str| content(IssueFieldDataType::Date, &GivenValue::Text(text.to_owned()));
        assert_eq!(date("2026-02-28").as_deref(), Some("2026-02-28"));
        for invalid in ["2026-02-30", "2026-2-28", "tomorrow", "", "+2026-02-28"] {
            assert_eq!(date(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn a_number_is_stored_in_its_shortest_form() {
        let number = |number| content(IssueFieldDataType::Number, &GivenValue::Number(number));
        assert_eq!(number(5.0).as_deref(), Some("5"));
        assert_eq!(number(-0.25).as_deref(), Some("-0.25"));
        let text = GivenValue::Text("5".to_owned());
        assert_eq!(content(IssueFieldDataType::Number, &text), None);
    }

    #[test]
    fn a_text_has_between_one_and_1024_characters() {
        let text = |text: String| content(IssueFieldDataType::Text, &GivenValue::Text(text));
        assert!(text("ß".repeat(LONGEST_TEXT)).is_some());
        assert_eq!(text("x".repeat(LONGEST_TEXT + 1)), None);
        assert_eq!(text(" \n".to_owned()), None);
    }
}
