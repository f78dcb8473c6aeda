//! Projects with their fields and items.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::ImportError;
use crate::answers::{
    GivenItemContent, GivenItemFieldValue, GivenIterationConfiguration, GivenProject,
    GivenProjectField, GivenProjectItem, GivenText,
};
use crate::gathered::Gathered;
use crate::list::{Api, path};
use crate::text::{id, optional, record, text, time, title};

/// The fields whose values one request returns.
const MAX_FIELDS: usize = 50;

/// The numbers of the projects of an account that the token may list.
pub async fn numbers(
    api: &Api,
    owner: &[&str],
    world: &mut Gathered,
) -> Result<Vec<i64>, ImportError> {
    let all = api
        .all::<Vec<GivenProject>>(&path(owner, &["projectsV2"]), &[])
        .await?;
    if let Err(refusal) = &all
        && refusal.status == 404
    {
        let why = "the server does not list them for this token; name them with --project";
        world.left_out.add("projects", why);
        return Ok(Vec::new());
    }
    let all = world.allowed("projects", all);
    Ok(all.into_iter().map(|project| project.number).collect())
}

/// A project as a world has it. `issues` are those of the world, by repository and number.
pub async fn item(
    api: &Api,
    (login, owner): (&str, &[&str]),
    number: i64,
    issues: &BTreeSet<(String, i64)>,
    world: &mut Gathered,
) -> Result<Option<Value>, ImportError> {
    let number = number.to_string();
    let base = path(owner, &["projectsV2", &number]);
    let project = match api.one::<GivenProject>(&base).await? {
        Ok(project) => project,
        Err(refusal) => {
            world.left_out.refused("a project", &refusal);
            return Ok(None);
        }
    };
    let all = api
        .all::<Vec<GivenProjectField>>(&path(&base, &["fields"]), &[])
        .await?;
    let fields: Vec<GivenProjectField> = world.allowed("fields of a project", all);
    let mut names = BTreeSet::new();
    let mut items = Vec::new();
    for field in &fields {
        let Some(item) = field_item(field, world) else {
            continue;
        };
        items.push(item);
        // The others show values of the issues.
        if field.issue_field_id.is_none() {
            names.insert(field.id);
        }
    }
    let known: Vec<i64> = names.iter().copied().take(MAX_FIELDS).collect();
    let ids: Vec<String> = known.iter().map(ToString::to_string).collect();
    let query = [("fields", ids.join(","))];
    let query: Vec<(&str, &str)> = query
        .iter()
        .map(|(key, ids)| (*key, ids.as_str()))
        .collect();
    let query = if ids.is_empty() { &[][..] } else { &query };
    let all = api
        .all::<Vec<GivenProjectItem>>(&path(&base, &["items"]), query)
        .await?;
    let given = world.allowed("items of a project", all);
    let mut entries = Vec::new();
    for entry in &given {
        entries.extend(entry_item(entry, &names, issues, world));
    }
    Ok(Some(record(json!({
        "id": world.id("project", project.id),
        "owner": login,
        "number": id(project.number),
        "title": title(&project.title),
        "visibility": if project.public { "public" } else { "private" },
        "created_at": time(&project.created_at),
        "fields": items,
        "items": entries,
    }))))
}

/// A field of the project's own. Every project has the others.
fn field_item(field: &GivenProjectField, world: &mut Gathered) -> Option<Value> {
    let about = |mut item: Value, world: &mut Gathered| {
        item["id"] = world.id("project_field", field.id).into();
        item["created_at"] = time(&field.created_at).into();
        Some(record(item))
    };
    if let Some(issue_field) = field.issue_field_id {
        if !world.has_id("issue_field", issue_field) {
            world.left_out.add(
                "a field of a project",
                "its issue field is not in the world",
            );
            return None;
        }
        return about(json!({"issue_field_id": issue_field}), world);
    }
    let item = match field.data_type.as_str() {
        "text" | "number" | "date" => {
            json!({"name": text(&field.name), "data_type": field.data_type})
        }
        "single_select" => {
            let options = field.options.iter().flatten().map(|option| {
                json!({
                    "name": raw(&option.name),
                    "color": option.color.as_deref().unwrap_or("GRAY"),
                    "description": option.description.as_ref().map(raw).unwrap_or_default(),
                })
            });
            json!({
                "name": text(&field.name),
                "data_type": "single_select",
                "single_select_options": options.collect::<Vec<_>>(),
            })
        }
        "iteration" => json!({
            "name": text(&field.name),
            "data_type": "iteration",
            "iteration_configuration": iterations(field.configuration.as_ref()?)?,
        }),
        _ => return None,
    };
    about(item, world)
}

fn iterations(given: &GivenIterationConfiguration) -> Option<Value> {
    let all = given.completed_iterations.iter().chain(&given.iterations);
    let mut all: Vec<_> = all.collect();
    all.sort_by(|one, other| one.start_date.cmp(&other.start_date));
    let start = all.first().map(|iteration| iteration.start_date.clone());
    let items = all.iter().map(|iteration| {
        json!({
            "title": raw(&iteration.title),
            "start_date": iteration.start_date,
            "duration": iteration.duration,
        })
    });
    Some(json!({
        "start_date": given.start_date.clone().or(start)?,
        "duration": given.duration?,
        "iterations": items.collect::<Vec<_>>(),
    }))
}

fn raw(text: &GivenText) -> String {
    match text {
        GivenText::Raw(raw) | GivenText::Rendered { raw } => crate::text::text(raw),
    }
}

fn entry_item(
    entry: &GivenProjectItem,
    fields: &BTreeSet<i64>,
    issues: &BTreeSet<(String, i64)>,
    world: &mut Gathered,
) -> Option<Value> {
    let Some(content) = &entry.content else {
        world
            .left_out
            .add("an item of a project", "the token may not see it");
        return None;
    };
    let mut item = match entry.content_type.as_str() {
        "DraftIssue" => json!({
            "title": title(content.title.as_deref().unwrap_or_default()),
            "body": optional(&content.body),
        }),
        _ => {
            let (repository, number) = (repository(content)?, content.number?);
            if !issues.contains(&(repository.to_lowercase(), number)) {
                world
                    .left_out
                    .add("an item of a project", "its issue is not in the world");
                return None;
            }
            json!({"repository": repository, "number": number})
        }
    };
    item["id"] = world.id("project_item", entry.id).into();
    item["author"] = entry
        .creator
        .as_ref()
        .map(|creator| world.user(Some(creator)))
        .into();
    item["archived"] = entry.archived_at.is_some().then_some(true).into();
    item["created_at"] = time(&entry.created_at).into();
    let own = entry
        .fields
        .iter()
        .filter(|value| fields.contains(&value.id));
    let values = own.filter_map(|value| Some((value.name.clone(), shown(value)?)));
    item["values"] = json!(values.collect::<BTreeMap<_, _>>());
    Some(record(item))
}

/// The repository of an issue: `acme/gadgets`.
fn repository(content: &GivenItemContent) -> Option<String> {
    if let Some(repo) = content.base.as_ref().and_then(|base| base.repo.as_ref()) {
        return Some(repo.full_name.clone());
    }
    let url = content.repository_url.as_deref()?;
    let mut parts = url.rsplit('/');
    let (name, owner) = (parts.next()?, parts.next()?);
    Some(format!("{owner}/{name}"))
}

/// The value of an item in a field. Options and iterations are given by name.
fn shown(value: &GivenItemFieldValue) -> Option<Value> {
    let text = |value: &Value| match value {
        Value::Object(rendered) => rendered.get("raw").cloned(),
        Value::String(_) => Some(value.clone()),
        _ => None,
    };
    match value.value.as_ref()? {
        Value::Number(number) => Some(Value::Number(number.clone())),
        Value::String(given) => Some(Value::from(crate::text::text(given))),
        Value::Object(given) => match (given.get("name"), given.get("title")) {
            (Some(name), _) => text(name),
            (None, Some(title)) => text(title),
            (None, None) => given.get("raw").and_then(text),
        },
        Value::Array(given) => {
            let names = given.iter().filter_map(|option| text(option.get("name")?));
            let names: Vec<Value> = names.collect();
            (!names.is_empty()).then_some(Value::Array(names))
        }
        _ => None,
    }
}
