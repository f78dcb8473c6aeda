//! Issues, labels, conversations and the values of issue fields.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};

use crate::ImportError;
use crate::answers::{FieldValueOfIssue, GivenIssue, GivenIssueComment, GivenLabel, LabelName};
use crate::gathered::Gathered;
use crate::list::{Api, path};
use crate::text::{comment, id, optional, record, text, time, title};

/// The longest name of a label, and the longest description.
const MAX_LABEL: usize = 50;
const MAX_DESCRIPTION: usize = 100;

/// The labels of a repository.
pub async fn repository_labels(
    api: &Api,
    base: &[&str],
    world: &mut Gathered,
) -> Result<Vec<Value>, ImportError> {
    let all = api
        .all::<Vec<GivenLabel>>(&path(base, &["labels"]), &[])
        .await?;
    let mut names = HashSet::new();
    let mut items = Vec::new();
    for label in world.allowed("labels", all) {
        if !is_label(&label.name) || !names.insert(label.name.to_lowercase()) {
            world.left_out.add("a label", "its name is not valid");
            continue;
        }
        let is_color =
            |color: &String| color.len() == 6 && color.bytes().all(|c| c.is_ascii_hexdigit());
        let description = optional(&label.description);
        let description =
            description.map(|text| text.chars().take(MAX_DESCRIPTION).collect::<String>());
        items.push(record(json!({
            "name": label.name,
            "color": label.color.filter(is_color),
            "description": description,
            "default": label.default.then_some(true),
        })));
    }
    Ok(items)
}

fn is_label(name: &str) -> bool {
    let length = name.chars().count();
    (1..=MAX_LABEL).contains(&length) && name.trim() == name && !name.contains('\0')
}

/// The names of the labels of an issue.
pub fn labels(labels: &[LabelName], world: &mut Gathered) -> Vec<String> {
    let names: Vec<&str> = labels.iter().filter_map(label_name).collect();
    let valid = names.iter().filter(|name| is_label(name));
    let valid: Vec<String> = valid.map(|name| (*name).to_owned()).collect();
    let invalid = labels.len() - valid.len();
    world
        .left_out
        .add_many("a label", "its name is not valid", invalid);
    valid
}

/// Notes what a world file cannot say about issues.
pub fn note_extras(world: &mut Gathered, kind: &str, milestone: bool, reactions: i64) {
    if milestone {
        world
            .left_out
            .add(format!("milestones of {kind}"), "a world file has none");
    }
    let reactions = usize::try_from(reactions).unwrap_or_default();
    world
        .left_out
        .add_many("reactions", "a world file has none", reactions);
}

/// An issue as a world has it.
pub async fn item(
    api: &Api,
    base: &[&str],
    issue: &GivenIssue,
    field_values: BTreeMap<String, Value>,
    world: &mut Gathered,
) -> Result<Option<Value>, ImportError> {
    let Some(number) = id(issue.number) else {
        world.left_out.add("an issue", "its number is not valid");
        return Ok(None);
    };
    let mut comments = Vec::new();
    if issue.comments > 0 {
        let number = number.to_string();
        let path = path(base, &["issues", &number, "comments"]);
        let all = api.all::<Vec<GivenIssueComment>>(&path, &[]).await?;
        comments = world.allowed("comments", all);
    }
    let reactions = issue
        .reactions
        .as_ref()
        .map_or(0, |reactions| reactions.total_count);
    note_extras(world, "issues", issue.milestone.is_some(), reactions);
    let closed = issue.state == "closed";
    let reason = issue.state_reason.clone().filter(|reason| match closed {
        true => matches!(&**reason, "completed" | "not_planned" | "duplicate"),
        false => reason == "reopened",
    });
    let closed_by = issue.closed_by.as_ref().filter(|_| closed);
    Ok(Some(record(json!({
        "id": world.id("issue", issue.id),
        "number": number,
        "title": title(&issue.title),
        "body": optional(&issue.body),
        "author": world.user(issue.user.as_ref()),
        "state": if closed { "closed" } else { "open" },
        "state_reason": reason,
        "locked": issue.locked.then_some(true),
        "labels": labels(&issue.labels, world),
        "assignees": world.users(&issue.assignees),
        "field_values": field_values,
        "created_at": time(&issue.created_at),
        "updated_at": time(&issue.updated_at),
        "closed_at": time(&issue.closed_at).filter(|_| closed),
        "closed_by": closed_by.map(|account| world.user(Some(account))),
        "conversation": conversation(&comments, world),
    }))))
}

/// The comments of an issue or a pull request that are on no line.
pub fn conversation(comments: &[GivenIssueComment], world: &mut Gathered) -> Vec<Value> {
    let mut comments: Vec<&GivenIssueComment> = comments.iter().collect();
    comments.sort_by_key(|comment| comment.id);
    comments.dedup_by_key(|comment| comment.id);
    let mut items = Vec::new();
    for given in comments {
        let Some(body) = comment(given.body.as_deref().unwrap_or_default()) else {
            world
                .left_out
                .add("a comment", "its text is empty or too long");
            continue;
        };
        world.note_reactions(given.reactions.as_ref());
        items.push(record(json!({
            "id": world.id("issue_comment", given.id),
            "author": world.user(given.user.as_ref()),
            "body": body,
            "created_at": time(&given.created_at),
            "updated_at": time(&given.updated_at),
        })));
    }
    items
}

/// The values of an issue in the fields of its organization, by the names of the fields.
pub async fn field_values(
    api: &Api,
    base: &[&str],
    number: i64,
    fields: &BTreeMap<i64, String>,
    world: &mut Gathered,
) -> Result<BTreeMap<String, Value>, ImportError> {
    let mut values = BTreeMap::new();
    if fields.is_empty() {
        return Ok(values);
    }
    let number = number.to_string();
    let path = path(base, &["issues", &number, "issue-field-values"]);
    let all = api.all::<Vec<FieldValueOfIssue>>(&path, &[]).await?;
    for value in world.allowed("values of issue fields", all) {
        let names = |options: Vec<crate::answers::GivenName>| {
            options
                .into_iter()
                .map(|option| Value::from(option.name))
                .collect::<Vec<_>>()
        };
        let shown = match (
            value.single_select_option,
            value.multi_select_options,
            value.value,
        ) {
            (Some(option), ..) => Some(Value::from(option.name)),
            (None, Some(options), _) => Some(Value::from(names(options))),
            (None, None, Some(Value::String(value))) => Some(Value::from(text(&value))),
            (None, None, Some(Value::Number(value))) => Some(Value::Number(value)),
            _ => None,
        };
        match fields.get(&value.issue_field_id).zip(shown) {
            Some((name, shown)) => drop(values.insert(name.clone(), shown)),
            None => world
                .left_out
                .add("a value of an issue field", "its field is not in the world"),
        }
    }
    Ok(values)
}

/// The name of a label, if it has one.
fn label_name(label: &LabelName) -> Option<&str> {
    match label {
        LabelName::Name(name) => Some(name),
        LabelName::Object { name } => name.as_deref(),
    }
}
