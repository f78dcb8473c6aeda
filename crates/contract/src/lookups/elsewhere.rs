//! Resources that GitHub has and this service does not: milestones, issue types, teams and
//! auto-merge. Only their schemas are here, for clients that expect them.

use super::super::shared::state::PullState;
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url, UrlTemplate};
use contract_macros::schema;

/// The milestone of an issue or a pull request.
#[schema]
pub struct Milestone {
    /// The API URL of the milestone.
    pub url: Url,
    /// The identifier of the milestone.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The number of the milestone, unique in its repository.
    pub number: i64,
    /// The title of the milestone.
    pub title: String,
    /// The description of the milestone.
    pub description: Nullable<String>,
    pub state: PullState,
    /// The user who created the milestone.
    pub creator: Nullable<User>,
    /// The number of open issues and pull requests of the milestone.
    pub open_issues: i64,
    /// The number of closed issues and pull requests of the milestone.
    pub closed_issues: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// When the milestone was closed. `null` while it is open.
    pub closed_at: Nullable<Timestamp>,
    /// When the milestone is due. `null` if it has no date.
    pub due_on: Nullable<Timestamp>,
    pub html_url: Url,
    /// The API URL of the labels of the milestone's issues.
    pub labels_url: Url,
}

/// The type of an issue.
#[schema]
pub struct IssueType {
    /// The identifier of the issue type.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The name of the issue type.
    pub name: String,
    /// The description of the issue type.
    pub description: Nullable<String>,
}

/// The auto-merge settings of a pull request.
#[schema]
pub struct AutoMerge {
    pub enabled_by: User,
    /// The merge method: `merge`, `squash` or `rebase`.
    pub merge_method: String,
    /// The first line of the commit message.
    pub commit_title: Nullable<String>,
    /// The commit message after the first line.
    pub commit_message: Nullable<String>,
}

/// A team that is requested to review a pull request.
#[schema]
pub struct Team {
    /// The identifier of the team.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The API URL of the team.
    pub url: Url,
    /// The API URL template of a member of the team.
    pub members_url: UrlTemplate,
    /// The name of the team.
    pub name: String,
    /// The description of the team.
    pub description: Nullable<String>,
    /// The permission of the team on its repositories.
    pub permission: String,
    /// The URL of the team's page.
    pub html_url: Url,
    /// The API URL of the team's repositories.
    pub repositories_url: Url,
    /// The name of the team in URLs.
    pub slug: String,
}
