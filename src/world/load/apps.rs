//! Apps, each with the bot account that acts for it.
//! The rule that surprises: an app without a key is stored without one, and no JSON
//! web token passes for it.

use sea_orm::DbErr;
use serde_json::{Map, Value};

use super::LoadError;
use super::accounts::new_account;
use super::key_file;
use super::stored::bot_login;
use super::write::{Row, UNASSIGNED, Writing};
use crate::access::policy::METADATA;
use crate::contract::caller::Level;
use crate::entities::account::Kind;
use crate::entities::app;
use crate::entropy::Entropy;
use crate::world::check::NO_PERMISSION;
use crate::world::file::{App, World};
use crate::world::node::At;
use crate::world::record::Entries;

pub async fn write(writing: &mut Writing<'_>, world: &World) -> Result<(), LoadError> {
    for app in &world.apps {
        let bot = write_bot(writing, app).await?;
        write_app(writing, app, bot).await?;
    }
    Ok(())
}

async fn write_bot(writing: &mut Writing<'_>, app: &App) -> Result<i64, DbErr> {
    let login = bot_login(&app.slug.value);
    if let Some(row) = writing.stored.account(&login) {
        return Ok(row.id);
    }
    let mut bot = new_account(&login, Kind::Bot, writing.now);
    bot.date(app.created_at, true);
    let row = writing.insert(bot).await?;
    let id = row.id;
    writing.stored.put_account(row);
    Ok(id)
}

async fn write_app(writing: &mut Writing<'_>, app: &App, bot: i64) -> Result<(), LoadError> {
    let slug = &app.slug.value;
    let stored = writing.stored.app(slug).cloned();
    let mut row = match &stored {
        Some(row) => row.clone(),
        None => new_app(writing, slug, bot),
    };
    row.id = app.id.as_ref().map_or(row.id, |id| id.value.0);
    row.owner_id = writing.stored.account_id(&app.owner.value)?;
    describe(&mut row, app);
    row.date(app.created_at, stored.is_none());
    if let Some(pem) = &app.public_key {
        row.public_key = stored_key(&pem.value);
    } else if let Some(path) = app
        .generate_key
        .as_ref()
        .filter(|_| row.public_key.is_empty())
    {
        row.public_key = key_file::public_half(writing, path)?;
    }
    let row = writing.keep(stored.as_ref(), row).await?;
    writing.tell("app", &row.slug, row.id);
    writing.stored.put_app(row);
    Ok(())
}

fn new_app(writing: &Writing<'_>, slug: &str, bot: i64) -> app::Model {
    app::Model {
        id: UNASSIGNED,
        slug: slug.to_owned(),
        name: slug.to_owned(),
        owner_id: UNASSIGNED,
        client_id: client_id(writing.entropy),
        public_key: String::new(),
        description: None,
        external_url: None,
        permissions: permissions(&Vec::new()),
        events: "[]".to_owned(),
        webhook_url: None,
        webhook_secret: None,
        bot_id: bot,
        created_at: writing.now,
        updated_at: writing.now,
    }
}

/// A public key as the column holds it, however it was indented.
pub fn stored_key(pem: &str) -> String {
    format!("{}\n", pem.trim())
}

fn client_id(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes);
    format!("Iv23{}", hex::encode(bytes))
}

fn describe(row: &mut app::Model, said: &App) {
    if let Some(client_id) = &said.client_id {
        row.client_id.clone_from(&client_id.value);
    }
    if let Some(name) = &said.name {
        row.name.clone_from(&name.value);
    }
    row.description = said.description.clone().or(row.description.take());
    let url = said.external_url.as_ref().map(|url| url.value.clone());
    row.external_url = url.or(row.external_url.take());
    if !said.permissions.is_empty() {
        row.permissions = permissions(&said.permissions);
    }
    if !said.events.is_empty() {
        row.events = array(&said.events);
    }
    if let Some(webhook) = &said.webhook {
        row.webhook_url = Some(webhook.url.value.clone());
        row.webhook_secret = webhook.secret.as_ref().map(|secret| secret.value.clone());
    }
}

/// What a file grants, as the JSON that a column holds. Metadata can be read unless the
/// file says `none`.
pub fn permissions(said: &Entries<At<String>>) -> String {
    let mut granted: Map<String, Value> = said
        .iter()
        .map(|(name, level)| (name.value.clone(), Value::from(&*level.value)))
        .collect();
    granted
        .entry(METADATA)
        .or_insert_with(|| Value::from(Level::Read.word()));
    granted.retain(|_, level| level != NO_PERMISSION);
    Value::Object(granted).to_string()
}

/// A list of words, as the JSON that a column holds.
pub fn array(words: &[At<String>]) -> String {
    Value::Array(words.iter().map(|word| Value::from(&*word.value)).collect()).to_string()
}
