//! A push: one transaction for its objects, the references that may change, and all that
//! follows from them. Objects are in nobody's sight before it commits.

mod plan;
mod upload;

use sea_orm::DbErr;
use tokio::io::AsyncRead;

use super::super::{rules, store};
use super::{GitTransport, unreadable};
use crate::access::RepositoryGrant;
use crate::contract::call::Call;
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::database::Transaction;
use crate::entities::repository;
use crate::git::pack::{self, PackError, PackLimits, ReceivedPack};
use crate::git::transport::push::{Commands, PushReport, RefCommand};
use crate::origin::Origin;
use crate::refs;
use plan::{CommandOutcome, Planned, Push};

/// How often a push tries to begin its transaction, each time for as long as any request.
const ATTEMPTS: usize = 24;

impl GitTransport {
    pub(super) async fn push(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        mut upload: impl AsyncRead + Unpin + Send,
    ) -> Outcome<Vec<u8>> {
        let lines = upload::lines(&mut upload).await?;
        let commands = Commands::parse(&lines).map_err(unreadable)?;
        if commands.commands.is_empty() {
            return Ok(Vec::new());
        }
        let received = match commands.commands.iter().all(RefCommand::deletes) {
            true => Ok(None),
            false => self.receive(grant, upload).await?.map(Some),
        };
        let (unpack, verdicts) = match received {
            Ok(pack) => (None, self.change(call, grant, &commands, pack).await?),
            Err(words) => {
                let refused = commands
                    .commands
                    .iter()
                    .map(|_| Err("unpacker error".to_owned()));
                (Some(words), refused.collect())
            }
        };
        Ok(report(&commands, unpack.as_deref(), &verdicts))
    }

    /// Receives and checks the pack; the words for one that is refused.
    async fn receive(
        &self,
        grant: &RepositoryGrant,
        upload: impl AsyncRead + Unpin + Send,
    ) -> Outcome<Result<ReceivedPack, String>> {
        let (reads, id) = (self.app.db.reads(), grant.repository.id);
        match pack::receive(upload, PackLimits::default(), reads, id).await {
            Ok(pack) => Ok(Ok(pack)),
            Err(PackError::Input(error)) => Err(upload::unread(&error)),
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
        let connected = self.is_connected(grant, pack.as_ref()).await?;
        let transaction = self.begin().await?;
        let repository = refs::lock(&transaction, grant).await?;
        if repository.archived {
            return Err(rules::archived());
        }
        let mut push = Push {
            grant,
            transaction: &transaction,
            commands,
            connected,
            pack: pack.filter(|_| connected),
            verdicts: vec![Ok(()); commands.commands.len()],
        };
        if !self.carry_out(call, &mut push, repository).await? {
            return Ok(push.refused());
        }
        let verdicts = push.verdicts;
        transaction.commit().await?;
        self.app.outbox.wake();
        Ok(verdicts)
    }

    /// Begins the transaction. Another push may take long to store its objects, and the
    /// client of this one has sent all of its own.
    async fn begin(&self) -> Outcome<Transaction> {
        let mut left = ATTEMPTS;
        loop {
            left -= 1;
            match self.app.db.begin().await {
                Err(DbErr::ConnectionAcquire(_)) if left > 0 => {}
                begun => return Ok(begun?),
            }
        }
    }

    /// Writes whatever may be written, and returns whether it is to be kept.
    async fn carry_out(
        &self,
        call: &Call,
        push: &mut Push<'_>,
        mut repository: repository::Model,
    ) -> Outcome<bool> {
        let mut planned = push.plan(&repository.default_branch).await?;
        if !push.goes_on(&planned) {
            return Ok(false);
        }
        if let Some(pack) = push.pack.take() {
            let stored = pack.store(push.transaction, repository.id).await;
            stored.map_err(internal)?;
        }
        push.check_workflows(&mut planned).await?;
        if !push.goes_on(&planned) {
            return Ok(false);
        }
        self.choose_default(push.transaction, &mut repository, &planned)
            .await?;
        let origin = Origin {
            repository: &repository,
            ..Origin::of(&self.app, call, push.grant)
        };
        push.apply(&origin, &mut planned).await?;
        Ok(push.goes_on(&planned))
    }

    /// Gives a repository without branches the default branch that is pushed.
    async fn choose_default(
        &self,
        transaction: &Transaction,
        repository: &mut repository::Model,
        planned: &[Planned],
    ) -> Outcome<()> {
        if store::has_branch(transaction, repository.id).await? {
            return Ok(());
        }
        let names = planned.iter().filter(|one| one.target.is_some());
        let names: Vec<&str> = names.map(|one| one.name.as_str()).collect();
        if let Some(branch) = rules::new_default(&names, &repository.default_branch) {
            let now = self.app.clock.now().0;
            store::set_default_branch(transaction, repository.id, branch, now).await?;
            repository.default_branch = branch.to_owned();
        }
        Ok(())
    }

    /// Whether everything that the pack names is there.
    async fn is_connected(
        &self,
        grant: &RepositoryGrant,
        pack: Option<&ReceivedPack>,
    ) -> Outcome<bool> {
        let Some(pack) = pack else { return Ok(true) };
        let (reads, id) = (self.app.db.reads(), grant.repository.id);
        match pack.check_connectivity(reads, id).await {
            Ok(()) => Ok(true),
            Err(error) if error.is_internal() => Err(internal(error)),
            Err(_) => Ok(false),
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
        let words = verdict.as_ref().err().map(String::as_str);
        (&command.name[..], words)
    });
    let report = PushReport {
        unpack,
        outcomes: outcomes.collect(),
    };
    let mut out = commands.bands.data(&report.write());
    out.extend(commands.bands.end());
    out
}
