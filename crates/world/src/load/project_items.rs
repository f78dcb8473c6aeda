//! The items of projects and their values, by the rules of the API. An issue is matched by its
//! number, a draft by its id or its title.

use sea_orm::{DbErr, EntityTrait, QueryFilter};
use serde_json::Number;

use super::LoadError;
use super::write::{Load, UNASSIGNED, WorldItem};
use crate::file::{Project, ProjectItem, World};
use crate::findings::{Finding, quoted};
use crate::ids::id_of;
use crate::stored::vanished;
use crate::yaml::At;
use contract::issue_field_values::GivenValue;
use contract::values::TextOrNumber;
use forge::issues::rows as issues;
use forge::project_items::draft::NewValue;
use forge::project_items::{rows, rules};
use forge::projects::rows::{FieldScope, all};
use forge::projects::{FieldContent, FieldWithContent};
use storage::entities::{issue, project, project_item};

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for spec in &world.projects {
        if !spec.items.is_empty() {
            write_items(load, spec).await?;
        }
    }
    Ok(())
}

async fn write_items(load: &mut Load<'_>, spec: &Project) -> Result<(), LoadError> {
    let (owner, number) = (&spec.owner.value, spec.number.value.0);
    let Some(project) = load.stored.project(owner, number).cloned() else {
        return Err(vanished("project", &spec.title.value).into());
    };
    let scope = FieldScope {
        project: project.id,
        public: false,
    };
    let fields = all(load.db, scope).await?;
    for item in &spec.items {
        let written = write_item(load, &project, item).await;
        if let Some(row) = load.collect(written)? {
            let written = write_values(load, &fields, row.id, item).await;
            load.collect(written)?;
        }
    }
    Ok(())
}

async fn write_item(
    load: &mut Load<'_>,
    project: &project::Model,
    spec: &ProjectItem,
) -> Result<project_item::Model, LoadError> {
    let issue = issue_of(load, spec).await?;
    let stored = match &issue {
        Some(issue) => rows::find_by_issue(load.db, project.id, issue.id).await?,
        None => draft(load, project.id, spec).await?,
    };
    let mut row = stored
        .clone()
        .unwrap_or_else(|| new_item(project, issue.as_ref(), load.now));
    if let Some(title) = &spec.title {
        row.draft_title = Some(title.value.trim().to_owned());
        let body = spec.body.as_ref().map(|body| body.value.clone());
        row.draft_body = body.or(row.draft_body);
    }
    if let Some(author) = &spec.author {
        row.creator_id = Some(load.stored.account_id(&author.value)?);
    }
    match (spec.archived, row.archived_at) {
        (Some(true), None) => row.archived_at = Some(load.now),
        (Some(false), _) => row.archived_at = None,
        _ => {}
    }
    if let (Some(id), Some(stored)) = (&spec.id, &stored)
        && id.value.0 != stored.id
    {
        let message = format!("the item already has the id {}", stored.id);
        return Err(load.rejection(Finding::at(id.location, message)));
    }
    let item = WorldItem {
        kind: "project item",
        name: display_name(spec),
        id: &spec.id,
        created_at: spec.created_at,
        updated_at: None,
    };
    Ok(load.save(item, stored.as_ref(), row).await?)
}

fn display_name(spec: &ProjectItem) -> String {
    match (&spec.repository, &spec.number, &spec.title) {
        (Some(repository), Some(number), _) => format!("{}#{}", repository.value, number.value.0),
        (_, _, title) => title
            .as_ref()
            .map(|title| title.value.clone())
            .unwrap_or_default(),
    }
}

async fn issue_of(load: &Load<'_>, spec: &ProjectItem) -> Result<Option<issue::Model>, LoadError> {
    let (Some(repository), Some(number)) = (&spec.repository, &spec.number) else {
        return Ok(None);
    };
    let id = load.stored.repository_id(&repository.value)?;
    let issue = issues::issue(load.db, id, number.value.0).await?;
    if issue.is_none() {
        let message = format!("{} has no #{}", repository.value, number.value.0);
        let expected = "the number of an issue or a pull request";
        return Err(load.rejection(Finding::at(number.location, message).expected(expected)));
    }
    Ok(issue)
}

/// The draft with the id that the file gives it, or else with the title.
async fn draft(
    load: &Load<'_>,
    project: i64,
    spec: &ProjectItem,
) -> Result<Option<project_item::Model>, DbErr> {
    if let Some(id) = id_of(&spec.id)
        && let Some(row) = rows::find(load.db, project, id).await?
    {
        return Ok(Some(row).filter(|row| row.issue_id.is_none()));
    }
    let title = spec
        .title
        .as_ref()
        .map(|title| title.value.trim().to_owned());
    project_item::Entity::find()
        .filter(project_item::COLUMN.project_id.eq(project))
        .filter(project_item::COLUMN.draft_title.eq(title))
        .one(load.db)
        .await
}

fn new_item(
    project: &project::Model,
    issue: Option<&issue::Model>,
    now: i64,
) -> project_item::Model {
    project_item::Model {
        id: UNASSIGNED,
        project_id: project.id,
        issue_id: issue.map(|issue| issue.id),
        draft_title: None,
        draft_body: None,
        creator_id: Some(project.owner_id),
        archived_at: None,
        created_at: now,
        updated_at: now,
    }
}

async fn write_values(
    load: &mut Load<'_>,
    fields: &[FieldWithContent],
    item: i64,
    spec: &ProjectItem,
) -> Result<(), LoadError> {
    if spec.values.is_empty() {
        return Ok(());
    }
    let stored = rows::values(load.db, [item]).await?;
    let mut changed = Vec::new();
    for (name, given) in &spec.values {
        let key = name.value.to_lowercase();
        let field = fields
            .iter()
            .find(|field| field.name().to_lowercase() == key);
        let Some(field) = field else {
            let message = format!("the project has no field {}", quoted(&name.value));
            return Err(load.rejection(Finding::at(name.location, message)));
        };
        let value = value(field, given).map_err(|message| {
            let message = format!("{} {message}", field.name());
            load.rejection(Finding::at(given.location, message))
        })?;
        let Some(value) = value else {
            continue;
        };
        let row = rows::value_row(item, field.field.id, value);
        if !stored.contains(&row) {
            changed.push(row);
        }
    }
    if !changed.is_empty() {
        let fields = changed.iter().map(|row| row.field_id).collect();
        rows::replace_values(load.db, item, fields, changed).await?;
        load.mark_changed();
    }
    Ok(())
}

/// Options and iterations are given by their names, because their ids are assigned when the field
/// is created.
fn value(field: &FieldWithContent, given: &At<GivenValue>) -> Result<Option<NewValue>, String> {
    let FieldContent::Own {
        options,
        iterations,
    } = &field.content
    else {
        return Err("is an issue field; set the value in `field_values` of the issue".to_owned());
    };
    if let GivenValue::Text(name) = &given.value {
        let option = options.iter().find(|option| option.name == *name);
        let iteration = iterations.iter().find(|row| row.title == *name);
        if let Some(option) = option {
            return Ok(Some(NewValue::Option(option.id)));
        }
        if let Some(iteration) = iteration {
            return Ok(Some(NewValue::Iteration(iteration.id)));
        }
    }
    let plain = match &given.value {
        GivenValue::Text(text) => Some(TextOrNumber::Text(text.clone())),
        GivenValue::Number(number) => Number::from_f64(*number).map(TextOrNumber::Number),
        GivenValue::Names(_) => None,
    };
    let plain = plain.ok_or_else(|| "must be a single value".to_owned())?;
    rules::own_value(field, plain)
}
