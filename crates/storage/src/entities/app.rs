//! Apps, with their public keys and bot accounts.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "app")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Lower case; unique.
    pub slug: String,
    pub name: String,
    pub owner_id: i64,
    /// Unique.
    pub client_id: String,
    /// PEM; empty if the app has no key, and then every signature is rejected.
    pub public_key: String,
    pub description: Option<String>,
    pub external_url: Option<String>,
    /// A JSON object: permission name to access level.
    pub permissions: String,
    /// A JSON array of event names.
    pub events: String,
    pub webhook_url: Option<String>,
    pub webhook_secret: Option<String>,
    /// How payloads are encoded.
    pub webhook_content_type: HookContentType,
    /// Whether the certificate of the receiver is not verified.
    pub webhook_insecure_ssl: bool,
    /// The bot account; unique.
    pub bot_id: i64,
    pub created_at: i64,
    pub updated_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}

/// The encoding of webhook payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
pub enum HookContentType {
    Json,
    /// A form with the JSON in its field `payload`.
    Form,
}
