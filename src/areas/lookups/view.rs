//! Accounts, projects and pull requests, each at its own address.

use crate::contract::lookups::{
    Organization, OrganizationCore, Project, ProjectState, Pull, PullCore, PullSize, PullState,
    UserProfile, UserProfileCore,
};
use crate::contract::review_comments::AuthorAssociation;
use crate::contract::shared::repository::Repository;
use crate::contract::values::Timestamp;
use crate::entities::repository::Visibility;
use crate::entities::{account, project, pull};
use crate::node_id;
use crate::pulls::size::Size;
use crate::urls::Urls;

/// What is said on `/zen`, an hour each.
const SAYINGS: [&str; 7] = [
    "Say it once, in one place.",
    "A name is the shortest documentation.",
    "Refuse early, and say why.",
    "What cannot be seen looks absent.",
    "The last one to leave keeps the lock.",
    "A clock that can be held can be tested.",
    "Small parts, well fitted.",
];

pub fn saying(now: Timestamp) -> &'static str {
    let hours = usize::try_from(now.0 / 3600).unwrap_or(0);
    SAYINGS[hours % SAYINGS.len()]
}

pub fn user(urls: &Urls, row: &account::Model, public_repos: u64) -> UserProfile {
    UserProfile::new(UserProfileCore {
        account: urls.user(row),
        name: row.name.clone(),
        public_repos: count(public_repos),
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
    })
}

pub fn organization(urls: &Urls, row: &account::Model, public_repos: u64) -> Organization {
    let core = OrganizationCore {
        account: urls.user(row),
        name: row.name.clone(),
        public_repos: count(public_repos),
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
    };
    Organization::new(&urls.api, core)
}

pub fn project(urls: &Urls, row: &project::Model, owner: &account::Model) -> Project {
    Project {
        id: row.id,
        node_id: node_id::project(row.owner_id, row.id),
        owner: urls.user(owner),
        creator: urls.user(owner),
        number: row.number,
        title: row.title.clone(),
        description: None.into(),
        short_description: None.into(),
        public: row.visibility == Visibility::Public,
        state: ProjectState::Open,
        is_template: false,
        url: urls.project(owner, row.number).into(),
        html_url: urls.project_page(owner, row.number).into(),
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
        closed_at: None.into(),
        deleted_at: None.into(),
        deleted_by: None.into(),
    }
}

/// What a pull request is shown with.
#[derive(Debug)]
pub struct AroundPull<'a> {
    pub author: &'a account::Model,
    pub association: AuthorAssociation,
    pub repository: Repository,
    pub review_comments: u64,
    pub size: Size,
}

pub fn pull(urls: &Urls, row: &pull::Model, around: AroundPull<'_>) -> Pull {
    let core = PullCore {
        id: row.id,
        node_id: node_id::pull(row.repository_id, row.id),
        number: row.number,
        state: match row.state {
            pull::State::Open => PullState::Open,
            pull::State::Closed | pull::State::Merged => PullState::Closed,
        },
        locked: row.locked,
        title: row.title.clone(),
        body: row.body.clone(),
        author: urls.user(around.author),
        repository: around.repository,
        head: (row.head_ref.clone(), row.head_sha.clone()),
        base: (row.base_ref.clone(), row.base_sha.clone()),
        review_comments: count(around.review_comments),
        author_association: around.association,
        size: size(around.size),
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
        closed_at: row.closed_at.map(Timestamp),
        merged_at: row.merged_at.map(Timestamp),
    };
    Pull::new(&urls.web, core)
}

fn size(size: Size) -> PullSize {
    PullSize {
        commits: count(size.commits),
        additions: count(size.additions),
        deletions: count(size.deletions),
        changed_files: count(size.changed_files),
    }
}

fn count(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}
