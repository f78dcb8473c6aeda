//! The webhook events of a change of an issue: `pull_request` for a pull request, and
//! `issues` for any other issue.

use serde_json::Value;

use super::showing::{IssueRelations, IssueViewContext, issue_view};
use crate::assignees::rows::AssigneeChanges;
use crate::events::Origin;
use crate::events::{Event, IssueAction, LabelAction, PullAction};
use crate::labels::rows::LabelChanges;
use crate::labels::view::label_view;
use contract::media::Media;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::shared::state::RenderedBody;
use contract::shared::user::User;
use sea_orm::EntityTrait;
use storage::database::Transaction;
use storage::entities::{account, issue, label, pull};

/// The changes of an issue or a pull request that cause events.
#[derive(Debug, Default)]
pub struct IssueTransition {
    /// Actions that pull requests do not have.
    pub actions: Vec<IssueAction>,
    pub labels: LabelChanges,
    pub assignees: AssigneeChanges,
    /// Whether its conversation was locked or unlocked.
    pub locked: Option<bool>,
}

/// Queues the webhook events of a changed issue, with its current state.
pub async fn queue_issue_events(
    transaction: &Transaction,
    origin: &Origin<'_>,
    row: &issue::Model,
    transition: IssueTransition,
) -> Outcome<()> {
    let created = transition.labels.created.iter();
    let created = created.map(|label| label_event(origin, LabelAction::Created, label));
    let created = created.collect::<Outcome<_>>()?;
    match row.pull_id {
        Some(pull) => queue_pull_actions(transaction, origin, pull, created, transition).await,
        None => queue_issue_actions(transaction, origin, row, created, transition).await,
    }
}

/// Queues the webhook event of a change of a repository's label.
pub async fn queue_label_event(
    transaction: &Transaction,
    origin: &Origin<'_>,
    action: LabelAction,
    row: &label::Model,
) -> Outcome<()> {
    let event = label_event(origin, action, row)?;
    crate::events::queue(transaction, origin, event).await
}

fn label_event(
    origin: &Origin<'_>,
    action: LabelAction,
    row: &label::Model,
) -> Outcome<Event<'static>> {
    let label = label_value(origin, row)?;
    Ok(Event::Label { action, label })
}

async fn queue_issue_actions(
    transaction: &Transaction,
    origin: &Origin<'_>,
    row: &issue::Model,
    mut events: Vec<Event<'_>>,
    transition: IssueTransition,
) -> Outcome<()> {
    let mut actions = transition.actions;
    for label in &transition.labels.removed {
        actions.push(IssueAction::Unlabeled(label_value(origin, label)?));
    }
    for label in &transition.labels.added {
        actions.push(IssueAction::Labeled(label_value(origin, label)?));
    }
    for user in &transition.assignees.removed {
        actions.push(IssueAction::Unassigned(user_of(origin, user)));
    }
    for user in &transition.assignees.added {
        actions.push(IssueAction::Assigned(user_of(origin, user)));
    }
    match transition.locked {
        Some(true) => actions.push(IssueAction::Locked),
        Some(false) => actions.push(IssueAction::Unlocked),
        None => {}
    }
    if actions.is_empty() {
        return Ok(());
    }
    let issue = issue_value(transaction, origin, row).await?;
    let issue = &issue;
    let of_issue = |action| Event::Issue { action, issue };
    events.extend(actions.into_iter().map(of_issue));
    crate::events::queue_all(transaction, origin, &events).await
}

async fn queue_pull_actions(
    transaction: &Transaction,
    origin: &Origin<'_>,
    pull: i64,
    mut events: Vec<Event<'_>>,
    transition: IssueTransition,
) -> Outcome<()> {
    let mut actions = Vec::new();
    for label in &transition.labels.removed {
        actions.push(PullAction::Unlabeled(label_value(origin, label)?));
    }
    for label in &transition.labels.added {
        actions.push(PullAction::Labeled(label_value(origin, label)?));
    }
    for user in &transition.assignees.removed {
        actions.push(PullAction::Unassigned(user_of(origin, user)));
    }
    for user in &transition.assignees.added {
        actions.push(PullAction::Assigned(user_of(origin, user)));
    }
    match transition.locked {
        Some(true) => actions.push(PullAction::Locked),
        Some(false) => actions.push(PullAction::Unlocked),
        None => {}
    }
    if actions.is_empty() {
        return Ok(());
    }
    let pull = pull::Entity::find_by_id(pull).one(&**transaction).await?;
    let pull = &pull.ok_or_else(|| Problem::internal("an issue has lost its pull request"))?;
    let of_pull = |action| Event::PullRequest { action, pull };
    events.extend(actions.into_iter().map(of_pull));
    crate::events::queue_all(transaction, origin, &events).await
}

/// An issue as REST shows it to a caller.
pub async fn issue_value(
    transaction: &Transaction,
    origin: &Origin<'_>,
    row: &issue::Model,
) -> Outcome<Value> {
    let rows = std::slice::from_ref(row);
    let relations = IssueRelations::of(transaction, origin.repository, rows).await?;
    let full_name = origin.full_name();
    let context = IssueViewContext {
        urls: &origin.urls,
        full_name: &full_name,
        media: Media::Raw,
    };
    let issue = issue_view(context, row, &relations, RenderedBody::default())?;
    serde_json::to_value(&issue).map_err(Problem::internal)
}

fn label_value(origin: &Origin<'_>, row: &label::Model) -> Outcome<Value> {
    let label = label_view(&origin.urls, &origin.full_name(), row);
    serde_json::to_value(&label).map_err(Problem::internal)
}

fn user_of(origin: &Origin<'_>, user: &account::Model) -> User {
    origin.urls.user(user)
}
