//! Deletes the objects of pushes that ended without moving a reference. They are invisible, so only
//! their space matters.

use sea_orm::DbErr;

use super::Dispatcher;
use git::uploads::{abandon, abandoned, sweep};
use storage::entities::git_upload;

/// Transactions before it is the deliveries' turn.
const BATCHES: usize = 20;

impl Dispatcher {
    /// Deletes some objects, and returns whether there are more.
    pub async fn sweep_uploads(&self) -> Result<bool, DbErr> {
        let (db, uploads) = (&self.app.db, &self.app.uploads);
        let mut remaining = BATCHES;
        for upload in abandoned(db.reads(), uploads, self.app.clock.now().0).await? {
            if !self.give_up(&upload).await? {
                continue;
            }
            let mut more = true;
            while more {
                if remaining == 0 {
                    return Ok(true);
                }
                remaining -= 1;
                let transaction = db.begin().await?;
                more = sweep(&transaction, &upload).await?;
                transaction.commit().await?;
            }
            tracing::info!(
                repository = upload.repository_id,
                "deleted the objects of an unfinished push"
            );
        }
        Ok(false)
    }

    async fn give_up(&self, upload: &git_upload::Model) -> Result<bool, DbErr> {
        let transaction = self.app.db.begin().await?;
        let given_up = abandon(&transaction, upload).await?;
        transaction.commit().await?;
        Ok(given_up)
    }
}
