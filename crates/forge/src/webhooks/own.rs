//! Events about an app itself and its installations. They need no subscription.

use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::payload::{value, webhook_user};
use super::queue::{Delivery, guid, insert, text};
use crate::access::credential::parsed;
use crate::app::App;
use crate::apps::view;
use crate::events::EventName;
use crate::installations::relations::InstallationRelations;
use crate::installations::view::installation as view;
use crate::node_id;
use crate::urls::Urls;
use contract::reply::Outcome;
use contract::values::Timestamp;
use storage::database::{Connection, Transaction, rows_with};
use storage::entities::{account, app, installation, repository};

/// Repositories that were added to an installation or removed from it.
pub struct SelectionChange<'a> {
    /// In its new state.
    pub installation: &'a installation::Model,
    pub added: &'a [repository::Model],
    pub removed: &'a [repository::Model],
    /// The account that made the change.
    pub sender: i64,
    pub urls: Urls,
    pub now: i64,
}

/// Queues the event of a changed selection of repositories.
pub async fn queue_selection(
    transaction: &Transaction,
    app: &App,
    change: &SelectionChange<'_>,
) -> Outcome<()> {
    let row = change.installation;
    let owner = app::Entity::find_by_id(row.app_id)
        .one(&**transaction)
        .await?;
    let has_webhook = owner.is_some_and(|owner| owner.webhook_url.is_some());
    if !has_webhook && !app.settings.control {
        return Ok(());
    }
    let action = match change.removed.is_empty() {
        true => "added",
        false => "removed",
    };
    let event = EventName::InstallationRepositories;
    let payload = selection(transaction, change, action).await?;
    let Some(payload) = text(event, &payload)? else {
        return Ok(());
    };
    let delivery = Delivery {
        guid: guid(&*app.entropy),
        app: row.app_id,
        installation: Some(row.id),
        repository: None,
        event,
        action: Some(action),
        recorded: !has_webhook,
        payload,
    };
    insert(transaction, &app.outbox, vec![delivery], change.now).await
}

async fn selection(
    transaction: &Connection,
    change: &SelectionChange<'_>,
    action: &str,
) -> Outcome<Value> {
    let row = change.installation;
    let relations = InstallationRelations::of(transaction, std::slice::from_ref(row)).await?;
    let mut installation_view = view(&change.urls, row, &relations)?;
    installation_view.account = webhook_user(installation_view.account);
    let ids = [row.account_id, change.sender];
    let accounts = rows_with(transaction, account::Column::Id, ids).await?;
    let account = |id: i64| accounts.iter().find(|account| account.id == id);
    let owner = account(row.account_id).map_or("", |owner| owner.login.as_str());
    let list = |rows: &[repository::Model]| -> Vec<Value> {
        rows.iter().map(|row| summary(owner, row)).collect()
    };
    let sender = account(change.sender).map(|account| webhook_user(change.urls.user(account)));
    let mut installation = value(&installation_view)?;
    // The schemas do not have this field.
    if let Some(fields) = installation.as_object_mut() {
        fields.remove("client_id");
    }
    Ok(json!({
        "action": action,
        "repository_selection": installation["repository_selection"],
        "installation": installation,
        "repositories_added": list(change.added),
        "repositories_removed": list(change.removed),
        "requester": null,
        "sender": value(&sender)?,
    }))
}

fn summary(owner: &str, row: &repository::Model) -> Value {
    json!({
        "id": row.id,
        "node_id": node_id::repository(row.id),
        "name": row.name,
        "full_name": format!("{owner}/{}", row.name),
        "private": row.visibility == repository::Visibility::Private,
    })
}

/// Queues the ping event of a new webhook URL.
pub async fn queue_ping(
    transaction: &Transaction,
    app: &App,
    row: &app::Model,
    urls: &Urls,
) -> Outcome<()> {
    let events: Vec<String> = parsed(&row.events)?;
    let hook = format!("{}/app/hook", urls.api);
    let payload = json!({
        "zen": ZEN,
        "hook_id": row.id,
        "hook": {
            "type": "App",
            "id": row.id,
            "name": "web",
            "active": true,
            "app_id": row.id,
            "events": events,
            "config": value(&view::config(row))?,
            "created_at": Timestamp(row.created_at),
            "updated_at": Timestamp(row.updated_at),
            "url": hook,
            "ping_url": format!("{hook}/pings"),
            "deliveries_url": format!("{hook}/deliveries"),
        },
    });
    let Some(payload) = text(EventName::Ping, &payload)? else {
        return Ok(());
    };
    let delivery = Delivery {
        guid: guid(&*app.entropy),
        app: row.id,
        installation: None,
        repository: None,
        event: EventName::Ping,
        action: None,
        recorded: row.webhook_url.is_none(),
        payload,
    };
    let now = app.clock.now().0;
    insert(transaction, &app.outbox, vec![delivery], now).await
}

/// One of the sentences that GitHub chooses from.
const ZEN: &str = "Keep it logically awesome.";
