//! Apps as clients see them.

use crate::access::credential::parsed;
use crate::node_id;
use crate::urls::Urls;
use contract::apps::Integration;
use contract::reply::Outcome;
use contract::values::Timestamp;
use storage::entities::{account, app};

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
