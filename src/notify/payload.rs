//! What an app is sent: the shape of GitHub's event `pull_request_review_comment`.

use sea_orm::{EntityTrait, QueryFilter};
use serde_json::{Value, json};

use super::{Action, Event};
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::contract::review_comments::ReviewComment;
use crate::contract::values::Timestamp;
use crate::database::Transaction;
use crate::entities::{account, pull};
use crate::node_id;
use crate::views::repository::{Extras, Surroundings, repository};

/// A payload, but for the installation that it goes to.
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
    let Event {
        repository: row,
        urls,
        owner,
        ..
    } = event;
    let surroundings = Surroundings::of(transaction, std::slice::from_ref(row), None).await?;
    let repository = value(&repository(urls, row, &surroundings, Extras::default())?)?;
    let ids = [Some(event.pull.author_id), event.sender];
    let accounts = account::Entity::find()
        .filter(account::COLUMN.id.is_in(ids.into_iter().flatten()))
        .all(transaction)
        .await?;
    let user = |id: Option<i64>| -> Outcome<Value> {
        let account = accounts.iter().find(|account| Some(account.id) == id);
        value(&account.map(|account| urls.user(account)))
    };
    let mut payload = json!({
        "action": event.action.word(),
        "comment": value(comment)?,
        "pull_request": pull_request(event, &user(Some(event.pull.author_id))?, &repository)?,
        "repository": repository,
        "sender": user(event.sender)?,
    });
    if owner.kind == account::Kind::Organization {
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

fn organization(event: &Event) -> Value {
    let owner = &event.owner;
    let url = format!("{}/orgs/{}", event.urls.api, owner.login);
    json!({
        "login": owner.login,
        "id": owner.id,
        "node_id": node_id::account(owner.kind, owner.id),
        "url": url,
        "repos_url": format!("{url}/repos"),
        "events_url": format!("{url}/events"),
        "hooks_url": format!("{url}/hooks"),
        "issues_url": format!("{url}/issues"),
        "members_url": format!("{url}/members{{/member}}"),
        "public_members_url": format!("{url}/public_members{{/member}}"),
        "avatar_url": format!("{}/avatars/u/{}", event.urls.web, owner.id),
        "description": null,
    })
}

fn pull_request(event: &Event, user: &Value, repository: &Value) -> Outcome<Value> {
    let Event {
        pull, urls, owner, ..
    } = event;
    let full_name = format!("{}/{}", owner.login, event.repository.name);
    let url = urls.pull(&full_name, pull.number);
    let page = urls.pull_page(&full_name, pull.number);
    let issue = format!("{}/issues/{}", urls.repository(&full_name), pull.number);
    let statuses = format!("{}/statuses/{}", urls.repository(&full_name), pull.head_sha);
    let branch = |name: &str, sha: &str| {
        json!({
            "label": format!("{}:{name}", owner.login),
            "ref": name,
            "sha": sha,
            "user": urls.user(owner),
            "repo": repository,
        })
    };
    let link = |href: &str| json!({"href": href});
    Ok(json!({
        "url": url,
        "id": pull.id,
        "node_id": node_id::pull(pull.repository_id, pull.id),
        "html_url": page,
        "diff_url": format!("{page}.diff"),
        "patch_url": format!("{page}.patch"),
        "issue_url": issue,
        "number": pull.number,
        "state": match pull.state {
            pull::State::Open => "open",
            pull::State::Closed | pull::State::Merged => "closed",
        },
        "locked": pull.locked,
        "title": pull.title,
        "user": user,
        "body": pull.body,
        "created_at": Timestamp(pull.created_at),
        "updated_at": Timestamp(pull.updated_at),
        "closed_at": pull.closed_at.map(Timestamp),
        "merged_at": pull.merged_at.map(Timestamp),
        "draft": false,
        "commits_url": format!("{url}/commits"),
        "review_comments_url": format!("{url}/comments"),
        "review_comment_url": format!(
            "{}/pulls/comments{{/number}}", urls.repository(&full_name)
        ),
        "comments_url": format!("{issue}/comments"),
        "statuses_url": statuses,
        "head": branch(&pull.head_ref, &pull.head_sha),
        "base": branch(&pull.base_ref, &pull.base_sha),
        "_links": {
            "self": link(&url),
            "html": link(&page),
            "issue": link(&issue),
            "comments": link(&format!("{issue}/comments")),
            "review_comments": link(&format!("{url}/comments")),
            "commits": link(&format!("{url}/commits")),
            "statuses": link(&statuses),
        },
    }))
}
