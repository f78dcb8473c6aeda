//! Worlds: isolated copies of the service for one test each.

mod contents;

use contract_macros::{operations, schema};
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::body::{Body, Readable};
use super::super::paging::{Page, PageNumber, PerPage};
use super::super::reply::{Empty, Outcome, Reply};
use super::super::values::{Timestamp, Url};
use super::{ControlCall, WORLDS_PATH};
pub use contents::{
    WorldAccount, WorldApp, WorldCollaborator, WorldContents, WorldInstallation,
    WorldInstallationRepository, WorldIssue, WorldMember, WorldProject, WorldPull, WorldRepository,
    WorldToken, WorldTokenRepository,
};

/// The operations on worlds; `control/worlds.rs` implements them.
#[operations(Worlds)]
pub trait Operations: Send + Sync {
    /// List worlds
    ///
    /// Returns all worlds of this server process. `main` is the one that the server was started
    /// with.
    #[get("/_forgewright/worlds")]
    #[access(control)]
    async fn list_worlds(&self, call: ControlCall) -> Outcome<Reply<200, Vec<WorldInfo>>>;

    /// Create a world
    ///
    /// Creates an isolated world from a template, from a world file, or as a copy of another world.
    /// At most one of `template`, `file` and `copy_of` can be given; if all are omitted, the
    /// template is `demo`. The world is available at `url` immediately, until it is deleted or the
    /// server stops.
    #[post("/_forgewright/worlds")]
    #[access(control)]
    #[fails(422)]
    #[headers(Location)]
    async fn create_world(
        &self,
        call: ControlCall,
        body: Body<CreateWorld>,
    ) -> Outcome<Reply<201, NewWorld>>;

    /// Get a world
    ///
    /// Returns one world with the base URL for its clients.
    #[get("/_forgewright/worlds/{world}")]
    #[access(control)]
    #[fails(404)]
    async fn get_world(&self, call: ControlCall, world: String) -> Outcome<Reply<200, WorldInfo>>;

    /// Delete a world
    ///
    /// Deletes a world and all of its data. Requests in flight have two seconds to finish. `main`
    /// cannot be deleted.
    #[delete("/_forgewright/worlds/{world}")]
    #[access(control)]
    #[fails(404, 422)]
    async fn delete_world(&self, call: ControlCall, world: String) -> Outcome<Empty>;

    /// Get the contents of a world
    ///
    /// Returns the contents of a world with their identifiers in the API: a page of each kind,
    /// ordered by identifier. Tokens include their values if this process loaded them from a world
    /// file.
    #[get("/_forgewright/worlds/{world}/contents")]
    #[access(control)]
    #[fails(404)]
    async fn get_world_contents(
        &self,
        call: ControlCall,
        world: String,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, WorldContents>>;
}

/// A world, with its own data, tokens, rate limits, deliveries and clock.
#[schema(example, rename = "World")]
pub struct WorldInfo {
    /// The name of the world in paths. `main` is the world that the server was started with.
    pub name: String,
    /// The base URL for clients of the world.
    pub url: Url,
    /// When the world was created.
    pub created_at: Timestamp,
}

impl Example for WorldInfo {
    fn example() -> Self {
        Self {
            name: "7f3a91c2".to_owned(),
            url: Url(format!("{EXAMPLE_ORIGIN}{WORLDS_PATH}/7f3a91c2")),
            created_at: Timestamp(1_773_135_000),
        }
    }
}

/// The body of `create_world`.
#[schema(closed, example)]
#[derive(Default)]
pub struct CreateWorld {
    /// The name of the world in paths: at most 40 lower-case letters, digits, hyphens and
    /// underscores. If omitted, a random name.
    pub name: Option<String>,
    /// The template: `demo`, `empty`, or `main` for the data that the server loaded when it
    /// started.
    pub template: Option<String>,
    /// The text of a world file. It cannot refer to files on the server's disk.
    pub file: Option<String>,
    /// The name of the world whose current data is copied, including its pending webhooks, which
    /// the copy also sends. The copy has the system time, no faults, an empty journal and unused
    /// rate limits, and its deliveries are not paused.
    pub copy_of: Option<String>,
}

impl Readable for CreateWorld {
    const REQUIRED: bool = false;
}

impl Example for CreateWorld {
    fn example() -> Self {
        Self {
            name: Some("test-1".to_owned()),
            template: Some("demo".to_owned()),
            ..Self::default()
        }
    }
}

/// A new world with its credentials.
#[schema(example)]
pub struct NewWorld {
    /// The name of the world in paths.
    pub name: String,
    /// The base URL for clients of the world.
    pub url: Url,
    /// When the world was created.
    pub created_at: Timestamp,
    /// The first 1,000 tokens of the world.
    pub tokens: Vec<WorldToken>,
    /// The first 1,000 apps of the world.
    pub apps: Vec<WorldApp>,
}

impl Example for NewWorld {
    fn example() -> Self {
        let WorldInfo {
            name,
            url,
            created_at,
        } = WorldInfo::example();
        Self {
            name,
            url,
            created_at,
            tokens: vec![WorldToken::example()],
            apps: vec![WorldApp::example()],
        }
    }
}
