//! An app as others see it.

use std::collections::BTreeMap;

use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::shared::installation::example_organization;
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url};

/// An app, as others see it.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct Integration {
    pub id: i64,
    /// The name of the app in addresses.
    pub slug: String,
    /// The global identifier.
    pub node_id: String,
    /// What the app may name itself by when it signs.
    pub client_id: String,
    pub owner: User,
    pub name: String,
    pub description: Nullable<String>,
    /// Where the app describes itself.
    pub external_url: Url,
    pub html_url: Url,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// What the app asks for: access levels by the name of the permission.
    pub permissions: BTreeMap<String, String>,
    /// The events that the app hears of.
    pub events: Vec<String>,
}

impl Example for Integration {
    fn example() -> Self {
        let permissions = [
            ("contents", "write"),
            ("metadata", "read"),
            ("pull_requests", "write"),
        ];
        Self {
            id: 6001,
            slug: "ci-bot".to_owned(),
            node_id: "A_kgDNF3E".to_owned(),
            client_id: "Iv23demo".to_owned(),
            owner: example_organization(),
            name: "CI bot".to_owned(),
            description: None.into(),
            external_url: format!("{EXAMPLE_ORIGIN}/apps/ci-bot").into(),
            html_url: format!("{EXAMPLE_ORIGIN}/apps/ci-bot").into(),
            created_at: Timestamp(1_773_135_000),
            updated_at: Timestamp(1_773_135_000),
            permissions: permissions
                .map(|(name, level)| (name.to_owned(), level.to_owned()))
                .into(),
            events: vec!["push".to_owned(), "pull_request".to_owned()],
        }
    }
}
