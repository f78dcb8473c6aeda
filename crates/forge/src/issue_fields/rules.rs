//! Validates issue fields and their updates (Spec, Issue fields). The contract has already checked
//! the form of the bodies: required keys, lengths, colours and data types.

use std::collections::{BTreeMap, BTreeSet};

use poem_openapi::types::MaybeUndefined;

use super::draft::{IssueFieldUpdate, NewIssueField, NewIssueFieldOption, name_key};
use contract::issue_fields::{
    CreateIssueField, CreateIssueFieldOption, IssueFieldColor, IssueFieldType,
    IssueFieldVisibility, UpdateIssueField, UpdateIssueFieldOption,
};
use contract::problem::FieldProblem;
use storage::entities::issue_field::{self, FieldVisibility, IssueFieldDataType};
use storage::entities::issue_field_option::{self, IssueFieldOptionColor};

/// The resource in errors.
pub const RESOURCE: &str = "IssueField";

/// The most issue fields of an organization (as on GitHub).
pub const FIELDS_AT_MOST: u64 = 25;

/// A new field, or all its problems.
pub fn draft(body: CreateIssueField) -> Result<NewIssueField, Vec<FieldProblem>> {
    let data_type = data_type(body.data_type);
    let mut problems = Vec::new();
    check_name(&body.name, "name", &mut problems);
    let option_count = body.options.as_ref().map(Vec::len);
    check_presence(data_type, option_count, &mut problems);
    let options: Vec<_> = body.options.into_iter().flatten().map(new_option).collect();
    check_options(options.iter(), &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(NewIssueField {
        name: trimmed(&body.name),
        description: body.description,
        data_type,
        visibility: visibility(body.visibility),
        options,
    })
}

/// The changes of an update to a field and its options, or all its problems.
pub fn revise(
    field: &issue_field::Model,
    options: &[issue_field_option::Model],
    body: UpdateIssueField,
) -> Result<IssueFieldUpdate, Vec<FieldProblem>> {
    let mut problems = Vec::new();
    if let Some(name) = &body.name {
        check_name(name, "name", &mut problems);
    }
    let mut revision = IssueFieldUpdate {
        name: body
            .name
            .map(|name| trimmed(&name))
            .filter(|name| *name != field.name),
        description: changed_description(body.description, &field.description),
        visibility: body
            .visibility
            .map(visibility)
            .filter(|visibility| *visibility != field.visibility),
        ..IssueFieldUpdate::default()
    };
    if let Some(new_options) = body.options {
        check_presence(field.data_type, Some(new_options.len()), &mut problems);
        replace_options(options, new_options, &mut revision, &mut problems);
    }
    if problems.is_empty() {
        Ok(revision)
    } else {
        Err(problems)
    }
}

/// Whether an organization with this many fields may have another.
pub fn check_room(count: u64) -> Result<(), FieldProblem> {
    if count < FIELDS_AT_MOST {
        return Ok(());
    }
    let message = format!("Organizations can have at most {FIELDS_AT_MOST} issue fields");
    Err(FieldProblem::custom(RESOURCE, "organization", message))
}

/// Rejects an id that no field can ever have: the request is invalid, not merely late.
pub fn check_id(id: i64) -> Result<(), FieldProblem> {
    if id > 0 {
        return Ok(());
    }
    let problem = FieldProblem::invalid(RESOURCE, "issue_field_id");
    Err(problem.because("Issue field id must be greater than 0"))
}

/// The error for a name that another field of the organization has.
pub fn name_taken() -> FieldProblem {
    FieldProblem::taken(RESOURCE, "name").because("Name has already been taken")
}

fn check_name(name: &str, field: &str, problems: &mut Vec<FieldProblem>) {
    if name.trim().is_empty() {
        problems.push(FieldProblem::missing(RESOURCE, field).because("Name can't be blank"));
    }
}

/// Options are required for the two select types (Spec, Issue fields, create
/// body) and mean nothing for the others.
fn check_presence(
    data_type: IssueFieldDataType,
    option_count: Option<usize>,
    problems: &mut Vec<FieldProblem>,
) {
    let select = matches!(
        data_type,
        IssueFieldDataType::SingleSelect | IssueFieldDataType::MultiSelect
    );
    match option_count {
        None | Some(0) if select => {
            let problem = FieldProblem::missing(RESOURCE, "options");
            problems.push(problem.because("Options can't be blank for a select field"));
        }
        Some(_) if !select => {
            let problem = FieldProblem::invalid(RESOURCE, "options");
            problems.push(
                problem.because("Options are allowed only for single_select and multi_select"),
            );
        }
        _ => {}
    }
}

fn check_options<'a>(
    options: impl Iterator<Item = &'a NewIssueFieldOption>,
    problems: &mut Vec<FieldProblem>,
) {
    let mut known_names = BTreeSet::new();
    for (index, option) in options.enumerate() {
        let field = format!("options[{index}].name");
        check_name(&option.name, &field, problems);
        if !known_names.insert(name_key(&option.name)) {
            let problem = FieldProblem::taken(RESOURCE, field);
            problems.push(problem.because("Name has already been taken"));
        }
    }
}

/// Spec, Issue fields, rules for update `options`: the array replaces the entire
/// set; an option is kept or updated only if it is included with its id.
fn replace_options(
    existing: &[issue_field_option::Model],
    new_options: Vec<UpdateIssueFieldOption>,
    revision: &mut IssueFieldUpdate,
    problems: &mut Vec<FieldProblem>,
) {
    let mut remaining: BTreeMap<i64, &issue_field_option::Model> =
        existing.iter().map(|option| (option.id, option)).collect();
    let mut drafts = Vec::with_capacity(new_options.len());
    for (index, option) in new_options.into_iter().enumerate() {
        let id = option.id;
        let before = id.and_then(|id| remaining.remove(&id));
        if let (Some(id), None) = (id, before) {
            problems.push(unknown_option(
                index,
                existing.iter().any(|old| old.id == id),
            ));
        }
        let draft = next_option(option, before);
        match before {
            Some(before) if !draft.describes(before) => {
                revision.changed.push((before.id, draft.clone()));
            }
            None => revision.added.push(draft.clone()),
            Some(_) => {}
        }
        drafts.push(draft);
    }
    revision.removed = remaining.into_keys().collect();
    check_options(drafts.iter(), problems);
}

fn unknown_option(index: usize, repeated: bool) -> FieldProblem {
    let message = if repeated {
        "Option is listed more than once"
    } else {
        "Option does not belong to this field"
    };
    FieldProblem::invalid(RESOURCE, format!("options[{index}].id")).because(message)
}

fn changed_description(
    new: MaybeUndefined<String>,
    current: &Option<String>,
) -> Option<Option<String>> {
    let new = match new {
        MaybeUndefined::Undefined => return None,
        MaybeUndefined::Null => None,
        MaybeUndefined::Value(text) => Some(text),
    };
    (new != *current).then_some(new)
}

fn new_option(option: CreateIssueFieldOption) -> NewIssueFieldOption {
    NewIssueFieldOption {
        name: trimmed(&option.name),
        description: non_empty(option.description),
        color: color(option.color),
        priority: option.priority,
    }
}

fn next_option(
    option: UpdateIssueFieldOption,
    before: Option<&issue_field_option::Model>,
) -> NewIssueFieldOption {
    let description = match option.description {
        MaybeUndefined::Undefined => before.and_then(|before| before.description.clone()),
        MaybeUndefined::Null => None,
        MaybeUndefined::Value(text) => Some(text),
    };
    NewIssueFieldOption {
        name: trimmed(&option.name),
        description: non_empty(description),
        color: color(option.color),
        priority: option.priority,
    }
}

/// A name as it is stored: without surrounding whitespace.
fn trimmed(name: &str) -> String {
    name.trim().to_owned()
}

/// An option without a description shows an empty one, so an empty description means none.
fn non_empty(description: Option<String>) -> Option<String> {
    description.filter(|text| !text.is_empty())
}

fn data_type(data_type: IssueFieldType) -> IssueFieldDataType {
    match data_type {
        IssueFieldType::Text => IssueFieldDataType::Text,
        IssueFieldType::Date => IssueFieldDataType::Date,
        IssueFieldType::SingleSelect => IssueFieldDataType::SingleSelect,
        IssueFieldType::MultiSelect => IssueFieldDataType::MultiSelect,
        IssueFieldType::Number => IssueFieldDataType::Number,
    }
}

fn visibility(visibility: IssueFieldVisibility) -> FieldVisibility {
    match visibility {
        IssueFieldVisibility::OrganizationMembersOnly => FieldVisibility::OrganizationMembersOnly,
        IssueFieldVisibility::All => FieldVisibility::All,
    }
}

fn color(color: IssueFieldColor) -> IssueFieldOptionColor {
    match color {
        IssueFieldColor::Gray => IssueFieldOptionColor::Gray,
        IssueFieldColor::Blue => IssueFieldOptionColor::Blue,
        IssueFieldColor::Green => IssueFieldOptionColor::Green,
        IssueFieldColor::Yellow => IssueFieldOptionColor::Yellow,
        IssueFieldColor::Orange => IssueFieldOptionColor::Orange,
        IssueFieldColor::Red => IssueFieldOptionColor::Red,
        IssueFieldColor::Pink => IssueFieldOptionColor::Pink,
        IssueFieldColor::Purple => IssueFieldOptionColor::Purple,
    }
}

#[cfg(test)]
mod tests;
