//! Snapshots of a world, and the way back to one.

use forgewright_macros::operations;
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::reply::{Empty, Outcome, Reply};
use super::super::values::Timestamp;
use super::ControlCall;

/// What can be done with snapshots; `control/snapshots.rs` is how.
#[operations(Worlds)]
pub trait Operations: Send + Sync {
    /// Reset a world
    ///
    /// Goes back to the state after loading: to the snapshot `loaded`. Every world that was made
    /// has it, and `main` if the server has loaded something into it. Ids continue as they did
    /// after loading. Budgets, the journal and faults begin anew, and deliveries that are under
    /// way are given up. Requests in flight finish before the reset, and others wait for it.
    #[post("/_forgewright/worlds/{world}/reset")]
    #[access(control)]
    #[fails(404, 422)]
    async fn reset_world(&self, call: ControlCall, world: String) -> Outcome<Empty>;

    /// List snapshots
    ///
    /// Returns the snapshots of a world in the order of their names.
    #[get("/_forgewright/worlds/{world}/snapshots")]
    #[access(control)]
    #[fails(404)]
    async fn list_snapshots(
        &self,
        call: ControlCall,
        world: String,
    ) -> Outcome<Reply<200, Vec<Snapshot>>>;

    /// Make a snapshot
    ///
    /// Keeps what is stored now under a name, in place of an earlier snapshot of that name. A
    /// snapshot of `main` outlasts the server; a reset goes back to the one named `loaded`.
    #[put("/_forgewright/worlds/{world}/snapshots/{snapshot}")]
    #[access(control)]
    #[fails(404, 422)]
    async fn make_snapshot(
        &self,
        call: ControlCall,
        world: String,
        snapshot: String,
    ) -> Outcome<Reply<201, Snapshot>>;

    /// Restore a snapshot
    ///
    /// Goes back to the state of a snapshot, in the way of a reset.
    #[post("/_forgewright/worlds/{world}/snapshots/{snapshot}/restore")]
    #[access(control)]
    #[fails(404, 422)]
    async fn restore_snapshot(
        &self,
        call: ControlCall,
        world: String,
        snapshot: String,
    ) -> Outcome<Empty>;

    /// Delete a snapshot
    ///
    /// Deletes a snapshot. Without the one named `loaded` the world cannot be reset.
    #[delete("/_forgewright/worlds/{world}/snapshots/{snapshot}")]
    #[access(control)]
    #[fails(404)]
    async fn delete_snapshot(
        &self,
        call: ControlCall,
        world: String,
        snapshot: String,
    ) -> Outcome<Empty>;
}

/// A state of a world that was kept.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct Snapshot {
    pub name: String,
    /// When it was made, in real time.
    pub created_at: Timestamp,
    /// How much room it takes.
    pub bytes: u64,
}

impl Example for Snapshot {
    fn example() -> Self {
        Self {
            name: "loaded".to_owned(),
            created_at: Timestamp(1_773_135_000),
            bytes: 1_048_576,
        }
    }
}
