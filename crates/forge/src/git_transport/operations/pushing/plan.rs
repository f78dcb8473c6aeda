//! Plans and applies a push while its transaction is open.

use std::collections::{HashMap, HashSet};

use crate::access::RepositoryGrant;
use crate::events::Origin;
use crate::git_transport::rules;
use crate::pushes;
use crate::pushes::RefChange;
use crate::pushes::workflows::check_workflows;
use contract::problem::Problem;
use contract::reply::Outcome;
use git::Sha;
use git::pack::ReceivedPack;
use git::refs::RefName;
use git::store::{ObjectHeader, heads};
use git::target::RefTarget;
use git::transport::push::{Commands, RefCommand};
use git::uploads::GitUpload;
use storage::database::Transaction;
use storage::entities::git_object::ObjectKind;
use storage::entities::git_ref;

/// The outcome of a command: success, or why it was rejected.
pub(super) type CommandOutcome = Result<(), String>;

/// An allowed command.
pub(super) struct Planned {
    /// Its index among the commands.
    index: usize,
    pub(super) name: RefName,
    /// The current reference.
    row: Option<git_ref::Model>,
    /// None to delete it.
    pub(super) target: Option<RefTarget>,
}

impl Planned {
    /// Its change; None if there is nothing to delete.
    fn change(&self) -> Option<RefChange<'_>> {
        match (&self.row, self.target) {
            (Some(row), Some(target)) => Some(RefChange::Move(row, target)),
            (None, Some(target)) => Some(RefChange::Create(&self.name, target)),
            (Some(row), None) => Some(RefChange::Delete(row)),
            (None, None) => None,
        }
    }
}

/// The objects of a push.
pub(super) enum PushedObjects {
    /// Those to be stored, if any.
    Pack(Option<Box<ReceivedPack>>),
    /// Those that are stored, but not visible yet.
    Upload(GitUpload),
}

impl PushedObjects {
    pub(super) fn take_pack(&mut self) -> Option<ReceivedPack> {
        match self {
            Self::Pack(pack) => pack.take().map(|pack| *pack),
            Self::Upload(_) => None,
        }
    }

    fn pack(&self) -> Option<&ReceivedPack> {
        match self {
            Self::Pack(pack) => pack.as_deref(),
            Self::Upload(_) => None,
        }
    }
}

/// A push while its transaction is open.
pub(super) struct Push<'a> {
    pub(super) grant: &'a RepositoryGrant,
    pub(super) transaction: &'a Transaction,
    commands: &'a Commands,
    /// Whether all objects that the pack refers to exist.
    connected: bool,
    pub(super) objects: PushedObjects,
    pub(super) verdicts: Vec<CommandOutcome>,
}

impl<'a> Push<'a> {
    pub(super) fn new(
        grant: &'a RepositoryGrant,
        transaction: &'a Transaction,
        commands: &'a Commands,
        connected: bool,
        objects: PushedObjects,
    ) -> Self {
        Self {
            grant,
            transaction,
            commands,
            connected,
            objects,
            verdicts: vec![Ok(()); commands.commands.len()],
        }
    }

    /// Makes all checks that are possible before objects are stored.
    pub(super) async fn plan(&mut self, default_branch: &str) -> Outcome<Vec<Planned>> {
        let mut existing = self.existing().await?;
        let stored = self.stored_kinds().await?;
        let mut planned = Vec::new();
        let mut names = HashSet::new();
        for (index, command) in self.commands.commands.iter().enumerate() {
            let verdict = match names.insert(&command.name) {
                true => rules::pushed_name(&command.name).map_err(str::to_owned),
                false => Err("multiple updates for ref not allowed".to_owned()),
            };
            let verdict = verdict.and_then(|name| {
                let row = existing.remove(name.as_str());
                let target = self.target(command, &stored);
                check(command, &name, row.as_ref(), target, default_branch)?;
                Ok(Planned {
                    index,
                    name,
                    row,
                    target,
                })
            });
            match verdict {
                Ok(command) => planned.push(command),
                Err(reason) => self.verdicts[index] = Err(reason),
            }
        }
        Ok(planned)
    }

    /// The existing references among those to change, by name.
    async fn existing(&self) -> Outcome<HashMap<String, git_ref::Model>> {
        let commands = self.commands.commands.iter();
        let names = commands.filter_map(|command| std::str::from_utf8(&command.name).ok());
        let names: Vec<&str> = names.filter(|name| !name.contains('\0')).collect();
        let id = self.grant.repository.id;
        Ok(crate::git_refs::rows::find_many(self.transaction, id, &names).await?)
    }

    /// The kinds of objects that the commands name and the pack does not have.
    async fn stored_kinds(&self) -> Outcome<HashMap<Sha, ObjectHeader>> {
        let commands = self.commands.commands.iter();
        let absent = commands.filter(|command| !command.deletes() && self.connected);
        let absent = absent.map(|command| command.new);
        let mut absent: Vec<Sha> = absent.filter(|sha| self.in_pack(*sha).is_none()).collect();
        absent.sort_unstable();
        absent.dedup();
        Ok(heads(self.transaction, self.grant.repository.id, &absent).await?)
    }

    fn in_pack(&self, sha: Sha) -> Option<ObjectKind> {
        self.objects.pack().and_then(|pack| pack.kind_of(sha))
    }

    /// The object that a command names; None for a deletion, or if it is incomplete.
    fn target(
        &self,
        command: &RefCommand,
        stored: &HashMap<Sha, ObjectHeader>,
    ) -> Option<RefTarget> {
        if command.deletes() || !self.connected {
            return None;
        }
        let sha = command.new;
        let stored = || stored.get(&sha).map(|head| head.kind);
        let kind = self.in_pack(sha).or_else(stored)?;
        Some(RefTarget { sha, kind })
    }

    /// Rejects changes of workflow files by a caller without the permission.
    pub(super) async fn check_workflows(&mut self, planned: &mut Vec<Planned>) -> Outcome<()> {
        let mut allowed = Vec::with_capacity(planned.len());
        for one in planned.drain(..) {
            let old = one.row.as_ref().map(RefTarget::of).transpose()?;
            let checked = match one.target {
                Some(new) => check_workflows(self.transaction, self.grant, old, new).await,
                None => Ok(()),
            };
            match checked {
                Ok(()) => allowed.push(one),
                Err(Problem::Forbidden(_)) => {
                    self.verdicts[one.index] = Err(rules::no_workflows(&self.grant.caller));
                }
                Err(problem) => return Err(problem),
            }
        }
        *planned = allowed;
        Ok(())
    }

    /// Changes the references, deletions first: a deletion may free a conflicting name.
    pub(super) async fn apply(
        &mut self,
        origin: &Origin<'_>,
        planned: &mut Vec<Planned>,
    ) -> Outcome<()> {
        planned.sort_by_key(|one| one.target.is_some());
        planned.retain(|one| one.row.is_some() || one.target.is_some());
        let changes: Vec<RefChange<'_>> = planned.iter().filter_map(Planned::change).collect();
        let outcomes = pushes::apply_each(self.transaction, origin, &changes).await?;
        let mut applied_commands = Vec::with_capacity(planned.len());
        for (one, applied) in planned.drain(..).zip(outcomes) {
            match rules::not_applied(applied) {
                None => applied_commands.push(one),
                Some(reason) => self.verdicts[one.index] = Err(reason.to_owned()),
            }
        }
        *planned = applied_commands;
        Ok(())
    }

    /// Whether there is anything left to apply.
    pub(super) fn has_work(&self, planned: &[Planned]) -> bool {
        let any_rejected = self.verdicts.iter().any(Result::is_err);
        let aborted = self.commands.atomic && any_rejected;
        !planned.is_empty() && !aborted
    }

    /// The outcomes of a push that is rolled back.
    pub(super) fn rolled_back(self) -> Vec<CommandOutcome> {
        let atomic_failure = self.commands.atomic && self.verdicts.iter().any(Result::is_err);
        let verdicts = self.verdicts.into_iter().map(|verdict| match verdict {
            Ok(()) if atomic_failure => Err("atomic push failure".to_owned()),
            verdict => verdict,
        });
        verdicts.collect()
    }
}

/// Whether a command is allowed on the current reference.
fn check(
    command: &RefCommand,
    name: &RefName,
    row: Option<&git_ref::Model>,
    target: Option<RefTarget>,
    default_branch: &str,
) -> CommandOutcome {
    let at = row.map(RefTarget::of).transpose();
    let at = at.map_err(|error| error.to_string())?;
    rules::check_old(command, name, at.map(|at| at.sha))?;
    match target {
        Some(target) => rules::check_kind(name, target.sha, target.kind),
        None if command.deletes() => rules::check_deletion(name, default_branch),
        None => Err("missing necessary objects".to_owned()),
    }
}
