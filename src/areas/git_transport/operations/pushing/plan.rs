//! What may be done of a push, and the doing, while its transaction is open.

use std::collections::HashSet;

use super::super::super::rules;
use crate::access::RepositoryGrant;
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::database::Transaction;
use crate::entities::git_ref;
use crate::git::pack::ReceivedPack;
use crate::git::refs::RefName;
use crate::git::store::kind_of;
use crate::git::transport::push::{Commands, RefCommand};
use crate::origin::Origin;
use crate::refs::target::Target;
use crate::refs::workflows::check_workflows;
use crate::refs::{self, RefChange};

/// What becomes of a command: nothing to say, or why it is refused.
pub(super) type Verdict = Result<(), String>;

/// A command that may be carried out.
pub(super) struct Planned {
    /// Its place among the commands.
    place: usize,
    pub(super) name: RefName,
    /// The reference as it is.
    row: Option<git_ref::Model>,
    /// None to delete it.
    pub(super) target: Option<Target>,
}

/// A push while its transaction is open.
pub(super) struct Push<'a> {
    pub(super) grant: &'a RepositoryGrant,
    pub(super) transaction: &'a Transaction,
    pub(super) commands: &'a Commands,
    /// Everything that the pack names is there.
    pub(super) connected: bool,
    pub(super) pack: Option<ReceivedPack>,
    pub(super) verdicts: Vec<Verdict>,
}

impl Push<'_> {
    /// Decides what can be decided before objects are stored.
    pub(super) async fn plan(&mut self, default_branch: &str) -> Outcome<Vec<Planned>> {
        let mut planned = Vec::new();
        let mut names = HashSet::new();
        for (place, command) in self.commands.commands.iter().enumerate() {
            let verdict = match names.insert(&command.name) {
                true => self.plan_one(place, command, default_branch).await?,
                false => Err("multiple updates for ref not allowed".to_owned()),
            };
            match verdict {
                Ok(one) => planned.push(one),
                Err(words) => self.verdicts[place] = Err(words),
            }
        }
        Ok(planned)
    }

    async fn plan_one(
        &self,
        place: usize,
        command: &RefCommand,
        default_branch: &str,
    ) -> Outcome<Result<Planned, String>> {
        let name = match rules::pushed_name(&command.name) {
            Ok(name) => name,
            Err(words) => return Ok(Err(words.to_owned())),
        };
        let id = self.grant.repository.id;
        let row = refs::store::find(self.transaction, id, name.as_str()).await?;
        let at = row.as_ref().map(Target::of).transpose()?;
        if let Err(words) = rules::check_old(command, &name, at.map(|at| at.sha)) {
            return Ok(Err(words));
        }
        let target = self.target(command).await?;
        let checked = match target {
            Some(target) => rules::check_kind(&name, target.sha, target.kind),
            None if command.deletes() => rules::check_deletion(&name, default_branch),
            None => Err("missing necessary objects".to_owned()),
        };
        Ok(checked.map(|()| Planned {
            place,
            name,
            row,
            target,
        }))
    }

    /// The object that a command names; none for a deletion, and if it is not whole.
    async fn target(&self, command: &RefCommand) -> Outcome<Option<Target>> {
        if command.deletes() || !self.connected {
            return Ok(None);
        }
        let sha = command.new;
        let kind = match self.pack.as_ref().and_then(|pack| pack.kind_of(sha)) {
            Some(kind) => Some(kind),
            None => kind_of(self.transaction, self.grant.repository.id, sha).await?,
        };
        Ok(kind.map(|kind| Target { sha, kind }))
    }

    /// Refuses changes of workflow files by a caller who may not change them.
    pub(super) async fn check_workflows(&mut self, planned: &mut Vec<Planned>) -> Outcome<()> {
        let mut allowed = Vec::with_capacity(planned.len());
        for one in planned.drain(..) {
            let old = one.row.as_ref().map(Target::of).transpose()?;
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
        let mut done = Vec::with_capacity(planned.len());
        for one in planned.drain(..) {
            let change = match (&one.row, one.target) {
                (Some(row), Some(target)) => RefChange::Move(row, target),
                (None, Some(target)) => RefChange::Create(&one.name, target),
                (Some(row), None) => RefChange::Delete(row),
                (None, None) => continue,
            };
            let applied = refs::apply(self.transaction, origin, change).await?;
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
    pub(super) fn refused(self) -> Vec<Verdict> {
        let torn = self.commands.atomic && self.verdicts.iter().any(Result::is_err);
        let verdicts = self.verdicts.into_iter().map(|verdict| match verdict {
            Ok(()) if torn => Err("atomic push failure".to_owned()),
            verdict => verdict,
        });
        verdicts.collect()
    }
}
