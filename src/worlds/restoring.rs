//! Restores an earlier state of a world while it is served.

use super::ServedWorld;
use storage::database::{Restoration, SnapshotError, StoredSnapshot};

/// The snapshot of the state after loading.
pub const LOADED: &str = "loaded";

/// The most snapshots of a world. Each is a copy of all its data.
const MOST_SNAPSHOTS: usize = 100;

/// Why a world was not reset.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error("this world has no loaded state to reset to; make a snapshot named `loaded` first")]
    NothingLoaded,
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

impl ServedWorld {
    /// Saves the current state under a name, unless there are too many already.
    pub async fn make_snapshot(&self, name: &str) -> Result<StoredSnapshot, SnapshotError> {
        let _alone = self.changing.lock().await;
        let snapshots = self.app.db.snapshots().await?;
        let replaces = snapshots.iter().any(|snapshot| snapshot.name == name);
        if !replaces && snapshots.len() >= MOST_SNAPSHOTS {
            return Err(SnapshotError::TooMany(snapshots.len()));
        }
        self.app.db.make_snapshot(name).await
    }

    /// Every snapshot.
    pub async fn snapshots(&self) -> Result<Vec<StoredSnapshot>, SnapshotError> {
        self.app.db.snapshots().await
    }

    pub async fn delete_snapshot(&self, name: &str) -> Result<(), SnapshotError> {
        let _alone = self.changing.lock().await;
        self.app.db.delete_snapshot(name).await
    }

    /// Restores the state after loading.
    pub async fn reset(&self) -> Result<(), RestoreError> {
        let _alone = self.changing.lock().await;
        let prepared = match self.app.db.prepare_restoration(LOADED).await {
            Err(SnapshotError::Missing) => {
                let home = self.home.as_ref();
                let template = home.and_then(|home| home.loaded.as_deref());
                let template = template.ok_or(RestoreError::NothingLoaded)?;
                self.app.db.prepare_restoration_of(template).await?
            }
            prepared => prepared?,
        };
        Ok(self.restore_prepared(prepared).await?)
    }

    /// Restores a snapshot.
    pub async fn restore(&self, name: &str) -> Result<(), RestoreError> {
        if name == LOADED {
            return self.reset().await;
        }
        let _alone = self.changing.lock().await;
        let prepared = self.app.db.prepare_restoration(name).await?;
        Ok(self.restore_prepared(prepared).await?)
    }

    /// Also resets the in-memory state of the world, unless nothing was restored.
    async fn restore_prepared(&self, prepared: Restoration<'_>) -> Result<(), SnapshotError> {
        let closed = self.gate.close().await;
        self.abort_deliveries().await;
        let outcome = prepared.apply().await;
        if outcome.is_ok() {
            self.app.limits.reset();
            self.app.content_limits.reset();
            if let Some(tools) = &self.app.tools {
                tools.reset();
            }
        }
        self.start_deliveries();
        self.app.outbox.wake();
        drop(closed);
        outcome
    }

    /// Whether the state after loading is a snapshot of the world itself.
    pub(super) fn is_loaded_from_snapshot(&self) -> bool {
        let home = self.home.as_ref();
        home.is_none_or(|home| home.loaded.is_none())
    }
}
