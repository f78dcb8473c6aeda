//! Apps, new tokens, and deliveries.

use std::collections::BTreeMap;

use contract::apps::{
    GithubApp, HookConfig, HookContentType, HookDelivery, HookDeliveryItem, HookRequest,
    HookResponse, InsecureSsl, InstallationToken, Integration, PermissionLevel,
};
use contract::caller::{Level, Permissions};
use contract::reply::Outcome;
use contract::shared::installation::RepositorySelection;
use contract::shared::repository::Repository;
use contract::values::{JsonObject, Timestamp};
use storage::entities::{account, app, repository, webhook_delivery};

use super::MASK;
use crate::access::credential::parsed;
use crate::node_id;
use crate::repositories::relations::RepositoryRelations;
use crate::repositories::view as repositories;
use crate::repositories::view::Extras;
use crate::urls::Urls;

pub fn app(
    urls: &Urls,
    row: &app::Model,
    owner: &account::Model,
    installations: u64,
) -> Outcome<GithubApp> {
    Ok(GithubApp {
        integration: integration(urls, row, owner)?,
        installations_count: i64::try_from(installations).unwrap_or(i64::MAX),
    })
}

/// `narrowed` has the repositories that the token is limited to, if any; `single_files` the
/// paths of its permission `single_file`, if it has that.
pub fn token(
    value: String,
    expires_at: Timestamp,
    permissions: &Permissions,
    selection: RepositorySelection,
    narrowed: Option<Vec<Repository>>,
    single_files: Option<Vec<String>>,
) -> InstallationToken {
    InstallationToken {
        token: value,
        expires_at,
        permissions: levels(permissions),
        repository_selection: selection,
        repositories: narrowed,
        single_file: single_files
            .as_ref()
            .and_then(|paths| paths.first().cloned()),
        has_multiple_single_files: single_files.as_ref().map(|paths| paths.len() > 1),
        single_file_paths: single_files,
    }
}

pub fn narrowed(
    urls: &Urls,
    rows: &[repository::Model],
    relations: &RepositoryRelations,
) -> Outcome<Vec<Repository>> {
    rows.iter()
        .map(|row| repositories::repository(urls, row, relations, Extras::default()))
        .collect()
}

fn levels(permissions: &Permissions) -> BTreeMap<String, PermissionLevel> {
    permissions
        .iter()
        .map(|(name, level)| {
            let level = match level {
                Level::Read => PermissionLevel::Read,
                Level::Write => PermissionLevel::Write,
                Level::Admin => PermissionLevel::Admin,
            };
            (name.clone(), level)
        })
        .collect()
}

pub fn delivery_item(row: webhook_delivery::Summary) -> HookDeliveryItem {
    HookDeliveryItem {
        id: row.id,
        guid: row.guid,
        delivered_at: Timestamp(row.delivered_at.unwrap_or_default()),
        redelivery: row.redelivery,
        duration: row.duration_ms as f64 / 1000.0,
        status: row.status.unwrap_or_default(),
        status_code: row.status_code.unwrap_or_default(),
        event: row.event,
        action: row.action.into(),
        installation_id: row.installation_id.into(),
        repository_id: row.repository_id.into(),
        throttled_at: None.into(),
        url: row.url.unwrap_or_default(),
    }
}

pub fn delivery(
    mut row: webhook_delivery::Model,
    payload: Option<JsonObject>,
    headers: Option<JsonObject>,
    answered: Option<JsonObject>,
) -> HookDelivery {
    HookDelivery {
        request: HookRequest {
            headers: headers.unwrap_or_default(),
            payload: payload.unwrap_or_default(),
        },
        response: HookResponse {
            headers: answered.unwrap_or_default(),
            payload: row.response_body.take().into(),
        },
        item: delivery_item(row.into()),
    }
}

/// An app as others see it.
pub fn integration(urls: &Urls, row: &app::Model, owner: &account::Model) -> Outcome<Integration> {
    let page = format!("{}/apps/{}", urls.web, row.slug);
    Ok(Integration {
        id: row.id,
        slug: row.slug.clone(),
        node_id: node_id::app(row.id),
        client_id: row.client_id.clone(),
        owner: urls.user(owner),
        name: row.name.clone(),
        description: row.description.clone().into(),
        external_url: row
            .external_url
            .clone()
            .unwrap_or_else(|| page.clone())
            .into(),
        html_url: page.into(),
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
        permissions: parsed(&row.permissions)?,
        events: parsed(&row.events)?,
    })
}

pub fn config(row: &app::Model) -> HookConfig {
    HookConfig {
        url: row.webhook_url.clone(),
        content_type: match row.webhook_content_type {
            app::HookContentType::Json => HookContentType::Json,
            app::HookContentType::Form => HookContentType::Form,
        },
        secret: row.webhook_secret.as_ref().map(|_| MASK.to_owned()),
        insecure_ssl: match row.webhook_insecure_ssl {
            false => InsecureSsl::Off,
            true => InsecureSsl::On,
        },
    }
}
