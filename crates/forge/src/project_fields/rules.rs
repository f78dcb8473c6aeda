//! Validates project fields (Spec, Project fields, add-field body). The contract has already
//! checked the form of the body: which keys belong together, the number of options, colours, real
//! dates and positive durations.

use std::collections::BTreeSet;

use super::draft::{
    FieldSettings, MirroredIssueField, NewIteration, NewProjectField, NewProjectFieldOption,
    OwnField, name_key,
};
use crate::projects::iteration::day_after;
use crate::projects::showing::issue_option;
use contract::problem::FieldProblem;
use contract::project_fields::{
    AddIteration, AddIterationConfiguration, AddOrgProjectField, AddSelectOption, AddedFieldType,
    PlainFieldType, ProjectOptionColor,
};
use contract::values::Day;
use storage::entities::issue_field::{self, FieldVisibility, IssueFieldDataType};
use storage::entities::issue_field_option;
use storage::entities::project_field_option::ProjectFieldOptionColor;

/// The resource in errors.
pub const RESOURCE: &str = "ProjectV2Field";

/// The most fields of a project (as on GitHub).
pub const FIELDS_AT_MOST: u64 = 50;

/// The names of GitHub's built-in fields, in lower case. No other field can have one.
const RESERVED_NAMES: [&str; 10] = [
    "assignees",
    "labels",
    "linked pull requests",
    "milestone",
    "parent issue",
    "repository",
    "reviewers",
    "sub-issues progress",
    "title",
    "type",
];

/// The number of iterations of a new field if the body lists none.
const DEFAULT_ITERATIONS: i64 = 3;

/// A new field, or all its problems.
pub fn draft(body: AddOrgProjectField) -> Result<NewProjectField, Vec<FieldProblem>> {
    let mut problems = Vec::new();
    let (name, form) = match body {
        AddOrgProjectField::FromIssueField(form) => {
            let mirrored = MirroredIssueField {
                id: form.issue_field_id,
                name: form.name,
                data_type: form.data_type,
                options: form
                    .single_select_options
                    .map(|requested| options(requested, &mut problems)),
            };
            return match problems.is_empty() {
                true => Ok(NewProjectField::FromIssueField(mirrored)),
                false => Err(problems),
            };
        }
        AddOrgProjectField::Plain(form) => (form.name, plain(form.data_type)),
        AddOrgProjectField::SingleSelect(form) => {
            let options = options(form.single_select_options, &mut problems);
            (form.name, FieldSettings::SingleSelect(options))
        }
        AddOrgProjectField::Iteration(form) => {
            let iterations = iterations(form.iteration_configuration, &mut problems);
            (form.name, iterations)
        }
    };
    check_text(&name, "name", "Name", &mut problems);
    if RESERVED_NAMES.contains(&name_key(&name).as_str()) {
        let problem = FieldProblem::invalid(RESOURCE, "name");
        problems.push(problem.because("Name cannot have a reserved value"));
    }
    if problems.is_empty() {
        let name = name.trim().to_owned();
        Ok(NewProjectField::Own(OwnField { name, form }))
    } else {
        Err(problems)
    }
}

/// Whether a project with this many fields may have another.
pub fn check_room(count: u64) -> Result<(), FieldProblem> {
    if count < FIELDS_AT_MOST {
        return Ok(());
    }
    let message = format!("Projects can have at most {FIELDS_AT_MOST} fields");
    Err(FieldProblem::custom(RESOURCE, "project", message))
}

/// The error for a name that another field of the project has.
pub fn name_taken() -> FieldProblem {
    FieldProblem::taken(RESOURCE, "name").because("Name has already been taken")
}

/// The error for an issue field that the project already has.
pub fn issue_field_taken() -> FieldProblem {
    let problem = FieldProblem::taken(RESOURCE, "issue_field_id");
    problem.because("Issue field has already been added to the project")
}

/// The error for an issue field that the organization does not have.
pub fn issue_field_unknown() -> FieldProblem {
    let problem = FieldProblem::invalid(RESOURCE, "issue_field_id");
    problem.because("Issue field does not exist in the organization")
}

/// Checks that an issue field has the properties that the caller expects; names every difference.
pub fn check_agreement(
    field: &issue_field::Model,
    options: &[issue_field_option::Model],
    mirrored: &MirroredIssueField,
) -> Result<(), Vec<FieldProblem>> {
    let mut problems = Vec::new();
    let mut contradicts = |name: &str, label: &str| {
        let message = format!("{label} differs from that of the issue field");
        problems.push(FieldProblem::invalid(RESOURCE, name).because(message));
    };
    let same_name = |name: &String| name_key(name) == name_key(&field.name);
    if !mirrored.name.as_ref().is_none_or(same_name) {
        contradicts("name", "Name");
    }
    let same_type = |expected| match field.data_type {
        IssueFieldDataType::Text => expected == AddedFieldType::Text,
        IssueFieldDataType::Number => expected == AddedFieldType::Number,
        IssueFieldDataType::Date => expected == AddedFieldType::Date,
        IssueFieldDataType::SingleSelect => expected == AddedFieldType::SingleSelect,
        IssueFieldDataType::MultiSelect => false,
    };
    if !mirrored.data_type.is_none_or(same_type) {
        contradicts("data_type", "Data type");
    }
    let same_options = |expected: &Vec<NewProjectFieldOption>| {
        expected.len() == options.len() && expected.iter().zip(options).all(is_same_option)
    };
    if !mirrored.options.as_ref().is_none_or(same_options) {
        contradicts("single_select_options", "The list of options");
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}

/// Whether an expected option is that of the issue field. Its colour and its description have
/// defaults, which say nothing.
fn is_same_option(
    (expected, option): (&NewProjectFieldOption, &issue_field_option::Model),
) -> bool {
    let shown = issue_option(option);
    name_key(&expected.name) == name_key(&option.name)
        && (expected.color == color(ProjectOptionColor::default())
            || expected.color == color(shown.color))
        && (expected.description.is_empty() || expected.description == shown.description.raw)
}

/// Whether an issue field is allowed in a project. `public` is whether everybody can read the
/// project and the visibility of issue fields is enforced.
pub fn check_issue_field(field: &issue_field::Model, public: bool) -> Result<(), FieldProblem> {
    let refusal = if field.data_type == IssueFieldDataType::MultiSelect {
        "Issue field is a multi_select, which projects do not support"
    } else if public && field.visibility == FieldVisibility::OrganizationMembersOnly {
        "Issue field is visible to organization members only and the project is public"
    } else {
        return Ok(());
    };
    Err(FieldProblem::invalid(RESOURCE, "issue_field_id").because(refusal))
}

fn plain(data_type: PlainFieldType) -> FieldSettings {
    match data_type {
        PlainFieldType::Text => FieldSettings::Text,
        PlainFieldType::Number => FieldSettings::Number,
        PlainFieldType::Date => FieldSettings::Date,
    }
}

fn check_text(text: &str, field: &str, label: &str, problems: &mut Vec<FieldProblem>) {
    if text.trim().is_empty() {
        let problem = FieldProblem::missing(RESOURCE, field);
        problems.push(problem.because(format!("{label} can't be blank")));
    }
}

fn options(
    requested: Vec<AddSelectOption>,
    problems: &mut Vec<FieldProblem>,
) -> Vec<NewProjectFieldOption> {
    let mut known_names = BTreeSet::new();
    for (index, option) in requested.iter().enumerate() {
        let field = format!("single_select_options[{index}].name");
        check_text(&option.name, &field, "Name", problems);
        if !known_names.insert(name_key(&option.name)) {
            let problem = FieldProblem::taken(RESOURCE, field);
            problems.push(problem.because("Name has already been taken"));
        }
    }
    let drafts = requested.into_iter().map(|option| NewProjectFieldOption {
        name: option.name.trim().to_owned(),
        color: color(option.color),
        description: option.description,
    });
    drafts.collect()
}

fn iterations(
    configuration: AddIterationConfiguration,
    problems: &mut Vec<FieldProblem>,
) -> FieldSettings {
    let mut drafts = match configuration.iterations {
        Some(listed) => listed_iterations(listed, problems),
        None => default_iterations(configuration.start_date, configuration.duration, problems),
    };
    drafts.sort_by_key(|iteration| iteration.start_date);
    FieldSettings::Iteration {
        duration: configuration.duration,
        start_day: i64::from(configuration.start_date.0.weekday().number_from_monday()),
        iterations: drafts,
    }
}

fn default_iterations(
    start: Day,
    duration: i64,
    problems: &mut Vec<FieldProblem>,
) -> Vec<NewIteration> {
    let mut drafts = Vec::new();
    let mut start_date = start;
    for number in 1..=DEFAULT_ITERATIONS {
        drafts.push(NewIteration {
            title: format!("Iteration {number}"),
            start_date,
            duration,
        });
        match day_after(start_date, duration) {
            Some(next) => start_date = next,
            None => {
                problems.push(beyond_calendar("iteration_configuration.duration"));
                break;
            }
        }
    }
    drafts
}

fn listed_iterations(
    listed: Vec<AddIteration>,
    problems: &mut Vec<FieldProblem>,
) -> Vec<NewIteration> {
    let path =
        |index: usize, key: &str| format!("iteration_configuration.iterations[{index}].{key}");
    let mut spans = Vec::new();
    for (index, iteration) in listed.iter().enumerate() {
        check_text(&iteration.title, &path(index, "title"), "Title", problems);
        match day_after(iteration.start_date, iteration.duration) {
            Some(end) => spans.push((iteration.start_date, end, index)),
            None => problems.push(beyond_calendar(&path(index, "duration"))),
        }
    }
    spans.sort_unstable();
    for pair in spans.windows(2) {
        let ((_, end, _), (start, _, index)) = (pair[0], pair[1]);
        if start < end {
            let problem = FieldProblem::invalid(RESOURCE, path(index, "start_date"));
            problems.push(problem.because("Iterations can't overlap"));
        }
    }
    let drafts = listed.into_iter().map(|iteration| NewIteration {
        title: iteration.title,
        start_date: iteration.start_date,
        duration: iteration.duration,
    });
    drafts.collect()
}

fn beyond_calendar(field: &str) -> FieldProblem {
    let problem = FieldProblem::invalid(RESOURCE, field);
    problem.because("Iterations must end before the year 10000")
}

fn color(color: ProjectOptionColor) -> ProjectFieldOptionColor {
    match color {
        ProjectOptionColor::Blue => ProjectFieldOptionColor::Blue,
        ProjectOptionColor::Gray => ProjectFieldOptionColor::Gray,
        ProjectOptionColor::Green => ProjectFieldOptionColor::Green,
        ProjectOptionColor::Orange => ProjectFieldOptionColor::Orange,
        ProjectOptionColor::Pink => ProjectFieldOptionColor::Pink,
        ProjectOptionColor::Purple => ProjectFieldOptionColor::Purple,
        ProjectOptionColor::Red => ProjectFieldOptionColor::Red,
        ProjectOptionColor::Yellow => ProjectFieldOptionColor::Yellow,
    }
}

#[cfg(test)]
mod tests;
