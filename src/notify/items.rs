//! The event `projects_v2_item`: what happens to the items of an organization's projects. It
//! belongs to no repository, so every app that is installed on the organization may hear it.

use serde_json::{Value, json};

use super::audience::Audience;
use super::event::EventName;
use super::payload::{known, organization, value};
use super::queue::{Delivery, guid, insert, text};
use crate::app::App;
use crate::contract::project_fields::ProjectFieldType;
use crate::contract::project_items::ItemContentType;
use crate::contract::reply::Outcome;
use crate::contract::values::Timestamp;
use crate::database::{Transaction, rows_with};
use crate::entities::{account, project_item};
use crate::node_id;
use crate::urls::Urls;

/// An item of a project that something happened to.
pub struct ItemChange<'a> {
    /// As it is now, or was last.
    pub item: &'a project_item::Model,
    pub content_type: ItemContentType,
    pub content_node_id: String,
    /// Of the project.
    pub owner: &'a account::Model,
    /// Who did it.
    pub sender: Option<i64>,
    pub urls: Urls,
    pub now: i64,
}

/// What happened to an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemAction {
    Created,
    /// A value was set or taken away.
    Edited {
        field_node_id: String,
        field_type: ProjectFieldType,
    },
    Archived {
        at: i64,
    },
    Restored {
        since: i64,
    },
    Deleted,
}

impl ItemAction {
    fn word(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited { .. } => "edited",
            Self::Archived { .. } => "archived",
            Self::Restored { .. } => "restored",
            Self::Deleted => "deleted",
        }
    }

    /// What changed. The older of the two schemas is closed: it has no values.
    fn changes(&self) -> Option<Value> {
        Some(match self {
            Self::Created | Self::Deleted => return None,
            Self::Edited {
                field_node_id,
                field_type,
            } => json!({"field_value": {
                "field_node_id": field_node_id,
                "field_type": field_type,
            }}),
            Self::Archived { at } => {
                json!({"archived_at": {"from": null, "to": Timestamp(*at)}})
            }
            Self::Restored { since } => {
                json!({"archived_at": {"from": Timestamp(*since), "to": null}})
            }
        })
    }
}

/// Tells the apps that are installed on the organization. Nobody hears of a user's projects.
pub async fn queue_item(
    transaction: &Transaction,
    app: &App,
    change: &ItemChange<'_>,
    actions: Vec<ItemAction>,
) -> Outcome<()> {
    if change.owner.kind != account::AccountKind::Organization {
        return Ok(());
    }
    let recording = app.settings.control;
    let audience = Audience::of_account(transaction, change.owner.id, recording).await?;
    let event = EventName::ProjectsV2Item;
    if !audience.hears(event) {
        return Ok(());
    }
    let mut payload = payload(transaction, change).await?;
    let mut deliveries = Vec::new();
    for action in actions {
        payload["action"] = json!(action.word());
        if let Some(fields) = payload.as_object_mut() {
            fields.remove("changes");
        }
        if let Some(changes) = action.changes() {
            payload["changes"] = changes;
        }
        let guid = guid(&*app.entropy);
        for receiver in audience.receivers(event) {
            let id = receiver.installation;
            payload["installation"] = json!({"id": id, "node_id": node_id::installation(id)});
            deliveries.push(Delivery {
                guid: guid.clone(),
                app: receiver.app,
                installation: Some(id),
                repository: None,
                event,
                action: Some(action.word()),
                recorded: !receiver.addressed,
                payload: text(&payload)?,
            });
        }
    }
    insert(transaction, app, deliveries, change.now).await
}

async fn payload(transaction: &Transaction, change: &ItemChange<'_>) -> Outcome<Value> {
    let (row, owner) = (change.item, change.owner);
    let ids = [change.sender, row.creator_id].into_iter().flatten();
    let people = rows_with(transaction, account::Column::Id, ids).await?;
    // Nobody else can be named if an account is gone.
    let person = |id: Option<i64>| {
        let found = people.iter().find(|account| Some(account.id) == id);
        known(change.urls.user(found.unwrap_or(owner)))
    };
    Ok(json!({
        "projects_v2_item": {
            "id": row.id,
            "node_id": node_id::project_item(owner.id, row.project_id, row.id),
            "project_node_id": node_id::project(owner.id, row.project_id),
            "content_node_id": change.content_node_id,
            "content_type": change.content_type,
            "creator": value(&person(row.creator_id))?,
            "created_at": Timestamp(row.created_at),
            "updated_at": Timestamp(row.updated_at),
            "archived_at": row.archived_at.map(Timestamp),
        },
        "organization": organization(&change.urls, owner),
        "sender": value(&person(change.sender))?,
    }))
}
