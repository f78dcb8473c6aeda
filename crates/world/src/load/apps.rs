//! Apps, each with the bot account that acts for it.
//! Note: an app without a key is stored without one, and no JSON web token is valid for it.

use sea_orm::DbErr;
use serde_json::{Map, Value};

use super::LoadError;
use super::accounts::new_account;
use super::key_file;
use super::write::{Load, UNASSIGNED, WorldItem, WorldRow};
use crate::file::{App, World};
use crate::record::Entries;
use crate::references::bot_login;
use crate::yaml::{At, value_of};
use contract::caller::Level;
use forge::access::METADATA;
use forge::tokens::NO_PERMISSION;
use storage::entities::account::AccountKind;
use storage::entities::app;
use storage::entropy::Entropy;

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for app in &world.apps {
        let bot = write_bot(load, app).await?;
        write_app(load, app, bot).await?;
    }
    Ok(())
}

async fn write_bot(load: &mut Load<'_>, app: &App) -> Result<i64, DbErr> {
    let login = bot_login(&app.slug.value);
    if let Some(row) = load.stored.account(&login) {
        return Ok(row.id);
    }
    let mut bot = new_account(&login, AccountKind::Bot, load.now);
    if let Some(created_at) = app.created_at {
        bot.date(created_at.seconds(), true);
    }
    let row = load.insert(bot).await?;
    let id = row.id;
    load.stored.put_account(row);
    Ok(id)
}

async fn write_app(load: &mut Load<'_>, app: &App, bot: i64) -> Result<(), LoadError> {
    let slug = &app.slug.value;
    let stored = load.stored.app(slug).cloned();
    let mut row = match &stored {
        Some(row) => row.clone(),
        None => new_app(load, slug, bot),
    };
    row.owner_id = load.stored.account_id(&app.owner.value)?;
    describe(&mut row, app);
    if let Some(pem) = &app.public_key {
        row.public_key = stored_key(&pem.value);
    } else if let Some(path) = app
        .generate_key
        .as_ref()
        .filter(|_| row.public_key.is_empty())
    {
        row.public_key = key_file::public_half(load, path)?;
    }
    let item = WorldItem {
        kind: "app",
        name: slug.clone(),
        id: &app.id,
        created_at: app.created_at,
        updated_at: None,
    };
    let row = load.save(item, stored.as_ref(), row).await?;
    load.stored.put_app(row);
    Ok(())
}

fn new_app(load: &Load<'_>, slug: &str, bot: i64) -> app::Model {
    app::Model {
        id: UNASSIGNED,
        slug: slug.to_owned(),
        name: slug.to_owned(),
        owner_id: UNASSIGNED,
        client_id: client_id(load.entropy),
        public_key: String::new(),
        description: None,
        external_url: None,
        permissions: permissions(&Vec::new()),
        events: "[]".to_owned(),
        webhook_url: None,
        webhook_secret: None,
        webhook_content_type: app::HookContentType::Json,
        webhook_insecure_ssl: false,
        bot_id: bot,
        created_at: load.now,
        updated_at: load.now,
    }
}

/// A public key as the column stores it, without indentation.
pub fn stored_key(pem: &str) -> String {
    format!("{}\n", pem.trim())
}

fn client_id(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes);
    format!("Iv23{}", hex::encode(bytes))
}

fn describe(row: &mut app::Model, spec: &App) {
    if let Some(client_id) = &spec.client_id {
        row.client_id.clone_from(&client_id.value);
    }
    if let Some(name) = &spec.name {
        row.name.clone_from(&name.value);
    }
    row.description = spec.description.clone().or(row.description.take());
    row.external_url = value_of(&spec.external_url).or(row.external_url.take());
    if !spec.permissions.is_empty() {
        row.permissions = permissions(&spec.permissions);
    }
    if !spec.events.is_empty() {
        row.events = array(&spec.events);
    }
    if let Some(webhook) = &spec.webhook {
        row.webhook_url = Some(webhook.url.value.clone());
        row.webhook_secret = value_of(&webhook.secret);
    }
}

/// The permissions of a file, as the JSON of a column. Metadata can be read unless the
/// file says `none`.
pub fn permissions(spec: &Entries<At<String>>) -> String {
    let mut granted: Map<String, Value> = spec
        .iter()
        .map(|(name, level)| (name.value.clone(), Value::from(&*level.value)))
        .collect();
    granted
        .entry(METADATA)
        .or_insert_with(|| Value::from(Level::Read.as_str()));
    granted.retain(|_, level| level != NO_PERMISSION);
    Value::Object(granted).to_string()
}

/// A list of words, as the JSON of a column.
pub fn array(words: &[At<String>]) -> String {
    Value::Array(words.iter().map(|word| Value::from(&*word.value)).collect()).to_string()
}
