//! Pure decisions about labels, and the errors.

use std::collections::BTreeMap;

use poem_openapi::types::MaybeUndefined;

use crate::events::LabelAction;
use contract::labels::{CreateLabel, UpdateLabel};
use contract::problem::{FieldProblem, Problem};
use contract::reply::Outcome;
use storage::entities::label;

/// The resource in validation errors.
pub const LABEL: &str = "Label";

/// The default color.
pub const GRAY: &str = "ededed";

/// The most labels of an issue.
pub const MOST: usize = 100;

const LONGEST_NAME: usize = 50;
const LONGEST_DESCRIPTION: usize = 100;

/// Trims and validates a name.
pub fn check_name(name: &str) -> Result<String, FieldProblem> {
    let name = name.trim();
    if name.is_empty() {
        return Err(FieldProblem::missing(LABEL, "name"));
    }
    if name.chars().count() > LONGEST_NAME {
        let message = format!("name is too long (maximum is {LONGEST_NAME} characters)");
        return Err(FieldProblem::custom(LABEL, "name", message));
    }
    Ok(name.to_owned())
}

/// Validates a color, and returns it in lower case, as it is stored.
pub fn check_color(color: &str) -> Result<String, FieldProblem> {
    let digits = color.len() == 6 && color.bytes().all(|byte| byte.is_ascii_hexdigit());
    match digits {
        true => Ok(color.to_ascii_lowercase()),
        false => Err(FieldProblem::invalid(LABEL, "color")),
    }
}

pub fn check_description(text: &str) -> Result<(), FieldProblem> {
    if text.chars().count() > LONGEST_DESCRIPTION {
        let message =
            format!("description is too long (maximum is {LONGEST_DESCRIPTION} characters)");
        return Err(FieldProblem::custom(LABEL, "description", message));
    }
    Ok(())
}

/// The names of labels to add to an issue, unique ignoring case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelNames(pub(super) BTreeMap<String, String>);

impl LabelNames {
    pub fn of(names: &[String]) -> Outcome<Self> {
        let mut keyed = BTreeMap::new();
        for name in names {
            let name = check_name(name)?;
            keyed.entry(name.to_lowercase()).or_insert(name);
        }
        if keyed.len() > MOST {
            return Err(too_many());
        }
        Ok(Self(keyed))
    }
}

/// A label to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLabel {
    pub name: String,
    pub color: String,
    pub description: Option<String>,
}

/// The label that a body describes.
pub fn new_label(body: CreateLabel) -> Outcome<NewLabel> {
    let mut problems = Vec::new();
    let name = check_name(&body.name).map_err(|problem| problems.push(problem));
    let color = check_color(body.color.as_deref().unwrap_or(GRAY));
    let color = color.map_err(|problem| problems.push(problem));
    let description = check_description(body.description.as_deref().unwrap_or_default());
    let _ = description.map_err(|problem| problems.push(problem));
    match (name, color) {
        (Ok(name), Ok(color)) if problems.is_empty() => Ok(NewLabel {
            name,
            color,
            description: body.description,
        }),
        _ => Err(Problem::Invalid(problems)),
    }
}

/// Applies a body to a label, and returns the action with the previous values.
pub fn revise(row: &mut label::Model, body: UpdateLabel) -> Outcome<LabelAction> {
    let before = row.clone();
    if let Some(name) = &body.new_name {
        row.name = check_name(name)?;
        row.name_key = row.name.to_lowercase();
    }
    if let Some(color) = &body.color {
        row.color = check_color(color)?;
    }
    match body.description {
        MaybeUndefined::Undefined => {}
        MaybeUndefined::Null => row.description = None,
        MaybeUndefined::Value(text) => {
            check_description(&text)?;
            row.description = Some(text);
        }
    }
    Ok(LabelAction::Edited {
        name: (before.name != row.name).then_some(before.name),
        color: (before.color != row.color).then_some(before.color),
        description: (before.description != row.description)
            .then(|| before.description.unwrap_or_default()),
    })
}

/// 422 for a name that another label has.
pub fn name_taken() -> Problem {
    FieldProblem::taken(LABEL, "name").into()
}

/// 422 for an issue with too many labels.
pub fn too_many() -> Problem {
    let message = format!("an issue may have no more than {MOST} labels");
    FieldProblem::custom("Issue", "labels", message).into()
}

/// 404 for a label that an issue does not have.
pub fn not_labeled() -> Problem {
    Problem::Absent("Label does not exist".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_wrong_with_a_new_label_is_told_at_once() {
        let body = CreateLabel {
            name: " ".to_owned(),
            color: Some("red".to_owned()),
            description: Some("x".repeat(101)),
        };
        let Err(Problem::Invalid(problems)) = new_label(body) else {
            panic!("three things are wrong");
        };
        let fields: Vec<_> = problems.iter().map(|problem| &problem.field).collect();
        assert_eq!(fields, ["name", "color", "description"]);
    }

    #[test]
    fn a_label_is_gray_if_nothing_is_said() {
        let body = CreateLabel {
            name: "bug".to_owned(),
            color: None,
            description: None,
        };
        assert_eq!(new_label(body).expect("valid").color, GRAY);
    }

    #[test]
    fn a_name_has_between_one_and_fifty_characters() {
        assert_eq!(check_name(" bug ").as_deref(), Ok("bug"));
        assert!(check_name(&"ß".repeat(50)).is_ok());
        assert!(check_name(&"x".repeat(51)).is_err());
        assert!(check_name(" \t").is_err());
    }

    #[test]
    fn a_color_is_six_hexadecimal_digits() {
        assert_eq!(check_color("D73A4A").as_deref(), Ok("d73a4a"));
        for color in ["", "fff", "#d73a4a", "d73a4g", "d73a4aff"] {
            assert!(check_color(color).is_err(), "{color}");
        }
    }

    #[test]
    fn names_are_unique_ignoring_case() {
        let names = ["bug", "Bug", "help wanted"].map(str::to_owned);
        let names = LabelNames::of(&names).expect("names");
        assert_eq!(names.0.len(), 2);
    }
}
