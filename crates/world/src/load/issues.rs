//! Labels and issues, and the labels, assignees and field values of pull requests. An issue is
//! identified by its number, a label and a field by its name.

use sea_orm::{ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, Set};

use super::write::{Load, UNASSIGNED, WorldItem};
use super::{LoadError, conversations};
use crate::file::{Issue, Label, Repository, World};
use crate::findings::{Finding, quoted};
use crate::record::Entries;
use crate::scalar::DateTime;
use crate::stored::vanished;
use crate::yaml::At;
use contract::issue_field_values::GivenValue;
use forge::issue_field_values::values;
use forge::issue_field_values::values::{FieldAccess, FieldValue, Fields};
use forge::issues::rows;
use forge::labels::rows::{find_by_name, label_issue};
use forge::labels::rules::{GRAY, LabelNames};
use storage::entities::{issue, issue_assignee, label, repository};

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for spec in &world.repositories {
        if spec.labels.is_empty() && spec.issues.is_empty() && spec.pulls.is_empty() {
            continue;
        }
        let name = &spec.full_name.value;
        let Some(row) = load.stored.repository(name).cloned() else {
            return Err(vanished("repository", name).into());
        };
        write_repository(load, spec, row).await?;
    }
    Ok(())
}

async fn write_repository(
    load: &mut Load<'_>,
    spec: &Repository,
    row: repository::Model,
) -> Result<(), LoadError> {
    for label in &spec.labels {
        write_label(load, row.id, label).await?;
    }
    for issue in &spec.issues {
        let written = write_issue(load, &row, issue).await;
        load.collect(written)?;
    }
    for pull in &spec.pulls {
        if let Some(issue) = rows::issue(load.db, row.id, pull.number.value.0).await? {
            let marked = mark(load, &issue, &pull.labels, &pull.assignees).await;
            load.collect(marked)?;
            set_values(load, &row, &issue, &pull.field_values).await?;
            conversations::write(load, &issue, &pull.conversation).await?;
        }
    }
    Ok(count_open(load, row).await?)
}

async fn write_label(load: &mut Load<'_>, repository: i64, spec: &Label) -> Result<(), DbErr> {
    let name = &spec.name.value;
    let stored = find_by_name(load.db, repository, name).await?;
    let mut row = stored.clone().unwrap_or_else(|| label::Model {
        id: UNASSIGNED,
        repository_id: repository,
        name: String::new(),
        name_key: name.to_lowercase(),
        color: GRAY.to_owned(),
        description: None,
        is_default: false,
        created_at: load.now,
        updated_at: load.now,
    });
    row.name.clone_from(name);
    if let Some(color) = &spec.color {
        row.color = color.value.to_ascii_lowercase();
    }
    if let Some(description) = &spec.description {
        row.description = Some(description.value.clone());
    }
    row.is_default = spec.default.unwrap_or(row.is_default);
    load.upsert(stored.as_ref(), row).await?;
    Ok(())
}

async fn write_issue(
    load: &mut Load<'_>,
    repository: &repository::Model,
    spec: &Issue,
) -> Result<(), LoadError> {
    let number = spec.number.value.0;
    let stored = rows::issue(load.db, repository.id, number).await?;
    if stored.as_ref().is_some_and(|row| row.pull_id.is_some()) {
        let message = format!("the number {number} belongs to a pull request");
        let expected = "a number that no pull request of the repository has";
        return Err(load.rejection(Finding::at(spec.number.location, message).expected(expected)));
    }
    let author = load.stored.account_id(&spec.author.value)?;
    let mut row = stored
        .clone()
        .unwrap_or_else(|| new_issue(repository.id, number, author, load.now));
    row.title.clone_from(&spec.title.value);
    row.body = spec.body.clone().or(row.body);
    row.author_id = author;
    row.locked = spec.locked.unwrap_or(row.locked);
    if let Some(state) = spec.state {
        set_state(&mut row, state, load.now);
    }
    if !row.locked {
        row.lock_reason = None;
    }
    if let Some(reason) = spec.state_reason {
        row.state_reason = Some(reason);
    }
    if row.state == issue::IssueState::Closed {
        row.closed_at = spec.closed_at.map(DateTime::seconds).or(row.closed_at);
        if let Some(login) = &spec.closed_by {
            row.closed_by_id = Some(load.stored.account_id(&login.value)?);
        }
    }
    let item = WorldItem {
        kind: "issue",
        name: format!("#{number}"),
        id: &spec.id,
        created_at: spec.created_at,
        updated_at: spec.updated_at,
    };
    let row = load.save(item, stored.as_ref(), row).await?;
    let marked = mark(load, &row, &spec.labels, &spec.assignees).await;
    load.collect(marked)?;
    set_values(load, repository, &row, &spec.field_values).await?;
    conversations::write(load, &row, &spec.conversation).await
}

fn new_issue(repository: i64, number: i64, author: i64, now: i64) -> issue::Model {
    issue::Model {
        id: UNASSIGNED,
        repository_id: repository,
        number,
        pull_id: None,
        title: String::new(),
        body: None,
        author_id: author,
        state: issue::IssueState::Open,
        state_reason: None,
        locked: false,
        lock_reason: None,
        comments: 0,
        created_at: now,
        updated_at: now,
        closed_at: None,
        closed_by_id: None,
    }
}

fn set_state(row: &mut issue::Model, state: issue::IssueState, now: i64) {
    if row.state == state {
        return;
    }
    row.state = state;
    match state {
        issue::IssueState::Open => {
            row.state_reason = Some(issue::StateReason::Reopened);
            (row.closed_at, row.closed_by_id) = (None, None);
        }
        issue::IssueState::Closed => {
            row.state_reason = Some(issue::StateReason::Completed);
            row.closed_at = Some(now);
        }
    }
}

/// Sets the labels and assignees of an issue, if the file lists any.
async fn mark(
    load: &mut Load<'_>,
    row: &issue::Model,
    labels: &[At<String>],
    assignees: &[At<String>],
) -> Result<(), LoadError> {
    if !labels.is_empty() {
        let names: Vec<String> = labels.iter().map(|name| name.value.clone()).collect();
        let change = async {
            let names = LabelNames::of(&names)?;
            label_issue(load.db, None, row, names, true, load.now).await
        };
        let change_set = change.await;
        let change_set = change_set.map_err(|problem| {
            let location = labels[0].location;
            load.rejection(Finding::at(location, problem.message().into_owned()))
        })?;
        if !change_set.is_empty() {
            load.mark_changed();
        }
    }
    if !assignees.is_empty() {
        assign(load, row, assignees).await?;
    }
    Ok(())
}

async fn assign(
    load: &mut Load<'_>,
    row: &issue::Model,
    logins: &[At<String>],
) -> Result<(), DbErr> {
    let mut assigned = Vec::new();
    for login in logins {
        assigned.push(load.stored.account_id(&login.value)?);
    }
    assigned.sort_unstable();
    let of_issue =
        || issue_assignee::Entity::find().filter(issue_assignee::COLUMN.issue_id.eq(row.id));
    let mut current: Vec<i64> = of_issue()
        .all(load.db)
        .await?
        .into_iter()
        .map(|row| row.user_id)
        .collect();
    current.sort_unstable();
    if current == assigned {
        return Ok(());
    }
    issue_assignee::Entity::delete_many()
        .filter(issue_assignee::COLUMN.issue_id.eq(row.id))
        .exec(load.db)
        .await?;
    let rows = assigned
        .into_iter()
        .map(|user| issue_assignee::ActiveModel {
            issue_id: Set(row.id),
            user_id: Set(user),
        });
    issue_assignee::Entity::insert_many(rows)
        .exec_without_returning(load.db)
        .await?;
    load.mark_changed();
    Ok(())
}

/// Sets the values of the fields that the file lists; others stay.
async fn set_values(
    load: &mut Load<'_>,
    repository: &repository::Model,
    row: &issue::Model,
    spec: &Entries<At<GivenValue>>,
) -> Result<(), LoadError> {
    if spec.is_empty() {
        return Ok(());
    }
    let fields = Fields::of(load.db, repository.owner_id, FieldAccess::All).await?;
    let before = values::of_issue(load.db, row.id).await?;
    let mut after = before.clone();
    for (name, given) in spec {
        let value = value_of(load, &fields, name, given);
        after.extend(load.collect(value)?);
    }
    if after != before {
        values::replace(load.db, row.id, &before, &after).await?;
        load.mark_changed();
    }
    Ok(())
}

/// The id of a field, and its value.
fn value_of(
    load: &Load<'_>,
    fields: &Fields,
    name: &At<String>,
    given: &At<GivenValue>,
) -> Result<(i64, FieldValue), LoadError> {
    let field = fields.by_name(&name.value).ok_or_else(|| {
        let message = format!("no issue field {}", quoted(&name.value));
        let expected = "an issue field of the repository's organization";
        load.rejection(Finding::at(name.location, message).expected(expected))
    })?;
    let value = fields.value(field, &given.value);
    let value = value.map_err(|message| load.rejection(Finding::at(given.location, message)))?;
    Ok((field.id, value))
}

/// Every open pull request is an open issue.
async fn count_open(load: &mut Load<'_>, mut row: repository::Model) -> Result<(), DbErr> {
    let open = issue::Entity::find()
        .filter(issue::COLUMN.repository_id.eq(row.id))
        .filter(issue::Column::State.eq(issue::IssueState::Open))
        .count(load.db)
        .await?;
    let open = i64::try_from(open).unwrap_or(i64::MAX);
    if row.open_issues_count != open {
        row.open_issues_count = open;
        let row = load.update(row).await?;
        load.stored.put_repository(row);
    }
    Ok(())
}
