//! What apps hear of a change of an issue. Of a pull request they hear by the event
//! `pull_request`, of an issue by `issues`.

use serde_json::Value;

use super::assignees::Reassigned;
use super::labels::{self, Relabeled};
use super::showing::{IssueRelations, IssueSetting, shown};
use crate::contract::media::Media;
use crate::contract::problem::Problem;
use crate::contract::pulls::RenderedBody;
use crate::contract::reply::Outcome;
use crate::contract::shared::user::User;
use crate::database::Transaction;
use crate::entities::{account, issue, label, pull};
use crate::notify::{self, Event, IssueAction, LabelAction, PullAction};
use crate::origin::Origin;
use sea_orm::EntityTrait;

/// What happened to an issue or a pull request.
#[derive(Debug, Default)]
pub struct Happened {
    /// What happened to it as an issue; nothing of it concerns a pull request.
    pub itself: Vec<IssueAction>,
    pub labels: Relabeled,
    pub assignees: Reassigned,
    /// Whether its conversation was locked or unlocked.
    pub locked: Option<bool>,
}

/// Tells apps what happened to an issue, as it is now.
pub async fn tell(
    transaction: &Transaction,
    origin: &Origin<'_>,
    row: &issue::Model,
    happened: Happened,
) -> Outcome<()> {
    for made in &happened.labels.made {
        tell_of_label(transaction, origin, LabelAction::Created, made).await?;
    }
    match row.pull_id {
        Some(pull) => tell_of_pull(transaction, origin, pull, happened).await,
        None => tell_of_issue(transaction, origin, row, happened).await,
    }
}

/// Tells apps of a change of a repository's label.
pub async fn tell_of_label(
    transaction: &Transaction,
    origin: &Origin<'_>,
    action: LabelAction,
    row: &label::Model,
) -> Outcome<()> {
    let label = label_value(origin, row)?;
    notify::queue(transaction, origin, Event::Label { action, label }).await
}

async fn tell_of_issue(
    transaction: &Transaction,
    origin: &Origin<'_>,
    row: &issue::Model,
    happened: Happened,
) -> Outcome<()> {
    let mut actions = happened.itself;
    for label in &happened.labels.removed {
        actions.push(IssueAction::Unlabeled(label_value(origin, label)?));
    }
    for label in &happened.labels.added {
        actions.push(IssueAction::Labeled(label_value(origin, label)?));
    }
    for user in &happened.assignees.removed {
        actions.push(IssueAction::Unassigned(user_of(origin, user)));
    }
    for user in &happened.assignees.added {
        actions.push(IssueAction::Assigned(user_of(origin, user)));
    }
    match happened.locked {
        Some(true) => actions.push(IssueAction::Locked),
        Some(false) => actions.push(IssueAction::Unlocked),
        None => {}
    }
    if actions.is_empty() {
        return Ok(());
    }
    let issue = issue_value(transaction, origin, row).await?;
    let events: Vec<_> = actions
        .into_iter()
        .map(|action| Event::Issue {
            action,
            issue: &issue,
        })
        .collect();
    notify::queue_all(transaction, origin, &events).await
}

async fn tell_of_pull(
    transaction: &Transaction,
    origin: &Origin<'_>,
    pull: i64,
    happened: Happened,
) -> Outcome<()> {
    let mut actions = Vec::new();
    for label in &happened.labels.removed {
        actions.push(PullAction::Unlabeled(label_value(origin, label)?));
    }
    for label in &happened.labels.added {
        actions.push(PullAction::Labeled(label_value(origin, label)?));
    }
    for user in &happened.assignees.removed {
        actions.push(PullAction::Unassigned(user_of(origin, user)));
    }
    for user in &happened.assignees.added {
        actions.push(PullAction::Assigned(user_of(origin, user)));
    }
    match happened.locked {
        Some(true) => actions.push(PullAction::Locked),
        Some(false) => actions.push(PullAction::Unlocked),
        None => {}
    }
    if actions.is_empty() {
        return Ok(());
    }
    let pull = pull::Entity::find_by_id(pull).one(transaction).await?;
    let pull = pull.ok_or_else(|| Problem::internal("an issue has lost its pull request"))?;
    let events: Vec<_> = actions
        .into_iter()
        .map(|action| Event::PullRequest {
            action,
            pull: &pull,
        })
        .collect();
    notify::queue_all(transaction, origin, &events).await
}

/// An issue as REST shows it to a caller.
pub async fn issue_value(
    transaction: &Transaction,
    origin: &Origin<'_>,
    row: &issue::Model,
) -> Outcome<Value> {
    let rows = std::slice::from_ref(row);
    let around = IssueRelations::of(transaction, origin.repository, rows).await?;
    let full_name = origin.full_name();
    let setting = IssueSetting {
        urls: &origin.urls,
        full_name: &full_name,
        media: Media::Raw,
    };
    let shown = shown(setting, row, &around, RenderedBody::default())?;
    serde_json::to_value(&shown).map_err(Problem::internal)
}

fn label_value(origin: &Origin<'_>, row: &label::Model) -> Outcome<Value> {
    let shown = labels::shown(&origin.urls, &origin.full_name(), row);
    serde_json::to_value(&shown).map_err(Problem::internal)
}

fn user_of(origin: &Origin<'_>, user: &account::Model) -> User {
    origin.urls.user(user)
}
