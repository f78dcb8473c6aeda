//! What may be done of a push, and the doing, while its transaction is open.

use std::collections::{HashMap, HashSet};

use super::super::super::rules;
use crate::access::RepositoryGrant;
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::database::Transaction;
use crate::entities::git_object::ObjectKind;
use crate::entities::git_ref;
use crate::git::Sha;
use crate::git::pack::ReceivedPack;
use crate::git::refs::RefName;
use crate::git::store::{ObjectHeader, heads};
use crate::git::transport::push::{Commands, RefCommand};
use crate::origin::Origin;
use crate::refs::target::RefTarget;
use crate::refs::workflows::check_workflows;
use crate::refs::{self, RefChange};

/// What becomes of a command: nothing to say, or why it is refused.
pub(super) type CommandOutcome = Result<(), String>;

/// A command that may be carried out.
pub(super) struct Planned {
    /// Its place among the commands.
    place: usize,
    pub(super) name: RefName,
    /// The reference as it is.
    row: Option<git_ref::Model>,
    /// None to delete it.
    pub(super) target: Option<RefTarget>,
}

impl Planned {
    /// What it changes; nothing if there is nothing to delete.
    fn change(&self) -> Option<RefChange<'_>> {
        match (&self.row, self.target) {
            (Some(row), Some(target)) => Some(RefChange::Move(row, target)),
            (None, Some(target)) => Some(RefChange::Create(&self.name, target)),
            (Some(row), None) => Some(RefChange::Delete(row)),
            (None, None) => None,
        }
    }
}

/// A push while its transaction is open.
pub(super) struct Push<'a> {
    pub(super) grant: &'a RepositoryGrant,
    pub(super) transaction: &'a Transaction,
    pub(super) commands: &'a Commands,
    /// Everything that the pack names is there.
    pub(super) connected: bool,
    pub(super) pack: Option<ReceivedPack>,
    pub(super) verdicts: Vec<CommandOutcome>,
}

impl Push<'_> {
    /// Decides what can be decided before objects are stored.
    pub(super) async fn plan(&mut self, default_branch: &str) -> Outcome<Vec<Planned>> {
        let mut present = self.present().await?;
        let stored = self.stored_kinds().await?;
        let mut planned = Vec::new();
        let mut names = HashSet::new();
        for (place, command) in self.commands.commands.iter().enumerate() {
            let verdict = match names.insert(&command.name) {
                true => rules::pushed_name(&command.name).map_err(str::to_owned),
                false => Err("multiple updates for ref not allowed".to_owned()),
            };
            let verdict = verdict.and_then(|name| {
                let row = present.remove(name.as_str());
                let target = self.target(command, &stored);
                check(command, &name, row.as_ref(), target, default_branch)?;
                Ok(Planned {
                    place,
                    name,
                    row,
                    target,
                })
            });
            match verdict {
                Ok(one) => planned.push(one),
                Err(words) => self.verdicts[place] = Err(words),
            }
        }
        Ok(planned)
    }

    /// The references that are to be changed, by name.
    async fn present(&self) -> Outcome<HashMap<String, git_ref::Model>> {
        let commands = self.commands.commands.iter();
        let names = commands.filter_map(|command| std::str::from_utf8(&command.name).ok());
        let names: Vec<&str> = names.filter(|name| !name.contains('\0')).collect();
        let id = self.grant.repository.id;
        Ok(refs::store::find_many(self.transaction, id, &names).await?)
    }

    /// The kinds of objects that are named and not in the pack.
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
        self.pack.as_ref().and_then(|pack| pack.kind_of(sha))
    }

    /// The object that a command names; none for a deletion, and if it is not whole.
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

    /// Refuses changes of workflow files by a caller who may not change them.
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
                    self.verdicts[one.place] = Err(rules::no_workflows(&self.grant.caller));
                }
                Err(problem) => return Err(problem),
            }
        }
        *planned = allowed;
        Ok(())
    }

    /// Changes the references, deletions first: a name may make room for another.
    pub(super) async fn apply(
        &mut self,
        origin: &Origin<'_>,
        planned: &mut Vec<Planned>,
    ) -> Outcome<()> {
        planned.sort_by_key(|one| one.target.is_some());
        planned.retain(|one| one.row.is_some() || one.target.is_some());
        let changes: Vec<RefChange<'_>> = planned.iter().filter_map(Planned::change).collect();
        let outcomes = refs::apply_each(self.transaction, origin, &changes).await?;
        let mut done = Vec::with_capacity(planned.len());
        for (one, applied) in planned.drain(..).zip(outcomes) {
            match rules::not_applied(applied) {
                None => done.push(one),
                Some(words) => self.verdicts[one.place] = Err(words.to_owned()),
            }
        }
        *planned = done;
        Ok(())
    }

    /// Whether anything is left to do.
    pub(super) fn goes_on(&self, planned: &[Planned]) -> bool {
        let refused = self.verdicts.iter().any(Result::is_err);
        let given_up = self.commands.atomic && refused;
        !planned.is_empty() && !given_up
    }

    /// The verdicts on a push of which nothing is kept.
    pub(super) fn refused(self) -> Vec<CommandOutcome> {
        let torn = self.commands.atomic && self.verdicts.iter().any(Result::is_err);
        let verdicts = self.verdicts.into_iter().map(|verdict| match verdict {
            Ok(()) if torn => Err("atomic push failure".to_owned()),
            verdict => verdict,
        });
        verdicts.collect()
    }
}

/// Whether a command may be carried out on a reference as it is.
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
