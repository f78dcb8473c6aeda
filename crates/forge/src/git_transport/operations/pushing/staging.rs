//! Stores a large pack in short transactions, so that others write in between, and before the one
//! that moves the references.

use std::time::Duration;

use super::internal;
use super::plan::{CommandOutcome, Push, PushedObjects};
use crate::access::RepositoryGrant;
use crate::git_transport::operations::GitTransport;
use crate::git_transport::rules;
use crate::repositories::rows::lock_repository;
use contract::problem::Problem;
use contract::reply::Outcome;
use git::pack::ReceivedPack;
use git::transport::push::Commands;
use git::uploads::GitUpload;

/// How often, and after what pauses, a push tries to begin its upload: the upload of a process that
/// died is in the way for half a minute.
const ATTEMPTS: usize = 120;
const PAUSE: Duration = Duration::from_secs(1);

impl GitTransport {
    /// Stores a pack, whose objects stay invisible until the upload is finished; or returns why no
    /// reference would move.
    pub(super) async fn stage(
        &self,
        grant: &RepositoryGrant,
        commands: &Commands,
        pack: ReceivedPack,
    ) -> Outcome<Result<GitUpload, Vec<CommandOutcome>>> {
        let pack = match self.rehearse(grant, commands, pack).await? {
            Ok(pack) => pack,
            Err(verdicts) => return Ok(Err(verdicts)),
        };
        let upload = self.begin_upload(grant).await?;
        let (reads, id) = (self.app.db.reads(), grant.repository.id);
        let writer = pack.writer(reads, id, Some(upload.id())).await;
        let mut writer = writer.map_err(internal)?;
        while let Some(batch) = writer.next().await.map_err(internal)? {
            let transaction = self.begin().await?;
            upload.renew(&transaction, self.app.clock.now().0).await?;
            let written = writer.write(&transaction, batch).await;
            written.map_err(internal)?;
            transaction.commit().await?;
        }
        Ok(Ok(upload))
    }

    /// Returns the pack unless no reference would move.
    async fn rehearse(
        &self,
        grant: &RepositoryGrant,
        commands: &Commands,
        pack: ReceivedPack,
    ) -> Outcome<Result<ReceivedPack, Vec<CommandOutcome>>> {
        let transaction = self.begin().await?;
        let repository = lock_repository(&transaction, grant).await?;
        rules::may_be_pushed_to(&repository)?;
        let objects = PushedObjects::Pack(Some(Box::new(pack)));
        let mut push = Push::new(grant, &transaction, commands, true, objects);
        let planned = push.plan(&repository.default_branch).await?;
        let pack = match push.has_work(&planned) {
            true => push.objects.take_pack(),
            false => None,
        };
        let outcome = pack.ok_or_else(|| push.rolled_back());
        transaction.rollback().await?;
        Ok(outcome)
    }

    /// Waits until the repository has no other upload.
    async fn begin_upload(&self, grant: &RepositoryGrant) -> Outcome<GitUpload> {
        for _ in 0..ATTEMPTS {
            let transaction = self.begin().await?;
            let (id, now) = (grant.repository.id, self.app.clock.now().0);
            let (uploads, entropy) = (&self.app.uploads, &*self.app.entropy);
            if let Some(upload) = uploads.begin(&transaction, entropy, id, now).await? {
                transaction.commit().await?;
                return Ok(upload);
            }
            transaction.rollback().await?;
            tokio::time::sleep(PAUSE).await;
        }
        Err(Problem::Unavailable(
            "another large push to the repository has not ended".into(),
        ))
    }
}
