//! The issue fields of organizations, through the rules and the store of the API.
//! Note: options are matched by their names. One that the file renames is a new one, and one
//! that the file omits is removed.

use sea_orm::DbErr;

use super::LoadError;
use super::write::{ItemOutcome, Load};
use crate::file::{IssueField, World};
use crate::findings::{Finding, quoted};
use crate::ids::id_of;
use crate::scalar::DateTime;
use forge::issue_fields::draft::{IssueFieldUpdate, NewIssueField, NewIssueFieldRow, name_key};
use forge::issue_fields::{creation, rows, rules};
use forge::projects::rows as projects;
use storage::entities::{issue_field, issue_field_option};

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for organization in &world.organizations {
        if organization.issue_fields.is_empty() {
            continue;
        }
        let login = &organization.login.value;
        let id = load.stored.account_id(login)?;
        let stored = load.stored.issue_fields(login);
        let ids: Vec<i64> = stored.iter().map(|field| field.id).collect();
        let options = match ids.is_empty() {
            true => Vec::new(),
            false => projects::issue_options(load.db, ids).await?,
        };
        for spec in &organization.issue_fields {
            let written = write_field(load, id, spec, login, &options).await;
            load.collect(written)?;
        }
    }
    Ok(())
}

async fn write_field(
    load: &mut Load<'_>,
    organization: i64,
    spec: &IssueField,
    login: &str,
    options: &[issue_field_option::Model],
) -> Result<(), LoadError> {
    let draft = spec.request.issue_field();
    let draft = draft.map_err(|problem| load.body_rejection(&spec.request, problem))?;
    let fixed = id_of(&spec.id);
    let Some(field) = load.stored.issue_field(login, fixed, &draft.name).cloned() else {
        let created_at = spec.created_at.map(DateTime::seconds);
        let new_row = NewIssueFieldRow {
            id: fixed,
            created_at: created_at.unwrap_or(load.now),
        };
        let row = creation::create(load.db, organization, &draft, new_row)
            .await
            .map_err(|problem| load.body_rejection(&spec.request, problem))?;
        load.count(ItemOutcome::Added);
        load.report_id("issue field", &draft.name, row.id);
        return Ok(());
    };
    let same_name = load.stored.issue_field(login, None, &draft.name);
    if same_name.is_some_and(|same_name| same_name.id != field.id) {
        let problem = rules::name_taken().into();
        return Err(load.body_rejection(&spec.request, problem));
    }
    if field.data_type != draft.data_type {
        let message = format!("the data type of {} cannot change", quoted(&field.name));
        let finding =
            Finding::at(spec.request.location(), message).expected("its stored data type");
        return Err(load.rejection(finding));
    }
    let options = options.iter().filter(|option| option.field_id == field.id);
    let revision = revision(&field, options, &draft, spec);
    Ok(revise(load, &field, &revision).await?)
}

async fn revise(
    load: &mut Load<'_>,
    field: &issue_field::Model,
    revision: &IssueFieldUpdate,
) -> Result<(), DbErr> {
    if revision.is_empty() {
        load.count(ItemOutcome::Unchanged);
        return Ok(());
    }
    rows::revise(load.db, field, revision, load.now).await?;
    load.count(ItemOutcome::Changed);
    Ok(())
}

/// The changes that bring a field to the state in the file.
fn revision<'o>(
    field: &issue_field::Model,
    options: impl Iterator<Item = &'o issue_field_option::Model>,
    draft: &NewIssueField,
    spec: &IssueField,
) -> IssueFieldUpdate {
    let is_set = |key: &str| spec.request.json.get(key).is_some();
    let mut revision = IssueFieldUpdate {
        name: (field.name != draft.name).then(|| draft.name.clone()),
        description: (is_set("description") && field.description != draft.description)
            .then(|| draft.description.clone()),
        visibility: (is_set("visibility") && field.visibility != draft.visibility)
            .then_some(draft.visibility),
        ..IssueFieldUpdate::default()
    };
    let mut remaining: Vec<_> = draft.options.iter().collect();
    for option in options {
        let position = remaining
            .iter()
            .position(|drafted| name_key(&drafted.name) == option.name_key);
        match position.map(|position| remaining.remove(position)) {
            None => revision.removed.push(option.id),
            Some(drafted) if drafted.describes(option) => {}
            Some(drafted) => revision.changed.push((option.id, drafted.clone())),
        }
    }
    revision.added = remaining.into_iter().cloned().collect();
    revision
}
