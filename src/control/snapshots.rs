//! Takes and restores snapshots of worlds.

use async_trait::async_trait;

use super::{Control, finished, named_world};
use crate::worlds::{RestoreError, is_name};
use contract::control::ControlCall;
use contract::control::snapshots::{Operations, Snapshot};
use contract::problem::{FieldProblem, Problem};
use contract::reply::{Empty, Outcome, Reply};
use contract::values::Timestamp;
use storage::database::{self, SnapshotError};

#[async_trait]
impl Operations for Control {
    async fn reset_world(&self, _: ControlCall, world: String) -> Outcome<Empty> {
        let world = named_world(&self.worlds, &world)?;
        let reset = finished(async move { world.reset().await }).await?;
        reset.map_err(refusal)?;
        Ok(Empty)
    }

    async fn list_snapshots(
        &self,
        _: ControlCall,
        world: String,
    ) -> Outcome<Reply<200, Vec<Snapshot>>> {
        let world = named_world(&self.worlds, &world)?;
        let snapshots = world.snapshots().await.map_err(failure)?;
        Ok(Reply::new(snapshots.into_iter().map(view).collect()))
    }

    async fn make_snapshot(
        &self,
        _: ControlCall,
        world: String,
        snapshot: String,
    ) -> Outcome<Reply<201, Snapshot>> {
        let world = named_world(&self.worlds, &world)?;
        if !is_name(&snapshot) {
            let reason = "a name has 1 to 40 lower-case letters, digits, hyphens and underscores";
            let name = FieldProblem::invalid("Snapshot", "name").because(reason);
            return Err(Problem::Invalid(vec![name]));
        }
        let snapshot = finished(async move { world.make_snapshot(&snapshot).await }).await?;
        Ok(Reply::new(view(snapshot.map_err(failure)?)))
    }

    async fn restore_snapshot(
        &self,
        _: ControlCall,
        world: String,
        snapshot: String,
    ) -> Outcome<Empty> {
        let world = named_world(&self.worlds, &world)?;
        require_valid_name(&snapshot)?;
        let restored = finished(async move { world.restore(&snapshot).await }).await?;
        restored.map_err(refusal)?;
        Ok(Empty)
    }

    async fn delete_snapshot(
        &self,
        _: ControlCall,
        world: String,
        snapshot: String,
    ) -> Outcome<Empty> {
        let world = named_world(&self.worlds, &world)?;
        require_valid_name(&snapshot)?;
        world.delete_snapshot(&snapshot).await.map_err(failure)?;
        Ok(Empty)
    }
}

/// 404 for an invalid name: it must never reach a path or a statement.
fn require_valid_name(name: &str) -> Outcome<()> {
    match is_name(name) {
        true => Ok(()),
        false => Err(absent()),
    }
}

fn absent() -> Problem {
    Problem::Absent("There is no such snapshot".into())
}

fn refusal(error: RestoreError) -> Problem {
    match error {
        RestoreError::NothingLoaded => Problem::Refused(error.to_string().into()),
        RestoreError::Snapshot(error) => failure(error),
    }
}

fn failure(error: SnapshotError) -> Problem {
    match error {
        SnapshotError::Missing => absent(),
        SnapshotError::OtherSchema => Problem::Refused(error.to_string().into()),
        SnapshotError::TooMany(_) => {
            Problem::Refused(format!("Too many snapshots: {error}").into())
        }
        SnapshotError::Database(error) => error.into(),
        other => Problem::Unavailable(other.into()),
    }
}

fn view(snapshot: database::StoredSnapshot) -> Snapshot {
    Snapshot {
        name: snapshot.name,
        created_at: Timestamp(snapshot.created_at),
        bytes: snapshot.bytes,
    }
}
