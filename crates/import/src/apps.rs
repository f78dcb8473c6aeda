//! The apps that the imported data names.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::answers::GivenApp;
use crate::text::{id, optional, record, time, title, url};

/// The apps by slug.
#[derive(Debug, Default)]
pub struct WorldApps {
    /// How the addresses begin that the server itself has for apps.
    pub pages: String,
    items: BTreeMap<String, Value>,
    ids: BTreeSet<i64>,
}

impl WorldApps {
    pub fn items(self) -> Vec<Value> {
        self.items.into_values().collect()
    }

    /// The address of a page, unless it is that of the server itself for an app: the default.
    pub fn foreign_page(&self, page: &Option<String>) -> Option<String> {
        url(page).filter(|page| self.pages.is_empty() || !page.starts_with(&self.pages))
    }

    pub fn has(&self, slug: &str) -> bool {
        self.items.contains_key(slug)
    }

    /// Adds an app of an account.
    pub fn add(&mut self, slug: &str, app: &GivenApp, owner: &str) {
        let events: Vec<&String> = app.events.iter().filter(|event| is_event(event)).collect();
        let item = record(json!({
            "id": id(app.id).filter(|id| self.ids.insert(*id)),
            "slug": slug,
            "name": app.name.as_deref().map(title),
            "owner": owner,
            "client_id": app.client_id.clone().filter(|id| is_client(id)),
            "description": optional(&app.description),
            "external_url": self.foreign_page(&app.external_url),
            "permissions": permissions(app.permissions.as_ref()),
            "events": events,
            "created_at": time(&app.created_at),
        }));
        self.items.insert(slug.to_owned(), item);
    }
}

/// Whether an app of a world can have this slug.
pub fn is_slug(slug: &str) -> bool {
    let part = |part: &str| {
        let valid = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
        !part.is_empty() && part.bytes().all(valid)
    };
    slug.len() <= 34 && slug.split('-').all(part)
}

fn is_client(id: &str) -> bool {
    id.len() <= 60 && id.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'.')
}

fn is_event(event: &str) -> bool {
    let valid = event
        .bytes()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_');
    valid && (1..=100).contains(&event.len())
}

/// The permissions that a world knows. GitHub has more.
pub fn permissions(given: Option<&Value>) -> BTreeMap<String, String> {
    let known = [
        "organization_projects",
        "issue_fields",
        "issues",
        "pull_requests",
        "checks",
        "contents",
        "statuses",
        "workflows",
        "metadata",
    ];
    let entries = given.and_then(Value::as_object).into_iter().flatten();
    let known = entries.filter(|(name, _)| known.contains(&name.as_str()));
    let levels = known.filter_map(|(name, level)| {
        let level = level
            .as_str()
            .filter(|level| matches!(*level, "read" | "write" | "admin"))?;
        Some((name.clone(), level.to_owned()))
    });
    levels.collect()
}
