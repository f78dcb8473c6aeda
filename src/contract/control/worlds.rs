//! Worlds: isolated copies of the service for one test each.

use forgewright_macros::operations;
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::reply::{Outcome, Reply};
use super::super::values::{Timestamp, Url};
use super::{ControlCall, WORLDS_PATH};

/// What can be done with worlds; `control/worlds.rs` is how.
#[operations(Worlds)]
pub trait Operations: Send + Sync {
    /// List worlds
    ///
    /// Returns every world that this process serves. `main` is the one that the server was
    /// started with.
    #[get("/_forgewright/worlds")]
    #[access(control)]
    async fn list_worlds(&self, call: ControlCall) -> Outcome<Reply<200, Vec<World>>>;

    /// Get a world
    ///
    /// Returns one world with the base URL for its clients.
    #[get("/_forgewright/worlds/{world}")]
    #[access(control)]
    #[fails(404)]
    async fn get_world(&self, call: ControlCall, world: String) -> Outcome<Reply<200, World>>;
}

/// A world: data, tokens, limits, deliveries and a time of its own.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct World {
    /// The name in paths. `main` is the world that the server was started with.
    pub name: String,
    /// The base URL for clients of this world.
    pub url: Url,
    pub created_at: Timestamp,
}

impl Example for World {
    fn example() -> Self {
        Self {
            name: "7f3a91c2".to_owned(),
            url: Url(format!("{EXAMPLE_ORIGIN}{WORLDS_PATH}/7f3a91c2")),
            created_at: Timestamp(1_773_135_000),
        }
    }
}
