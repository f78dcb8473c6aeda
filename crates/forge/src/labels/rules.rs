//! Pure decisions about labels, and the errors.

use poem_openapi::types::MaybeUndefined;

use super::labels::{GRAY, LABEL, NewLabel, check_color, check_description, check_name};
use crate::notify::LabelAction;
use contract::labels::{CreateLabel, UpdateLabel};
use contract::problem::{FieldProblem, Problem};
use contract::reply::Outcome;
use storage::entities::label;

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
}
