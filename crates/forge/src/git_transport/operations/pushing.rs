//! A push: one transaction for its references and all consequences. It also stores the objects, or
//! makes those visible that were stored before because they are many (`staging`).

mod plan;
mod staging;
mod upload;

use sea_orm::DbErr;
use tokio::io::AsyncRead;

use super::pushing::plan::{CommandOutcome, Planned, Push, PushedObjects};
use super::{GitTransport, unreadable};
use crate::access::RepositoryGrant;
use crate::events::Origin;
use crate::git_transport::{rows, rules};
use crate::repositories::rows::lock_repository;
use contract::call::Call;
use contract::problem::Problem;
use contract::reply::Outcome;
use git::pack::{self, PackError, PackLimits, ReceivedPack};
use git::transport::push::{Commands, PushReport, RefCommand};
use storage::database::Transaction;
use storage::entities::repository;

/// How often a push tries to begin a transaction, each time with the usual timeout.
const ATTEMPTS: usize = 24;

impl GitTransport {
    pub(super) async fn push(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        mut upload: impl AsyncRead + Unpin + Send,
    ) -> Outcome<Vec<u8>> {
        let (lines, _held) = upload::lines(&mut upload).await?;
        let commands = Commands::parse(&lines).map_err(unreadable)?;
        drop(lines);
        if commands.commands.is_empty() {
            return Ok(Vec::new());
        }
        let received = match commands.commands.iter().all(RefCommand::deletes) {
            true => Ok(None),
            false => self.receive(grant, upload).await?.map(Some),
        };
        let (unpack, outcomes) = match received {
            Ok(pack) => (None, self.change(call, grant, &commands, pack).await?),
            Err(reason) => {
                let rejected = commands
                    .commands
                    .iter()
                    .map(|_| Err("unpacker error".to_owned()));
                (Some(reason), rejected.collect())
            }
        };
        Ok(report(&commands, unpack.as_deref(), &outcomes))
    }

    /// Receives and checks the pack; or the reason why it is rejected.
    async fn receive(
        &self,
        grant: &RepositoryGrant,
        upload: impl AsyncRead + Unpin + Send,
    ) -> Outcome<Result<ReceivedPack, String>> {
        let (reads, id) = (self.app.db.reads(), grant.repository.id);
        match pack::receive(upload, PackLimits::default(), reads, id).await {
            Ok(pack) => Ok(Ok(pack)),
            Err(PackError::Input(error)) => Err(upload::unread(&error)),
            Err(PackError::Refused(problem)) => Err(problem),
            Err(error) if error.is_internal() => Err(internal(error)),
            Err(error) => Ok(Err(error.to_string())),
        }
    }

    async fn change(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        commands: &Commands,
        pack: Option<ReceivedPack>,
    ) -> Outcome<Vec<CommandOutcome>> {
        let (pack, connected) = match pack {
            Some(pack) => {
                let pack = self.connected(grant, pack).await?;
                let connected = pack.is_some();
                (pack, connected)
            }
            None => (None, true),
        };
        let objects = match pack {
            Some(pack) if pack.is_large() => match self.stage(grant, commands, pack).await? {
                Ok(upload) => PushedObjects::Upload(upload),
                Err(verdicts) => return Ok(verdicts),
            },
            pack => PushedObjects::Pack(pack.map(Box::new)),
        };
        let transaction = self.begin().await?;
        let repository = lock_repository(&transaction, grant).await?;
        rules::may_be_pushed_to(&repository)?;
        let mut push = Push::new(grant, &transaction, commands, connected, objects);
        if !self.carry_out(call, &mut push, repository).await? {
            return Ok(push.rolled_back());
        }
        let Push {
            verdicts, objects, ..
        } = push;
        transaction.commit().await?;
        drop(objects);
        self.app.outbox.wake();
        Ok(verdicts)
    }

    /// Begins a transaction. Waits longer than other requests, because this client has already sent
    /// all of its objects.
    async fn begin(&self) -> Outcome<Transaction> {
        let mut remaining = ATTEMPTS;
        loop {
            remaining -= 1;
            match self.app.db.begin().await {
                Err(DbErr::ConnectionAcquire(_)) if remaining > 0 => {}
                transaction => return Ok(transaction?),
            }
        }
    }

    /// Writes all allowed changes, and returns whether to commit them.
    async fn carry_out(
        &self,
        call: &Call,
        push: &mut Push<'_>,
        mut repository: repository::Model,
    ) -> Outcome<bool> {
        if let PushedObjects::Upload(upload) = &push.objects {
            upload.finish(push.transaction).await?;
        }
        let mut planned = push.plan(&repository.default_branch).await?;
        if !push.has_work(&planned) {
            return Ok(false);
        }
        if let Some(pack) = push.objects.take_pack() {
            let stored = pack.store(push.transaction, repository.id).await;
            stored.map_err(internal)?;
        }
        push.check_workflows(&mut planned).await?;
        if !push.has_work(&planned) {
            return Ok(false);
        }
        self.choose_default(push.transaction, &mut repository, &planned)
            .await?;
        let origin = Origin {
            repository: &repository,
            ..self.app.origin(call, push.grant)
        };
        push.apply(&origin, &mut planned).await?;
        Ok(push.has_work(&planned))
    }

    /// Sets the default branch of a repository without branches to a pushed one.
    async fn choose_default(
        &self,
        transaction: &Transaction,
        repository: &mut repository::Model,
        planned: &[Planned],
    ) -> Outcome<()> {
        if rows::has_branch(transaction, repository.id).await? {
            return Ok(());
        }
        let names = planned
            .iter()
            .filter(|planned_change| planned_change.target.is_some());
        let names: Vec<&str> = names
            .map(|planned_change| planned_change.name.as_str())
            .collect();
        if let Some(branch) = rules::new_default(&names, &repository.default_branch) {
            let now = self.app.clock.now().0;
            rows::set_default_branch(transaction, repository.id, branch, now).await?;
            repository.default_branch = branch.to_owned();
        }
        Ok(())
    }

    /// The pack, if all objects that it refers to exist.
    async fn connected(
        &self,
        grant: &RepositoryGrant,
        pack: ReceivedPack,
    ) -> Outcome<Option<ReceivedPack>> {
        let (reads, id) = (self.app.db.reads(), grant.repository.id);
        match pack.connected(reads, id).await {
            Ok(pack) => Ok(Some(pack)),
            Err(error) if error.is_internal() => Err(internal(error)),
            Err(_) => Ok(None),
        }
    }
}

fn internal(error: PackError) -> Problem {
    match error {
        PackError::Store(error) => error.into(),
        other => Problem::internal(other),
    }
}

fn report(commands: &Commands, unpack: Option<&str>, verdicts: &[CommandOutcome]) -> Vec<u8> {
    if !commands.report {
        return Vec::new();
    }
    let outcomes = commands.commands.iter().zip(verdicts);
    let outcomes = outcomes.map(|(command, verdict)| {
        let reason = verdict.as_ref().err().map(String::as_str);
        (&command.name[..], reason)
    });
    let report = PushReport {
        unpack,
        outcomes: outcomes.collect(),
    };
    let mut out = commands.bands.data(&report.write());
    out.extend(commands.bands.end());
    out
}
