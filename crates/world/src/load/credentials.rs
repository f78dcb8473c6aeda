//! The credentials of a world, for the user who loads it.

use std::path::PathBuf;

use super::{IssuedToken, LoadError, Loaded, WorldSource};
use crate::check::ParsedWorld;
use crate::yaml::value_of;

/// The tokens whose values are in the world.
pub fn named_tokens(source: &WorldSource) -> Result<Vec<IssuedToken>, LoadError> {
    let parsed = ParsedWorld::read(&source.name, source.text()?)?;
    let tokens = parsed.world().map(|world| world.tokens.iter());
    let issued = tokens.into_iter().flatten().filter_map(|token| {
        Some(IssuedToken {
            value: value_of(&token.value)?,
            kind: token.kind,
            holder: token.holder(),
            description: token.purpose(),
        })
    });
    Ok(issued.collect())
}

/// The tokens with values in the world, and those that loading it generated.
pub fn known_tokens(source: &WorldSource, loaded: &Loaded) -> Result<Vec<IssuedToken>, LoadError> {
    let mut tokens = named_tokens(source)?;
    tokens.extend_from_slice(&loaded.tokens);
    Ok(tokens)
}

/// The slugs of the apps of a world, with the files of the keys that it generates.
pub fn named_apps(source: &WorldSource) -> Result<Vec<(String, Option<PathBuf>)>, LoadError> {
    let parsed = ParsedWorld::read(&source.name, source.text()?)?;
    let apps = parsed.world().map(|world| world.apps.iter());
    let slugs_and_keys = apps.into_iter().flatten().map(|app| {
        let folder = source.folder.clone().unwrap_or_default();
        let key = value_of(&app.generate_key).map(|file| folder.join(file));
        (app.slug.value.clone(), key)
    });
    Ok(slugs_and_keys.collect())
}
