//! The demo world, which is compiled into the program.

use super::apps::stored_key;
use super::{IssuedToken, LoadError, WorldSource, named_tokens};
use crate::check::ParsedWorld;
use storage::entities::app;

const DEMO: &str = include_str!("../demo.yaml");

/// The private key of the demo's app. It is public: it is part of the sources.
pub const DEMO_KEY: &str = include_str!("../demo.pem");

/// The public key of `DEMO_KEY`, as the database stores it. `demo.yaml` contains the same key.
pub const DEMO_PUBLIC_KEY: &str = include_str!("../demo.pub.pem");

impl WorldSource {
    /// A realistic small company. Its tokens are public.
    pub fn demo() -> Self {
        let mut source = Self::inline("demo.yaml", DEMO);
        source.demo = true;
        source
    }
}

/// Whether a world contains the public demo key. It cannot contain the demo tokens: tokens of a
/// file are not marked as the demo's.
pub fn contains_demo_key(source: &WorldSource) -> Result<bool, LoadError> {
    let parsed = ParsedWorld::read(&source.name, source.text()?)?;
    let apps = parsed.world().map(|world| world.apps.iter());
    let mut keys = apps
        .into_iter()
        .flatten()
        .filter_map(|app| app.public_key.as_ref());
    Ok(keys.any(|key| stored_key(&key.value) == DEMO_PUBLIC_KEY))
}

/// The tokens of the demo world.
pub fn demo_tokens() -> Vec<IssuedToken> {
    named_tokens(&WorldSource::demo()).unwrap_or_default()
}

/// The private key of an app, if it is the public demo key.
pub fn demo_key_of(app: &app::Model) -> Option<String> {
    (app.public_key == DEMO_PUBLIC_KEY).then(|| DEMO_KEY.to_owned())
}

/// The app of the demo world.
pub struct DemoApp {
    pub id: i64,
    pub slug: String,
}

/// The app of the demo world that has the demo key.
pub fn demo_app() -> Option<DemoApp> {
    let parsed = ParsedWorld::read("demo.yaml", DEMO).ok()?;
    parsed.world()?.apps.iter().find_map(|app| {
        let key = stored_key(&app.public_key.as_ref()?.value);
        (key == DEMO_PUBLIC_KEY).then_some(DemoApp {
            id: app.id.as_ref()?.value.0,
            slug: app.slug.value.clone(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_world_contains_the_demo_key() {
        assert!(contains_demo_key(&WorldSource::demo()).unwrap());
        assert_eq!(demo_app().unwrap().slug, "ci-bot");
    }
}
