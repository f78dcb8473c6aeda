//! The view of a pull request.

use crate::node_id;
use crate::urls::Urls;
use contract::pulls::{PullCore, PullSummary};
use contract::review_comments::AuthorAssociation;
use contract::shared::repository::NestedRepository;
use contract::shared::state::PullState;
use contract::shared::user::User;
use contract::values::Timestamp;
use storage::entities::pull;

/// The related data of a pull request.
#[derive(Debug)]
pub struct PullRelations {
    pub author: User,
    pub association: AuthorAssociation,
    pub repository: NestedRepository,
}

/// The pull request as webhooks and its own address show it.
pub fn pull(urls: &Urls, row: &pull::Model, relations: PullRelations) -> PullSummary {
    let core = PullCore {
        id: row.id,
        node_id: node_id::pull(row.repository_id, row.id),
        number: row.number,
        state: match row.state {
            pull::PullState::Open => PullState::Open,
            pull::PullState::Closed | pull::PullState::Merged => PullState::Closed,
        },
        locked: row.locked,
        title: row.title.clone(),
        body: row.body.clone(),
        author: relations.author,
        repository: relations.repository,
        head: (row.head_ref.clone(), row.head_sha.clone()),
        base: (row.base_ref.clone(), row.base_sha.clone()),
        author_association: relations.association,
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
        closed_at: row.closed_at.map(Timestamp),
        merged_at: row.merged_at.map(Timestamp),
        merge_commit_sha: row.merge_commit_sha.clone(),
        draft: row.draft,
    };
    PullSummary::new(&urls.web, core)
}
