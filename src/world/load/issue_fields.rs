//! The issue fields of organizations, through the rules and the store of the API.
//! The rule that surprises: options are found again by their names. One that the
//! file renames is a new one, and one that the file leaves out goes.

use sea_orm::DbErr;

use super::LoadError;
use super::bodies;
use super::write::{Kept, Writing};
use crate::areas::issue_fields::draft::{NewIssueField, NewRow, Revision, name_key};
use crate::areas::issue_fields::{creation, rules, store};
use crate::entities::{issue_field, issue_field_option};
use crate::world::file::{IssueField, World};
use crate::world::findings::{Finding, quoted};
use crate::world::scalar::Timestamp;

pub async fn write(writing: &mut Writing<'_>, world: &World) -> Result<(), LoadError> {
    for organization in &world.organizations {
        if organization.issue_fields.is_empty() {
            continue;
        }
        let login = &organization.login.value;
        let id = writing.stored.account_id(login)?;
        let stored = writing.stored.issue_fields(login);
        let ids: Vec<i64> = stored.iter().map(|field| field.id).collect();
        let options = match ids.is_empty() {
            true => Vec::new(),
            false => store::options_of(writing.db, ids).await?,
        };
        for said in &organization.issue_fields {
            write_field(writing, id, said, login, &options).await?;
        }
    }
    Ok(())
}

async fn write_field(
    writing: &mut Writing<'_>,
    organization: i64,
    said: &IssueField,
    login: &str,
    options: &[issue_field_option::Model],
) -> Result<(), LoadError> {
    let draft = bodies::issue_field(&said.body.value)
        .map_err(|problem| bodies::refused(writing, &said.body, problem))?;
    let fixed = said.id.as_ref().map(|id| id.value.0);
    let Some(field) = writing
        .stored
        .issue_field(login, fixed, &draft.name)
        .cloned()
    else {
        let created_at = said.created_at.map(Timestamp::seconds);
        let given = NewRow {
            id: fixed,
            created_at: created_at.unwrap_or(writing.now),
        };
        let row = creation::create(writing.db, organization, &draft, given)
            .await
            .map_err(|problem| bodies::refused(writing, &said.body, problem))?;
        writing.added("issue_field", fixed);
        writing.tell("issue field", &draft.name, row.id);
        return Ok(());
    };
    let named = writing.stored.issue_field(login, None, &draft.name);
    if named.is_some_and(|named| named.id != field.id) {
        let problem = rules::name_taken().into();
        return Err(bodies::refused(writing, &said.body, problem));
    }
    if field.data_type != draft.data_type {
        let wrong = format!("the field {} has another data type", quoted(&field.name));
        let finding = Finding::at(said.body.place(), wrong).expected("the type that it has");
        return Err(writing.refused(finding));
    }
    let options = options.iter().filter(|option| option.field_id == field.id);
    let revision = revision(&field, options, &draft, said);
    Ok(revise(writing, &field, &revision).await?)
}

async fn revise(
    writing: &mut Writing<'_>,
    field: &issue_field::Model,
    revision: &Revision,
) -> Result<(), DbErr> {
    if revision.is_empty() {
        writing.count(Kept::Unchanged);
        return Ok(());
    }
    store::revise(writing.db, field, revision, writing.now).await?;
    writing.count(Kept::Changed);
    Ok(())
}

/// What is to change so that a field is as the file says.
fn revision<'o>(
    field: &issue_field::Model,
    options: impl Iterator<Item = &'o issue_field_option::Model>,
    draft: &NewIssueField,
    said: &IssueField,
) -> Revision {
    let is_said = |key: &str| said.body.value.get(key).is_some();
    let mut revision = Revision {
        name: (field.name != draft.name).then(|| draft.name.clone()),
        description: (is_said("description") && field.description != draft.description)
            .then(|| draft.description.clone()),
        visibility: (is_said("visibility") && field.visibility != draft.visibility)
            .then_some(draft.visibility),
        ..Revision::default()
    };
    let mut wanted: Vec<_> = draft.options.iter().collect();
    for option in options {
        let same = wanted
            .iter()
            .position(|wanted| name_key(&wanted.name) == option.name_key);
        match same.map(|position| wanted.remove(position)) {
            None => revision.removed.push(option.id),
            Some(wanted) if wanted.describes(option) => {}
            Some(wanted) => revision.changed.push((option.id, wanted.clone())),
        }
    }
    revision.added = wanted.into_iter().cloned().collect();
    revision
}
