//! Creating and restoring snapshots of a world.

use contract_macros::{operations, schema};
use poem_openapi::types::Example;

use super::super::reply::{Empty, Outcome, Reply};
use super::super::values::Timestamp;
use super::ControlCall;

/// The operations on snapshots; `control/snapshots.rs` implements them.
#[operations(Worlds)]
pub trait Operations: Send + Sync {
    /// Reset a world
    ///
    /// Restores the state of the world after loading: the snapshot `loaded`, or the template if the
    /// world was created from one and has no such snapshot. `main` has the snapshot if the server
    /// loaded data into it. New identifiers continue from those of the snapshot. Rate limits and
    /// content limits are reset, the clock returns to the system time, faults and journal entries
    /// are deleted, deliveries in progress are cancelled, and paused deliveries resume. Webhooks
    /// that were pending in the snapshot are sent. Requests in flight have two seconds to finish;
    /// new requests wait for the reset.
    #[post("/_forgewright/worlds/{world}/reset")]
    #[access(control)]
    #[fails(404, 422)]
    async fn reset_world(&self, call: ControlCall, world: String) -> Outcome<Empty>;

    /// List snapshots
    ///
    /// Returns the snapshots of a world, ordered by name. A world that was created from a template
    /// has none at first; it can be reset nevertheless.
    #[get("/_forgewright/worlds/{world}/snapshots")]
    #[access(control)]
    #[fails(404)]
    async fn list_snapshots(
        &self,
        call: ControlCall,
        world: String,
    ) -> Outcome<Reply<200, Vec<Snapshot>>>;

    /// Create a snapshot
    ///
    /// Saves the current state of a world under a name. An existing snapshot of that name is
    /// replaced. The snapshots of `main` are kept when the server stops. A reset restores the
    /// snapshot named `loaded`.
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
    /// Restores the state of a snapshot. Apart from the snapshot, this is the same as a reset, with
    /// the same effects on rate limits, clock, faults, journal and deliveries.
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
    /// Deletes a snapshot. A world without the snapshot `loaded` cannot be reset, unless it was
    /// created from a template.
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

/// A saved state of a world.
#[schema(example)]
pub struct Snapshot {
    /// The name of the snapshot.
    pub name: String,
    /// When the snapshot was created, by the system clock.
    pub created_at: Timestamp,
    /// The size of the snapshot, in bytes.
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
