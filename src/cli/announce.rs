//! `--announce`: one line of JSON for the program that started the server.

use std::path::{Path, PathBuf};

use sea_orm::{ActiveEnum, EntityTrait, QueryFilter};
use serde::Serialize;

use super::{Failure, demo, print};
use storage::database::Database;
use storage::entities::app;
use world::load::{Loaded, WorldSource, known_tokens, named_apps};

/// The data that a program needs to use the server that it started.
#[derive(Serialize)]
struct Announcement {
    version: &'static str,
    url: String,
    /// The certificate to trust, if the server has its own authority.
    authority: Option<PathBuf>,
    tokens: Vec<AnnouncedToken>,
    apps: Vec<AnnouncedApp>,
}

#[derive(Serialize)]
struct AnnouncedToken {
    value: String,
    kind: String,
    holder: String,
    description: String,
}

#[derive(Serialize)]
struct AnnouncedApp {
    id: i64,
    slug: String,
    client_id: String,
    private_key_file: Option<PathBuf>,
}

/// The world that a server was started with.
pub struct StartedWorld<'a> {
    pub source: &'a WorldSource,
    pub loaded: &'a Loaded,
    pub data_dir: &'a Path,
}

pub async fn announce(
    db: &Database,
    url: String,
    authority: Option<PathBuf>,
    world: Option<StartedWorld<'_>>,
) -> Result<(), Failure> {
    let (tokens, apps) = match &world {
        Some(world) => (tokens(world)?, apps(db, world).await?),
        None => (Vec::new(), Vec::new()),
    };
    let announcement = Announcement {
        version: env!("CARGO_PKG_VERSION"),
        url,
        authority: authority.map(absolute),
        tokens,
        apps,
    };
    let line = serde_json::to_string(&announcement).map_err(Failure::of)?;
    print::line(format_args!("{line}"))
}

/// The tokens with a value in the file, and those that were generated.
fn tokens(world: &StartedWorld<'_>) -> Result<Vec<AnnouncedToken>, Failure> {
    let issued = known_tokens(world.source, world.loaded).map_err(Failure::of)?;
    let announced = issued.into_iter().map(|token| AnnouncedToken {
        value: token.value,
        kind: token.kind.to_value(),
        holder: token.holder,
        description: token.description,
    });
    Ok(announced.collect())
}

async fn apps(db: &Database, world: &StartedWorld<'_>) -> Result<Vec<AnnouncedApp>, Failure> {
    let apps_of_file = named_apps(world.source).map_err(Failure::of)?;
    let slugs = apps_of_file
        .iter()
        .map(|(slug, _)| slug.to_ascii_lowercase());
    let stored = app::Entity::find().filter(app::COLUMN.slug.is_in(slugs));
    let announced = stored.all(db.reads()).await?.into_iter().map(|app| {
        let of_file = apps_of_file.iter().find(|(slug, _)| *slug == app.slug);
        let key = match world.source.demo {
            true => demo::key_file(world.data_dir).ok(),
            false => of_file.and_then(|(_, key)| key.clone()),
        };
        AnnouncedApp {
            id: app.id,
            slug: app.slug,
            client_id: app.client_id,
            private_key_file: key.map(absolute),
        }
    });
    Ok(announced.collect())
}

fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}
