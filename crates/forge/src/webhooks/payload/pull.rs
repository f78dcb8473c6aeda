//! Pull requests in payloads.

use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Map, Value, json};

use super::{EventContext, value, webhook_user};
use crate::accounts::association::Associations;
use crate::events::{PullAction, PullChanges};
use crate::issues::showing::PullMarks;
use crate::pulls::comparison::BranchHeads;
use crate::pulls::size::Size;
use crate::pulls::view::{PullRelations, pull as view};
use contract::problem::Problem;
use contract::reply::Outcome;
use git::GitError;
use storage::database::{Transaction, rows_with};
use storage::entities::{account, pull, review_comment};
use storage::heavy;

/// The fields of the event `pull_request` besides its action.
pub(super) fn event(action: &PullAction, number: i64, pull: &Value) -> Outcome<Value> {
    let mut fields = json!({"number": number, "pull_request": pull});
    match action {
        PullAction::Edited(changes) => fields["changes"] = edited(changes),
        PullAction::Synchronize { before, after } => {
            fields["before"] = json!(before.to_string());
            fields["after"] = json!(after.to_string());
        }
        PullAction::Labeled(label) | PullAction::Unlabeled(label) => {
            fields["label"] = label.clone();
        }
        PullAction::Assigned(user) | PullAction::Unassigned(user) => {
            fields["assignee"] = value(&webhook_user(user.clone()))?;
        }
        PullAction::Opened
        | PullAction::Closed
        | PullAction::Reopened
        | PullAction::Locked
        | PullAction::Unlocked => {}
    }
    Ok(fields)
}

fn edited(changes: &PullChanges) -> Value {
    let mut fields = Map::new();
    if let Some(title) = &changes.title {
        fields.insert("title".to_owned(), json!({"from": title}));
    }
    if let Some(body) = &changes.body {
        fields.insert("body".to_owned(), json!({"from": body}));
    }
    if let Some((name, sha)) = &changes.base {
        let base = json!({"ref": {"from": name}, "sha": {"from": sha}});
        fields.insert("base".to_owned(), base);
    }
    Value::Object(fields)
}

/// A pull request in the events of reviews and comments.
pub(super) async fn summary(
    transaction: &Transaction,
    context: &EventContext<'_>,
    pull: &pull::Model,
) -> Outcome<Value> {
    Ok(summary_and_marks(transaction, context, pull).await?.0)
}

/// The summary, with the labels and assignees.
async fn summary_and_marks(
    transaction: &Transaction,
    context: &EventContext<'_>,
    pull: &pull::Model,
) -> Outcome<(Value, PullMarks)> {
    let origin = context.origin;
    let authors = rows_with(transaction, account::Column::Id, [pull.author_id]).await?;
    let author = authors.first();
    let author = author.ok_or_else(|| Problem::internal("a pull request has no author"))?;
    let ids = [author.id].into();
    let associations = Associations::of(transaction, origin.repository, &ids).await?;
    let relations = PullRelations {
        association: associations.association(Some(author.id)),
        author: webhook_user(origin.urls.user(author)),
        repository: context.repository.clone(),
    };
    let rows = std::slice::from_ref(pull);
    let marks = Box::pin(PullMarks::of(transaction, origin.repository, rows)).await?;
    let mut summary = view(&origin.urls, pull, relations);
    marks.add_to(&mut summary, &origin.urls, &origin.full_name());
    summary.assignees = summary.assignees.into_iter().map(webhook_user).collect();
    summary.assignee = summary.assignees.first().cloned().into();
    let mut fields = value(&summary)?;
    let repository = context.repository()?;
    for branch in ["head", "base"] {
        fields[branch]["repo"] = repository.clone();
    }
    Ok((fields, marks))
}

/// A pull request in its own events.
pub(super) async fn whole(
    transaction: &Transaction,
    context: &EventContext<'_>,
    pull: &pull::Model,
) -> Outcome<Value> {
    let (mut fields, marks) = summary_and_marks(transaction, context, pull).await?;
    let size = heavy::without_waiting(size(transaction, pull)).await?;
    let review_comments = review_comment::Entity::find()
        .filter(review_comment::Column::PullId.eq(pull.id))
        .count(&**transaction)
        .await?;
    let merged_by = match pull.merged_by_id {
        Some(id) => rows_with(transaction, account::Column::Id, [id]).await?,
        None => Vec::new(),
    };
    let merged_by = merged_by.first();
    let merged_by = merged_by.map(|account| webhook_user(context.origin.urls.user(account)));
    let more = json!({
        "merged": pull.state == pull::PullState::Merged,
        "mergeable": null,
        "rebaseable": null,
        "mergeable_state": "unknown",
        "merged_by": merged_by,
        "comments": marks.comments(pull.id),
        "review_comments": review_comments,
        "maintainer_can_modify": pull.maintainer_can_modify,
        "commits": size.commits,
        "additions": size.additions,
        "deletions": size.deletions,
        "changed_files": size.changed_files,
    });
    if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
        fields.extend(more);
    }
    Ok(fields)
}

/// The size of a pull request; zero if its commits are not stored.
async fn size(transaction: &Transaction, pull: &pull::Model) -> Result<Size, GitError> {
    let branches = BranchHeads::of(transaction, pull).await?;
    match Size::of(transaction, branches).await {
        Err(GitError::Missing(_)) => Ok(Size::default()),
        size => size,
    }
}
