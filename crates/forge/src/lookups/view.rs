//! Accounts and projects, each at its own address.

use crate::node_id;
use crate::urls::Urls;
use contract::lookups::{
    Organization, OrganizationCore, OrganizationSettings, Project, ProjectState, UserProfile,
    UserProfileCore,
};
use contract::values::Timestamp;
use storage::entities::collaborator::Permission;
use storage::entities::repository::Visibility;
use storage::entities::{account, project};

/// The sayings of `/zen`, an hour each.
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

/// An organization, with its settings if the caller may see them.
pub fn organization(
    urls: &Urls,
    row: &account::Model,
    public_repos: u64,
    sees_settings: bool,
) -> Organization {
    let base = row.base_permission.unwrap_or(Permission::Read);
    let settings = match sees_settings {
        true => OrganizationSettings::new(base.as_str()),
        false => OrganizationSettings::default(),
    };
    let core = OrganizationCore {
        account: urls.user(row),
        name: row.name.clone(),
        public_repos: count(public_repos),
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
        settings,
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

fn count(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}
