//! The demo world, which is compiled into the program.

use std::sync::LazyLock;

use super::apps::stored_key;
use super::{IssuedToken, LoadError, Source};
use crate::entities::app;
use crate::world::check::ParsedWorld;
use crate::world::yaml::value_of;

const DEMO: &str = include_str!("../demo.yaml");

/// The private key of the demo's app. It is in the sources, so everybody has it.
pub const DEMO_KEY: &str = include_str!("../demo.pem");

impl Source {
    /// A believable small company, whose tokens everybody knows.
    pub fn demo() -> Self {
        let mut source = Self::inline("demo.yaml", DEMO);
        source.demo = true;
        source
    }
}

/// Whether a world brings the key that everybody has. Its tokens it cannot bring: those
/// of a file are not marked as the demo's.
pub fn brings_the_demo(source: &Source) -> Result<bool, LoadError> {
    let parsed = ParsedWorld::read(&source.name, source.text()?)?;
    let known = demo_app().map(|app| app.public_key);
    let apps = parsed.world().map(|world| world.apps.iter());
    let mut keys = apps.into_iter().flatten().filter_map(|app| {
        let key = app.public_key.as_ref()?;
        Some(stored_key(&key.value))
    });
    Ok(keys.any(|key| Some(key) == known))
}

/// The tokens of a world whose values the world says.
pub fn stated_tokens(source: &Source) -> Vec<IssuedToken> {
    let text = source.text().ok();
    let parsed = text.and_then(|text| ParsedWorld::read(&source.name, text).ok());
    let world = parsed.as_ref().and_then(ParsedWorld::world);
    let tokens = world.into_iter().flat_map(|world| &world.tokens);
    let stated = tokens.filter_map(|token| {
        Some(IssuedToken {
            value: value_of(&token.value)?,
            kind: token.kind,
            holder: token.holder(),
            description: token.purpose(),
        })
    });
    stated.collect()
}

/// The tokens of the demo world.
pub fn demo_tokens() -> Vec<IssuedToken> {
    stated_tokens(&Source::demo())
}

/// The private key of an app, if everybody has it.
pub fn demo_key_of(app: &app::Model) -> Option<String> {
    static KNOWN: LazyLock<Option<DemoApp>> = LazyLock::new(demo_app);
    let known = KNOWN.as_ref()?;
    (app.public_key == known.public_key).then(|| DEMO_KEY.to_owned())
}

/// The app of the demo world.
pub struct DemoApp {
    pub id: i64,
    pub slug: String,
    /// The other half of `DEMO_KEY`, as it is stored.
    pub public_key: String,
}

/// The app of the demo world that has a key.
pub fn demo_app() -> Option<DemoApp> {
    let parsed = ParsedWorld::read("demo.yaml", DEMO).ok()?;
    parsed.world()?.apps.iter().find_map(|app| {
        Some(DemoApp {
            id: app.id.as_ref()?.value.0,
            slug: app.slug.value.clone(),
            public_key: stored_key(&app.public_key.as_ref()?.value),
        })
    })
}
