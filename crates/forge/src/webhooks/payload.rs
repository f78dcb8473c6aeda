//! Webhook payloads, built from the response views. They have exactly the fields of
//! `@octokit/webhooks-schemas`, because its schemas are closed and strict clients reject
//! others (`tests/github/deliveries.mjs`). The queue adds the installation.

mod check;
mod issue;
mod pull;
pub(super) mod push;
mod status;

use serde_json::{Map, Value, json};

use crate::accounts::rows::accounts;
use crate::events::Origin;
use crate::events::{CommentAction, Event, ReviewAction};
use crate::node_id;
use crate::repositories::relations::RepositoryRelations;
use crate::repositories::view::{custom_properties, nested};
use crate::urls::Urls;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::review_comments::ReviewComment;
use contract::shared::repository::NestedRepository;
use contract::shared::user::User;
use git::refs::branch_of;
use storage::database::{Database, ReadSource, Transaction};
use storage::entities::{account, pull as pull_row};
use storage::heavy::{self, Held};

/// The largest payload in bytes. GitHub sends no larger one either.
pub(super) const LARGEST_PAYLOAD: usize = 25 * 1024 * 1024;

/// The payloads of the events of one change. Their common parts are loaded once, because a
/// review may have a hundred comments.
#[derive(Default)]
pub(super) struct Payloads<'a> {
    context: Option<EventContext<'a>>,
    /// The pull request of the last event about a review or a comment.
    summarized: LastPull,
    /// The pull request of the last event `pull_request`.
    shown: LastPull,
    /// The memory of the last push.
    held: Option<Held>,
}

impl<'a> Payloads<'a> {
    /// The payload of an event; None if it would be too large.
    pub async fn of(
        &mut self,
        transaction: &Transaction,
        origin: &'a Origin<'a>,
        event: &Event<'_>,
    ) -> Outcome<Option<Value>> {
        let context = match self.context.take() {
            Some(context) => context,
            None => EventContext::of(transaction, origin).await?,
        };
        let context = &*self.context.insert(context);
        let mut payload = context.common()?;
        if let Some(action) = event.action() {
            payload.insert("action".to_owned(), json!(action));
        }
        let specific = match event {
            Event::Push(update) => {
                let fields =
                    heavy::without_waiting(push::event(transaction, context, update)).await?;
                let Some((fields, held)) = fields else {
                    return Ok(None);
                };
                self.held = Some(held);
                fields
            }
            Event::Create(name) => context.created(name),
            Event::Delete(name) => context.deleted(name),
            Event::PullRequest { action, pull } => {
                let view = pull::whole(transaction, context, pull);
                pull::event(action, pull.number, self.shown.view(pull, view).await?)?
            }
            Event::Review {
                action,
                review,
                pull,
            } => {
                let view = pull::summary(transaction, context, pull);
                let pull = self.summarized.view(pull, view).await?;
                reviewed(action, review, pull)
            }
            Event::ReviewComment {
                action,
                comment,
                pull,
            } => {
                let view = pull::summary(transaction, context, pull);
                let pull = self.summarized.view(pull, view).await?;
                commented(action, comment, pull)?
            }
            Event::Issue { action, issue } => issue::event(action, issue)?,
            Event::IssueComment {
                action,
                comment,
                issue,
            } => issue::commented(action, comment, issue)?,
            Event::Label { action, label } => issue::label(action, label),
            Event::Status(report) => status::event(context, report)?,
            Event::CheckRun { run, suite, .. } => check::run(run, suite)?,
            Event::CheckSuite(suite) => check::suite(suite)?,
        };
        if let Value::Object(fields) = specific {
            payload.extend(fields);
        }
        Ok(Some(Value::Object(payload)))
    }
}

/// The last pull request with its view, for further events about it.
#[derive(Default)]
struct LastPull(Option<(pull_row::Model, Value)>);

impl LastPull {
    /// The view of a pull request, computed unless it is the last one.
    async fn view(
        &mut self,
        pull: &pull_row::Model,
        compute: impl Future<Output = Outcome<Value>> + Send,
    ) -> Outcome<&Value> {
        let view = match self.0.take() {
            Some((row, view)) if row == *pull => view,
            _ => compute.await?,
        };
        let (_, view) = self.0.insert((pull.clone(), view));
        Ok(view)
    }
}

fn reviewed(action: &ReviewAction, review: &Value, pull: &Value) -> Value {
    let mut fields = json!({"review": webhook_review(review), "pull_request": pull});
    if let ReviewAction::Edited { before } = action {
        fields["changes"] = match before {
            Some(before) => json!({"body": {"from": before}}),
            None => json!({}),
        };
    }
    fields
}

fn commented(action: &CommentAction, comment: &ReviewComment, pull: &Value) -> Outcome<Value> {
    let mut comment = comment.clone();
    comment.user = comment.user.0.map(webhook_user).into();
    let fields = json!({"comment": value(&comment)?, "pull_request": pull});
    Ok(with_changes(action, fields))
}

/// Adds the previous body of an edited comment.
pub(super) fn with_changes(action: &CommentAction, mut fields: Value) -> Value {
    if let CommentAction::Edited { before } = action {
        fields["changes"] = json!({"body": {"from": before}});
    }
    fields
}

/// The repository and the sender of an event.
pub(super) struct EventContext<'a> {
    origin: &'a Origin<'a>,
    repository: NestedRepository,
    sender: account::Model,
}

impl<'a> EventContext<'a> {
    async fn of(transaction: &Transaction, origin: &'a Origin<'a>) -> Outcome<Self> {
        let row = origin.repository;
        let relations =
            RepositoryRelations::of(transaction, std::slice::from_ref(row), None).await?;
        Self::with(transaction, origin, &relations).await
    }

    /// For a push to the repository.
    pub async fn of_push(db: &Database, origin: &'a Origin<'a>) -> Outcome<Self> {
        let (row, owner) = (origin.repository, origin.owner);
        let relations = RepositoryRelations::of_push(db, row, owner, origin.now).await?;
        Self::with(db, origin, &relations).await
    }

    async fn with(
        source: &impl ReadSource,
        origin: &'a Origin<'a>,
        relations: &RepositoryRelations,
    ) -> Outcome<Self> {
        let mut repository = nested(&origin.urls, origin.repository, relations)?;
        repository.owner = webhook_user(repository.owner);
        let sender = accounts(source, origin.sender.into_iter().collect()).await?;
        Ok(Self {
            origin,
            repository,
            // If no account made the change, the owner is the sender.
            sender: sender.into_values().next().unwrap_or(origin.owner.clone()),
        })
    }

    /// The fields of every payload.
    pub fn common(&self) -> Outcome<Map<String, Value>> {
        let origin = self.origin;
        let mut fields = Map::new();
        let sender = webhook_user(origin.urls.user(&self.sender));
        fields.insert("repository".to_owned(), self.repository()?);
        fields.insert("sender".to_owned(), value(&sender)?);
        if origin.owner.kind == account::AccountKind::Organization {
            let organization = organization(&origin.urls, origin.owner);
            fields.insert("organization".to_owned(), organization);
        }
        Ok(fields)
    }

    /// The repository in the shape of payloads.
    fn repository(&self) -> Outcome<Value> {
        let mut repository = value(&self.repository)?;
        repository["custom_properties"] = json!(custom_properties(self.origin.repository)?);
        if let Some(license) = repository["license"].as_object_mut() {
            license.remove("html_url");
        }
        Ok(repository)
    }

    pub fn created(&self, name: &str) -> Value {
        let repository = self.origin.repository;
        let mut fields = self.deleted(name);
        fields["master_branch"] = json!(repository.default_branch);
        fields["description"] = json!(repository.description);
        fields
    }

    fn deleted(&self, name: &str) -> Value {
        let kind = match branch_of(name) {
            Some(_) => "branch",
            None => "tag",
        };
        json!({"ref": push::short(name), "ref_type": kind, "pusher_type": "user"})
    }
}

pub(super) fn value(view: &impl serde::Serialize) -> Outcome<Value> {
    serde_json::to_value(view).map_err(Problem::internal)
}

/// Removes the fields of an account that the schemas do not have.
pub(super) fn webhook_user(mut user: User) -> User {
    user.user_view_type = None;
    user
}

/// The fields of a review that webhooks have, with its state in lower case.
fn webhook_review(review: &Value) -> Value {
    const FIELDS: [&str; 11] = [
        "id",
        "node_id",
        "user",
        "body",
        "commit_id",
        "submitted_at",
        "state",
        "html_url",
        "pull_request_url",
        "author_association",
        "_links",
    ];
    let fields = FIELDS.map(|name| (name.to_owned(), review[name].clone()));
    let mut review = Value::Object(Map::from_iter(fields));
    if let Some(state) = review["state"].as_str() {
        review["state"] = json!(state.to_lowercase());
    }
    if let Some(user) = review["user"].as_object_mut() {
        user.remove("user_view_type");
    }
    review
}

pub(super) fn organization(urls: &Urls, owner: &account::Model) -> Value {
    let url = format!("{}/orgs/{}", urls.api, owner.login);
    json!({
        "login": owner.login,
        "id": owner.id,
        "node_id": node_id::account(owner),
        "url": url,
        "repos_url": format!("{url}/repos"),
        "events_url": format!("{url}/events"),
        "hooks_url": format!("{url}/hooks"),
        "issues_url": format!("{url}/issues"),
        "members_url": format!("{url}/members{{/member}}"),
        "public_members_url": format!("{url}/public_members{{/member}}"),
        "avatar_url": format!("{}/avatars/u/{}", urls.web, owner.id),
        "description": "",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_has_only_the_fields_of_webhooks() {
        let review = json!({
            "id": 1, "state": "CHANGES_REQUESTED", "body_html": "<p>x</p>",
            "user": {"login": "bob", "user_view_type": "public"},
        });
        let sent = webhook_review(&review);
        assert_eq!(sent["state"], "changes_requested");
        assert_eq!(sent["user"], json!({"login": "bob"}));
        assert_eq!(sent["submitted_at"], Value::Null);
        assert_eq!(sent.get("body_html"), None);
    }
}
