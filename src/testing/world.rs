//! A world: its address and its credentials.

use std::sync::Arc;

use tokio::runtime::Handle;

use crate::worlds::Worlds;

/// A token of a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The login of its user, or its app and account: `ci-bot on acme`.
    pub holder: String,
    /// `classic`, `fine_grained`, `oauth`, `app_user` or `installation`.
    pub kind: String,
    pub value: String,
}

/// An app of a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppCredentials {
    pub id: i64,
    pub slug: String,
    pub client_id: String,
    /// In PEM: the demo key, or the key in the file of `generate_key`.
    pub private_key: Option<String>,
}

/// A token or an app that the world does not have.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the world has no {kind} {name}; it has: {known}")]
pub struct UnknownName {
    kind: &'static str,
    name: String,
    known: String,
}

/// An isolated world: data, tokens, limits, webhooks and clock.
#[derive(Debug)]
pub struct World {
    pub(super) origin: String,
    pub(super) name: String,
    pub(super) url: String,
    pub(super) tokens: Vec<Token>,
    pub(super) apps: Vec<AppCredentials>,
    /// Deletes a created world; `None` for `main`.
    pub(super) ending: Option<Ending>,
}

impl World {
    /// The base URL for clients, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The base URL of the control API for this world; `/clock` is below it, for example.
    pub fn control_url(&self) -> String {
        format!("{}/_forgewright/worlds/{}", self.origin, self.name)
    }

    /// The value of the first token of this holder.
    pub fn token(&self, holder: &str) -> Result<&str, UnknownName> {
        let found = self.tokens.iter().find(|token| token.holder == holder);
        let known = || self.tokens.iter().map(|token| token.holder.as_str());
        let found = found.ok_or_else(|| unknown("token of", holder, known()))?;
        Ok(&found.value)
    }

    /// All tokens whose values are known.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The app with this slug.
    pub fn app(&self, slug: &str) -> Result<&AppCredentials, UnknownName> {
        let found = self.apps.iter().find(|app| app.slug == slug);
        let known = || self.apps.iter().map(|app| app.slug.as_str());
        found.ok_or_else(|| unknown("app", slug, known()))
    }

    pub fn apps(&self) -> &[AppCredentials] {
        &self.apps
    }
}

fn unknown<'a>(
    kind: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> UnknownName {
    let mut known: Vec<&str> = known.collect();
    known.dedup();
    UnknownName {
        kind,
        name: name.to_owned(),
        known: known.join(", "),
    }
}

/// Ends a world that was made when it is dropped with it.
pub struct Ending {
    pub(super) runtime: Handle,
    pub(super) worlds: Arc<Worlds>,
    pub(super) name: String,
}

impl Drop for Ending {
    fn drop(&mut self) {
        if let Some(world) = self.worlds.remove(&self.name) {
            self.runtime.spawn(async move { world.end().await });
        }
    }
}

impl std::fmt::Debug for Ending {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Ending").field(&self.name).finish()
    }
}
