//! The demo world, which is compiled into the program.

use super::Source;
use super::tokens::{description, holder};
use crate::world::check::Draft;

const DEMO: &str = include_str!("../demo.yaml");

impl Source {
    /// A believable small company, whose tokens everybody knows.
    pub fn demo() -> Self {
        let mut source = Self::inline("demo.yaml", DEMO);
        source.demo = true;
        source
    }
}

/// A token of the demo world.
pub struct DemoToken {
    pub value: String,
    pub holder: String,
    /// What it may do, in a few words.
    pub description: String,
}

/// The tokens of the demo world.
pub fn demo_tokens() -> Vec<DemoToken> {
    let draft = Draft::read("demo.yaml", DEMO).ok();
    let tokens = draft
        .as_ref()
        .and_then(Draft::world)
        .map(|world| &world.tokens);
    tokens
        .into_iter()
        .flatten()
        .filter_map(|token| {
            Some(DemoToken {
                value: token.value()?.value.clone(),
                holder: holder(token),
                description: description(token),
            })
        })
        .collect()
}
