//! The parts of a status event besides the status itself. They are loaded before it is written,
//! because the write blocks other writers.

use crate::access::RepositoryGrant;
use crate::events::{Audience, EventName, StatusReport};
use crate::git_objects::view::GitObjectView;
use crate::git_refs;
use crate::statuses::Statuses;
use contract::call::Call;
use contract::commits::RepositoryCommit;
use contract::commits::ShortBranch;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::statuses::CommitStatus;
use git::Sha;
use git::ancestry::is_ancestor;
use git::refs::{NameRange, branch_of};
use storage::entities::git_commit;
use storage::heavy;

/// Branches of an event, as on GitHub.
const MOST_BRANCHES: usize = 10;

/// Branches that are checked to find them.
const MOST_LOOKED_AT: u64 = 32;

/// The commit of a status event, and its branches.
pub(super) struct StatusContext {
    commit: RepositoryCommit,
    branches: Vec<ShortBranch>,
}

impl StatusContext {
    /// The report with a status.
    pub fn of(self, status: CommitStatus) -> StatusReport {
        StatusReport {
            status,
            commit: self.commit,
            branches: self.branches,
        }
    }
}

impl Statuses {
    /// None if no app subscribes to statuses.
    pub(super) async fn event_context(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        commit: &git_commit::Model,
        audience: &Audience,
    ) -> Outcome<Option<StatusContext>> {
        if !audience.has_subscriber(EventName::Status) {
            return Ok(None);
        }
        let sha = Sha::stored(&commit.sha)?;
        let view = GitObjectView::new(call, grant);
        let mut views = view.commits(&self.app.db, &[sha]).await?;
        let commit = views.commits.pop().ok_or(Problem::NotFound)?;
        let branches = heavy::with_permit(self.branches(&view, sha)).await?;
        Ok(Some(StatusContext { commit, branches }))
    }

    /// Branches that contain a commit, among the first in byte order.
    async fn branches(&self, view: &GitObjectView, sha: Sha) -> Outcome<Vec<ShortBranch>> {
        let (reads, id) = (self.app.db.reads(), view.repository_id);
        let all = NameRange::branches();
        let rows =
            git_refs::rows::list(reads, id, &all.from, &all.until, Some(MOST_LOOKED_AT)).await?;
        let mut branches = Vec::new();
        for (name, tip, _) in rows {
            if branches.len() < MOST_BRANCHES
                && is_ancestor(reads, id, sha, Sha::stored(&tip)?).await?
            {
                let name = branch_of(&name).unwrap_or(&name);
                branches.push(view.short_branch(name, tip));
            }
        }
        Ok(branches)
    }
}
