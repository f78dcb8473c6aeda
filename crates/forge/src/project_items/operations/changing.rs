//! Adds, changes and removes items: each in one transaction, with its events.

use sea_orm::SqlErr;

use super::events::ItemEventContext;
use super::showing::FieldSelection;
use crate::access::ProjectGrant;
use crate::issue_field_values::values;
use crate::issues;
use crate::project_items::ProjectItems;
use crate::project_items::draft::{NewContent, NewItem};
use crate::project_items::rows;
use crate::project_items::rules;
use crate::project_items::rules::{FieldAssignment, SetTo};
use crate::projects::FieldWithContent;
use crate::webhooks::ItemAction;
use contract::call::Call;
use contract::problem::{FieldProblem, Problem};
use contract::project_items::UpdateProjectItem;
use contract::reply::Outcome;
use storage::database::Transaction;
use storage::entities::{issue, project_item};

impl ProjectItems {
    /// Adds an issue, unless the project has it. `unknown` is the error for a deleted issue.
    pub(super) async fn add_issue(
        &self,
        call: &Call,
        grant: &ProjectGrant,
        issue: &issue::Model,
        unknown: FieldProblem,
    ) -> Outcome<project_item::Model> {
        let project = grant.project.id;
        let existing = rows::find_by_issue(self.app.db.reads(), project, issue.id).await?;
        if let Some(row) = existing {
            return Ok(row);
        }
        let transaction = self.app.db.begin().await?;
        rules::check_room(rows::count(&transaction, project).await?)?;
        let content = NewContent::Issue(issue.id);
        let added = rows::insert(&transaction, self.new_item(call, grant, content)).await;
        let added = added.map_err(|error| match error.sql_err() {
            Some(SqlErr::ForeignKeyConstraintViolation(_)) => Problem::from(unknown),
            _ => error.into(),
        })?;
        let Some(row) = added else {
            // Another request was faster.
            let row = rows::find_by_issue(&transaction, project, issue.id).await?;
            return row.ok_or(Problem::NotFound);
        };
        let event = ItemEventContext::of(self, call, grant, Some(issue));
        event
            .queue(&transaction, &row, vec![ItemAction::Created])
            .await?;
        transaction.commit().await?;
        Ok(row)
    }

    pub(super) async fn add_draft(
        &self,
        call: &Call,
        grant: &ProjectGrant,
        title: String,
        body: Option<String>,
    ) -> Outcome<project_item::Model> {
        let transaction = self.app.db.begin().await?;
        rules::check_room(rows::count(&transaction, grant.project.id).await?)?;
        let content = NewContent::Draft { title, body };
        let row = rows::insert(&transaction, self.new_item(call, grant, content)).await?;
        let row = row.ok_or_else(|| Problem::internal("a draft was not added"))?;
        let event = ItemEventContext::of(self, call, grant, None);
        event
            .queue(&transaction, &row, vec![ItemAction::Created])
            .await?;
        transaction.commit().await?;
        Ok(row)
    }

    fn new_item(&self, call: &Call, grant: &ProjectGrant, content: NewContent) -> NewItem {
        NewItem {
            id: None,
            project: grant.project.id,
            content,
            creator: call.caller.author(),
            now: self.app.clock.now().0,
        }
    }

    /// Sets values, archives and restores; selects the fields that the body sets.
    pub(super) async fn update(
        &self,
        call: &Call,
        grant: &ProjectGrant,
        id: i64,
        body: UpdateProjectItem,
    ) -> Outcome<(project_item::Model, FieldSelection)> {
        let project = grant.project.id;
        let item = rows::find(self.app.db.reads(), project, id).await?;
        let item = item.ok_or(Problem::NotFound)?;
        let fields = self.fields(grant).await?;
        let settings = rules::settings(&fields, body.fields.unwrap_or_default())?;
        self.check_issue_fields(call, grant, &item, &settings)
            .await?;
        let field_ids = settings.iter().map(|set| set.field.field.id).collect();
        let transaction = self.app.db.begin().await?;
        let row = rows::lock(&transaction, project, id).await?;
        let mut row = row.ok_or(Problem::NotFound)?;
        let now = self.app.clock.now().0;
        let issue = rows::issue_of(&transaction, &row).await?;
        let mut changed = set_values(&transaction, row.id, &settings).await?;
        if let Some(issue) = &issue {
            changed.extend(set_issue_values(&transaction, issue, &settings, now).await?);
        }
        let mut actions: Vec<ItemAction> = changed
            .into_iter()
            .map(|field| ItemAction::Edited {
                field_node_id: field.node_id(&grant.project),
                field_type: field.data_type(),
            })
            .collect();
        actions.extend(archive(&mut row, body.archived, now));
        if !actions.is_empty() {
            row.updated_at = now;
            rows::save(&transaction, &row).await?;
            let event = ItemEventContext::of(self, call, grant, issue.as_ref());
            event.queue(&transaction, &row, actions).await?;
        }
        transaction.commit().await?;
        Ok((row, FieldSelection::of(field_ids, fields)))
    }

    pub(super) async fn delete(&self, call: &Call, grant: &ProjectGrant, id: i64) -> Outcome<()> {
        let transaction = self.app.db.begin().await?;
        let row = rows::lock(&transaction, grant.project.id, id).await?;
        let row = row.ok_or(Problem::NotFound)?;
        let issue = rows::issue_of(&transaction, &row).await?;
        rows::delete(&transaction, row.id).await?;
        let event = ItemEventContext::of(self, call, grant, issue.as_ref());
        event
            .queue(&transaction, &row, vec![ItemAction::Deleted])
            .await?;
        Ok(transaction.commit().await?)
    }
}

/// Sets the values that differ in the project's own fields, and returns those fields.
async fn set_values<'a>(
    transaction: &Transaction,
    item: i64,
    settings: &[FieldAssignment<'a>],
) -> Outcome<Vec<&'a FieldWithContent>> {
    let stored = rows::values(transaction, [item]).await?;
    let (mut changed, mut written) = (Vec::new(), Vec::new());
    for set in settings {
        let SetTo::Own(value) = &set.value else {
            continue;
        };
        let field = set.field.field.id;
        let before = stored.iter().find(|value| value.field_id == field);
        let after = value.clone();
        let after = after.map(|value| rows::value_row(item, field, value));
        if before != after.as_ref() {
            changed.push(set.field);
            written.extend(after);
        }
    }
    let fields = changed.iter().map(|changed| changed.field.id).collect();
    rows::replace_values(transaction, item, fields, written)
        .await
        .map_err(deleted_meanwhile)?;
    Ok(changed)
}

/// Sets the values of the issue that differ in issue fields, and returns those fields.
async fn set_issue_values<'a>(
    transaction: &Transaction,
    issue: &issue::Model,
    settings: &[FieldAssignment<'a>],
    now: i64,
) -> Outcome<Vec<&'a FieldWithContent>> {
    let of_issue = |set: &&FieldAssignment<'a>| matches!(set.value, SetTo::Issue(..));
    if !settings.iter().any(|set| of_issue(&set)) {
        return Ok(Vec::new());
    }
    let issue = issues::lock(transaction, issue).await?;
    let before = values::of_issue(transaction, issue.id).await?;
    let (mut after, mut changed) = (before.clone(), Vec::new());
    for set in settings {
        let SetTo::Issue(field, value) = &set.value else {
            continue;
        };
        match value {
            Some(value) => after.insert(*field, value.clone()),
            None => after.remove(field),
        };
        if before.get(field) != after.get(field) {
            changed.push(set.field);
        }
    }
    if !changed.is_empty() {
        let replaced = values::replace(transaction, issue.id, &before, &after).await;
        replaced.map_err(deleted_meanwhile)?;
        issues::rows::touch(transaction, &issue, now).await?;
    }
    Ok(changed)
}

/// 404 for a field, option or iteration that was deleted meanwhile.
fn deleted_meanwhile(error: sea_orm::DbErr) -> Problem {
    match error.sql_err() {
        Some(SqlErr::ForeignKeyConstraintViolation(_)) => Problem::NotFound,
        _ => error.into(),
    }
}

/// Archives or restores an item, if that changes it.
fn archive(row: &mut project_item::Model, archived: Option<bool>, now: i64) -> Option<ItemAction> {
    match (archived?, row.archived_at) {
        (true, None) => {
            row.archived_at = Some(now);
            Some(ItemAction::Archived { at: now })
        }
        (false, Some(since)) => {
            row.archived_at = None;
            Some(ItemAction::Restored { since })
        }
        _ => None,
    }
}
