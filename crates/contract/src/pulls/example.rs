//! Example pull requests for the OpenAPI documents.

use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::review_comments::AuthorAssociation;
use super::super::shared::repository::NestedRepository;
use super::super::shared::state::{PullState, RenderedBody};
use super::super::shared::user::User;
use super::super::values::Timestamp;
use super::{Pull, PullCore, PullDetails, PullSize, PullSummary};

impl Example for PullSummary {
    fn example() -> Self {
        let core = PullCore {
            id: 8001,
            node_id: "PR_kwDNB9LNH0E".to_owned(),
            number: 1,
            state: PullState::Open,
            locked: false,
            title: "Use a digit".to_owned(),
            body: None,
            author: User::example(),
            repository: NestedRepository::example(),
            head: (
                "topic".to_owned(),
                "0123456789abcdef0123456789abcdef01234567".to_owned(),
            ),
            base: (
                "main".to_owned(),
                "89abcdef0123456789abcdef0123456789abcdef".to_owned(),
            ),
            author_association: AuthorAssociation::Member,
            created_at: Timestamp(1_773_135_000),
            updated_at: Timestamp(1_773_135_000),
            closed_at: None,
            merged_at: None,
            merge_commit_sha: None,
            draft: false,
        };
        Self::new(EXAMPLE_ORIGIN, core)
    }
}

impl Example for Pull {
    fn example() -> Self {
        let size = PullSize {
            commits: 1,
            additions: 1,
            deletions: 1,
            changed_files: 1,
        };
        let details = PullDetails {
            rendered: RenderedBody::default(),
            comments: 0,
            review_comments: 2,
            size,
            mergeable: Some(true),
            rebaseable: Some(true),
            unstable: false,
            merged_by: None,
            maintainer_can_modify: false,
        };
        Self::new(PullSummary::example(), details)
    }
}
