//! Views of statuses.

use crate::git_objects::view::GitObjectView;
use crate::node_id;
use contract::statuses::{CommitStatus, SimpleCommitStatus, StatusState};
use contract::values::Timestamp;
use storage::entities::account;
use storage::entities::commit_status::{CommitStatusState, Model};

impl GitObjectView {
    /// A status of the commit with this SHA-1.
    pub fn status(&self, sha: &str, row: &Model, creator: Option<&account::Model>) -> CommitStatus {
        let creator = creator.map(|account| self.urls.user(account));
        let picture = creator.as_ref().map(|user| user.avatar_url.clone());
        CommitStatus {
            status: SimpleCommitStatus {
                url: self.urls.below(&self.full_name, "statuses", sha).into(),
                avatar_url: picture.into(),
                id: row.id,
                node_id: node_id::commit_status(self.repository_id, row.id),
                state: state(row.state),
                description: row.description.clone().into(),
                target_url: row.target_url.clone().into(),
                context: row.context.clone(),
                created_at: Timestamp(row.created_at),
                updated_at: Timestamp(row.created_at),
            },
            creator: creator.into(),
        }
    }
}

fn state(state: CommitStatusState) -> StatusState {
    match state {
        CommitStatusState::Error => StatusState::Error,
        CommitStatusState::Failure => StatusState::Failure,
        CommitStatusState::Pending => StatusState::Pending,
        CommitStatusState::Success => StatusState::Success,
    }
}
