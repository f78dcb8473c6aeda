//! The event `projects_v2_item`, for items of an organization's projects. It belongs to no
//! repository, so every app that is installed on the organization may receive it.

use serde_json::{Value, json};

use super::payload::{organization, value, webhook_user};
use super::queue::{Deliveries, NewDelivery};
use crate::app::App;
use crate::events::Audience;
use crate::events::EventName;
use crate::node_id;
use crate::urls::Urls;
use contract::project_fields::ProjectFieldType;
use contract::project_items::ItemContentType;
use contract::reply::Outcome;
use contract::values::Timestamp;
use storage::database::{Transaction, rows_with};
use storage::entities::{account, project_item};

/// A changed item of a project.
pub struct ItemChange<'a> {
    /// In its new state, or its last one if it was deleted.
    pub item: &'a project_item::Model,
    pub content_type: ItemContentType,
    pub content_node_id: String,
    /// The owner of the project.
    pub owner: &'a account::Model,
    /// The account that made the change.
    pub sender: Option<i64>,
    pub urls: Urls,
    pub now: i64,
}

/// The action of an item event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemAction {
    Created,
    /// A value was set or removed.
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
    fn as_str(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited { .. } => "edited",
            Self::Archived { .. } => "archived",
            Self::Restored { .. } => "restored",
            Self::Deleted => "deleted",
        }
    }

    /// The `changes` of the payload. They have no values, because the older of the two schemas is
    /// closed.
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

/// Queues the webhook events for apps that are installed on the organization. Projects of users
/// have no events.
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
    if !audience.has_subscriber(event) {
        return Ok(());
    }
    let mut payload = payload(transaction, change).await?;
    let mut deliveries = Deliveries::new(transaction, &app.outbox, change.now);
    for action in actions {
        payload["action"] = json!(action.as_str());
        if let Some(fields) = payload.as_object_mut() {
            fields.remove("changes");
        }
        if let Some(changes) = action.changes() {
            payload["changes"] = changes;
        }
        let delivery = NewDelivery {
            repository: None,
            event,
            action: Some(action.as_str()),
        };
        deliveries.add(&audience, delivery, payload.clone()).await?;
    }
    deliveries.insert().await
}

async fn payload(transaction: &Transaction, change: &ItemChange<'_>) -> Outcome<Value> {
    let (row, owner) = (change.item, change.owner);
    let ids = [change.sender, row.creator_id].into_iter().flatten();
    let people = rows_with(transaction, account::Column::Id, ids).await?;
    // If the account is deleted, the owner stands in for it.
    let person = |id: Option<i64>| {
        let account = people.iter().find(|account| Some(account.id) == id);
        webhook_user(change.urls.user(account.unwrap_or(owner)))
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
