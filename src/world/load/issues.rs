//! Labels and issues, and what pull requests have as issues: labels, assignees and field
//! values. They have no ids of the file's own: an issue is known by its number, a label and a
//! field by its name.

use sea_orm::{ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, Set};

use super::write::{Load, UNASSIGNED, WorldItem};
use super::{LoadError, conversations};
use crate::contract::issue_field_values::GivenValue;
use crate::entities::{issue, issue_assignee, label, repository};
use crate::issues::labels::{GRAY, LabelNames, give, named};
use crate::issues::store;
use crate::issues::values::{self, Fields, Sight};
use crate::world::file::{Issue, Label, Repository, World};
use crate::world::findings::{Finding, quoted};
use crate::world::record::Entries;
use crate::world::stored::vanished;
use crate::world::yaml::At;

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for said in &world.repositories {
        if said.labels.is_empty() && said.issues.is_empty() && said.pulls.is_empty() {
            continue;
        }
        let name = &said.full_name.value;
        let Some(row) = load.stored.repository(name).cloned() else {
            return Err(vanished("repository", name).into());
        };
        write_repository(load, said, row).await?;
    }
    Ok(())
}

async fn write_repository(
    load: &mut Load<'_>,
    said: &Repository,
    row: repository::Model,
) -> Result<(), LoadError> {
    for label in &said.labels {
        write_label(load, row.id, label).await?;
    }
    for issue in &said.issues {
        write_issue(load, &row, issue).await?;
    }
    for pull in &said.pulls {
        if let Some(issue) = store::issue(load.db, row.id, pull.number.value.0).await? {
            mark(load, &issue, &pull.labels, &pull.assignees).await?;
            give_values(load, &row, &issue, &pull.field_values).await?;
            conversations::write(load, &issue, &pull.conversation).await?;
        }
    }
    Ok(count_open(load, row).await?)
}

async fn write_label(load: &mut Load<'_>, repository: i64, said: &Label) -> Result<(), DbErr> {
    let name = &said.name.value;
    let stored = named(load.db, repository, name).await?;
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
    if let Some(color) = &said.color {
        row.color = color.value.to_ascii_lowercase();
    }
    if let Some(description) = &said.description {
        row.description = Some(description.value.clone());
    }
    row.is_default = said.default.unwrap_or(row.is_default);
    load.keep(stored.as_ref(), row).await?;
    Ok(())
}

async fn write_issue(
    load: &mut Load<'_>,
    repository: &repository::Model,
    said: &Issue,
) -> Result<(), LoadError> {
    let number = said.number.value.0;
    let stored = store::issue(load.db, repository.id, number).await?;
    if stored.as_ref().is_some_and(|row| row.pull_id.is_some()) {
        let wrong = format!("the number {number}, which a pull request has");
        let expected = "a number that no pull request of the repository has";
        return Err(load.refused(Finding::at(said.number.location, wrong).expected(expected)));
    }
    let author = load.stored.account_id(&said.author.value)?;
    let mut row = stored
        .clone()
        .unwrap_or_else(|| new_issue(repository.id, number, author, load.now));
    row.title.clone_from(&said.title.value);
    row.body = said.body.clone().or(row.body);
    row.author_id = author;
    row.locked = said.locked.unwrap_or(row.locked);
    if let Some(state) = said.state {
        set_state(&mut row, state, load.now);
    }
    if !row.locked {
        row.lock_reason = None;
    }
    let item = WorldItem {
        what: "issue",
        name: format!("#{number}"),
        id: &None,
        created_at: said.created_at,
    };
    let row = load.save(item, stored.as_ref(), row).await?;
    mark(load, &row, &said.labels, &said.assignees).await?;
    give_values(load, repository, &row, &said.field_values).await?;
    conversations::write(load, &row, &said.conversation).await
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

/// Gives an issue the labels and assignees that the file names, where it names any.
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
            give(load.db, row, names, true, load.now).await
        };
        let given = change.await;
        let given = given.map_err(|problem| {
            let location = labels[0].location;
            load.refused(Finding::at(location, problem.message().into_owned()))
        })?;
        if !given.is_nothing() {
            load.amended();
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
    let mut wanted = Vec::new();
    for login in logins {
        wanted.push(load.stored.account_id(&login.value)?);
    }
    wanted.sort_unstable();
    let of_issue =
        || issue_assignee::Entity::find().filter(issue_assignee::COLUMN.issue_id.eq(row.id));
    let mut held: Vec<i64> = of_issue()
        .all(load.db)
        .await?
        .into_iter()
        .map(|row| row.user_id)
        .collect();
    held.sort_unstable();
    if held == wanted {
        return Ok(());
    }
    issue_assignee::Entity::delete_many()
        .filter(issue_assignee::COLUMN.issue_id.eq(row.id))
        .exec(load.db)
        .await?;
    let rows = wanted.into_iter().map(|user| issue_assignee::ActiveModel {
        issue_id: Set(row.id),
        user_id: Set(user),
    });
    issue_assignee::Entity::insert_many(rows)
        .exec_without_returning(load.db)
        .await?;
    load.amended();
    Ok(())
}

/// Gives an issue values in the fields that the file names; others stay.
async fn give_values(
    load: &mut Load<'_>,
    repository: &repository::Model,
    row: &issue::Model,
    said: &Entries<At<GivenValue>>,
) -> Result<(), LoadError> {
    if said.is_empty() {
        return Ok(());
    }
    let fields = Fields::of(load.db, repository.owner_id, Sight::Everything).await?;
    let before = values::of_issue(load.db, row.id).await?;
    let mut after = before.clone();
    for (name, given) in said {
        let Some(field) = fields.named(&name.value) else {
            let wrong = format!("no issue field {}", quoted(&name.value));
            let expected = "an issue field of the repository's organization";
            return Err(load.refused(Finding::at(name.location, wrong).expected(expected)));
        };
        let value = fields.value(field, &given.value);
        let value = value.map_err(|wrong| load.refused(Finding::at(given.location, wrong)))?;
        after.insert(field.id, value);
    }
    if after != before {
        values::replace(load.db, row.id, &before, &after).await?;
        load.amended();
    }
    Ok(())
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
