//! The view of an app's webhook.

use contract::apps::{HookConfig, HookContentType, InsecureSsl};
use storage::entities::app;

/// The placeholder for a secret.
pub const MASK: &str = "********";

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
