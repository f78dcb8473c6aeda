//! The webhook payload: GitHub's event `pull_request_review_comment`, built from the
//! response views. It has exactly the fields of `@octokit/webhooks-schemas`, because its
//! schemas are closed and strict clients reject others (`tests/github/deliveries.mjs`).

use serde_json::{Value, json};

use super::{Action, Event};
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::contract::review_comments::ReviewComment;
use crate::contract::shared::repository::NestedRepository;
use crate::contract::shared::user::User;
use crate::database::{Transaction, rows_with};
use crate::entities::account;
use crate::node_id;
use crate::views::association::Associations;
use crate::views::pull::{AroundPull, pull};
use crate::views::repository::{Surroundings, custom_properties, nested};

/// A payload without its installation.
pub struct Payload(Value);

impl Payload {
    pub fn for_installation(&self, id: i64) -> Value {
        let mut payload = self.0.clone();
        payload["installation"] = json!({"id": id, "node_id": node_id::installation(id)});
        payload
    }
}

pub async fn of(
    transaction: &Transaction,
    event: &Event,
    comment: &ReviewComment,
) -> Outcome<Payload> {
    let ids = [Some(event.pull.author_id), event.sender];
    let ids = ids.into_iter().flatten();
    let accounts = rows_with(transaction, account::Column::Id, ids).await?;
    let user = |id: Option<i64>| {
        let account = accounts.iter().find(|account| Some(account.id) == id);
        let lost = || Problem::internal("a pull request or a change is nobody's");
        account
            .map(|account| known(event.urls.user(account)))
            .ok_or_else(lost)
    };
    let repository = repository(transaction, event).await?;
    let author = user(Some(event.pull.author_id))?;
    let mut payload = json!({
        "action": event.action.word(),
        "comment": value(&sent(comment))?,
        "pull_request": pull_request(transaction, event, author, &repository).await?,
        "repository": value(&repository)?,
        "sender": value(&user(event.sender)?)?,
    });
    let properties = json!(custom_properties(&event.repository)?);
    for place in [
        "/repository",
        "/pull_request/head/repo",
        "/pull_request/base/repo",
    ] {
        if let Some(repository) = payload.pointer_mut(place) {
            repository["custom_properties"] = properties.clone();
            if let Some(license) = repository["license"].as_object_mut() {
                license.remove("html_url");
            }
        }
    }
    if event.owner.kind == account::Kind::Organization {
        payload["organization"] = organization(event);
    }
    if let Action::Edited { before } = &event.action {
        payload["changes"] = json!({"body": {"from": before}});
    }
    Ok(Payload(payload))
}

fn value(shown: &impl serde::Serialize) -> Outcome<Value> {
    serde_json::to_value(shown).map_err(Problem::internal)
}

/// Removes the fields of an account that the schemas do not have.
fn known(mut user: User) -> User {
    user.user_view_type = None;
    user
}

fn sent(comment: &ReviewComment) -> ReviewComment {
    let mut comment = comment.clone();
    comment.user = comment.user.0.map(known).into();
    comment
}

async fn repository(transaction: &Transaction, event: &Event) -> Outcome<NestedRepository> {
    let row = &event.repository;
    let surroundings = Surroundings::of(transaction, std::slice::from_ref(row), None).await?;
    let mut repository = nested(&event.urls, row, &surroundings)?;
    repository.owner = known(repository.owner);
    Ok(repository)
}

async fn pull_request(
    transaction: &Transaction,
    event: &Event,
    author: User,
    repository: &NestedRepository,
) -> Outcome<Value> {
    let authors = [author.id].into();
    let ties = Associations::of(transaction, &event.repository, &authors).await?;
    let around = AroundPull {
        association: ties.association(Some(author.id)),
        author,
        repository: repository.clone(),
    };
    value(&pull(&event.urls, &event.pull, around))
}

fn organization(event: &Event) -> Value {
    let owner = &event.owner;
    let url = format!("{}/orgs/{}", event.urls.api, owner.login);
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
        "avatar_url": format!("{}/avatars/u/{}", event.urls.web, owner.id),
        "description": "",
    })
}
