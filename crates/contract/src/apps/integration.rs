//! The public profile of an app.

use contract_macros::schema;
use std::collections::BTreeMap;

use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::shared::installation::example_organization;
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url};

/// The public profile of an app.
#[schema(example)]
pub struct Integration {
    /// The identifier of the app.
    pub id: i64,
    /// The name of the app in URLs.
    pub slug: String,
    /// The global identifier.
    pub node_id: String,
    /// The client ID of the app, which can be the issuer of its JSON web tokens.
    #[schema(unpromised)]
    pub client_id: String,
    pub owner: User,
    /// The name of the app.
    pub name: String,
    /// The description of the app.
    pub description: Nullable<String>,
    /// The URL of the app's website.
    pub external_url: Url,
    /// The URL of the app's page.
    pub html_url: Url,
    /// When the app was created.
    pub created_at: Timestamp,
    /// When the app was last updated.
    pub updated_at: Timestamp,
    /// The permissions that the app requests: access levels by permission name.
    pub permissions: BTreeMap<String, String>,
    /// The events that the app is subscribed to.
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
