//! The items of projects and their values, by the rules of the API. An issue is found again by
//! its number, a draft by its id or its title.

use sea_orm::{DbErr, EntityTrait, QueryFilter};
use serde_json::Number;

use super::LoadError;
use super::write::{Load, UNASSIGNED, WorldItem};
use crate::areas::project_items::draft::NewValue;
use crate::areas::project_items::{rules, store};
use crate::contract::issue_field_values::GivenValue;
use crate::contract::values::TextOrNumber;
use crate::entities::{issue, project, project_item};
use crate::issues::store as issues;
use crate::projects::store::{FieldScope, all};
use crate::projects::{FieldContent, Whole};
use crate::world::file::{Project, ProjectItem, World};
use crate::world::findings::{Finding, quoted};
use crate::world::ids::id_of;
use crate::world::stored::vanished;
use crate::world::yaml::At;

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for said in &world.projects {
        if !said.items.is_empty() {
            write_items(load, said).await?;
        }
    }
    Ok(())
}

async fn write_items(load: &mut Load<'_>, said: &Project) -> Result<(), LoadError> {
    let (owner, number) = (&said.owner.value, said.number.value.0);
    let Some(project) = load.stored.project(owner, number).cloned() else {
        return Err(vanished("project", &said.title.value).into());
    };
    let scope = FieldScope {
        project: project.id,
        public: false,
    };
    let fields = all(load.db, scope).await?;
    for item in &said.items {
        let row = write_item(load, &project, item).await?;
        write_values(load, &fields, row.id, item).await?;
    }
    Ok(())
}

async fn write_item(
    load: &mut Load<'_>,
    project: &project::Model,
    said: &ProjectItem,
) -> Result<project_item::Model, LoadError> {
    let issue = issue_of(load, said).await?;
    let stored = match &issue {
        Some(issue) => store::find_by_issue(load.db, project.id, issue.id).await?,
        None => draft(load, project.id, said).await?,
    };
    let mut row = stored
        .clone()
        .unwrap_or_else(|| new_item(project, issue.as_ref(), load.now));
    if let Some(title) = &said.title {
        row.draft_title = Some(title.value.trim().to_owned());
        let body = said.body.as_ref().map(|body| body.value.clone());
        row.draft_body = body.or(row.draft_body);
    }
    if let Some(author) = &said.author {
        row.creator_id = Some(load.stored.account_id(&author.value)?);
    }
    match (said.archived, row.archived_at) {
        (Some(true), None) => row.archived_at = Some(load.now),
        (Some(false), _) => row.archived_at = None,
        _ => {}
    }
    if let (Some(id), Some(stored)) = (&said.id, &stored)
        && id.value.0 != stored.id
    {
        let wrong = format!("the item has the id {} already", stored.id);
        return Err(load.refused(Finding::at(id.location, wrong)));
    }
    let item = WorldItem {
        what: "project item",
        name: shown(said),
        id: &said.id,
        created_at: said.created_at,
    };
    Ok(load.save(item, stored.as_ref(), row).await?)
}

fn shown(said: &ProjectItem) -> String {
    match (&said.repository, &said.number, &said.title) {
        (Some(repository), Some(number), _) => format!("{}#{}", repository.value, number.value.0),
        (_, _, title) => title
            .as_ref()
            .map(|title| title.value.clone())
            .unwrap_or_default(),
    }
}

async fn issue_of(load: &Load<'_>, said: &ProjectItem) -> Result<Option<issue::Model>, LoadError> {
    let (Some(repository), Some(number)) = (&said.repository, &said.number) else {
        return Ok(None);
    };
    let id = load.stored.repository_id(&repository.value)?;
    let found = issues::issue(load.db, id, number.value.0).await?;
    if found.is_none() {
        let wrong = format!("{} has no #{}", repository.value, number.value.0);
        let expected = "the number of an issue or a pull request";
        return Err(load.refused(Finding::at(number.location, wrong).expected(expected)));
    }
    Ok(found)
}

/// The draft with the id that the file gives it, or else with the title.
async fn draft(
    load: &Load<'_>,
    project: i64,
    said: &ProjectItem,
) -> Result<Option<project_item::Model>, DbErr> {
    if let Some(id) = id_of(&said.id)
        && let Some(row) = store::find(load.db, project, id).await?
    {
        return Ok(Some(row).filter(|row| row.issue_id.is_none()));
    }
    let title = said
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
    fields: &[Whole],
    item: i64,
    said: &ProjectItem,
) -> Result<(), LoadError> {
    if said.values.is_empty() {
        return Ok(());
    }
    let stored = store::values(load.db, [item]).await?;
    for (name, given) in &said.values {
        let key = name.value.to_lowercase();
        let field = fields
            .iter()
            .find(|field| field.name().to_lowercase() == key);
        let Some(field) = field else {
            let wrong = format!("the project has no field {}", quoted(&name.value));
            return Err(load.refused(Finding::at(name.location, wrong)));
        };
        let value = value(field, given).map_err(|wrong| {
            let wrong = format!("{} {wrong}", field.name());
            load.refused(Finding::at(given.location, wrong))
        })?;
        let Some(value) = value else {
            continue;
        };
        let row = store::value_row(item, field.field.id, value);
        if !stored.contains(&row) {
            store::set_value(load.db, row).await?;
            load.amended();
        }
    }
    Ok(())
}

/// Options and iterations are called by their names, because their ids are made when the field
/// is.
fn value(field: &Whole, given: &At<GivenValue>) -> Result<Option<NewValue>, String> {
    let FieldContent::Own {
        options,
        iterations,
    } = &field.content
    else {
        return Err("is an issue field: give the issue its value".to_owned());
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
    let plain = plain.ok_or_else(|| "takes one value".to_owned())?;
    rules::own_value(field, plain)
}
