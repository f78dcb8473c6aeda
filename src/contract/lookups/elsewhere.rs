//! What a pull request has elsewhere and never here: a milestone, teams that
//! review it, a merge that waits. Only the shapes are here, for clients that expect them.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use super::super::shared::user::User;
use super::super::values::{Nullable, Url, UrlTemplate};

/// A milestone that a pull request belongs to.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct Milestone {
    pub url: Url,
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The number in the milestone's address, unique in its repository.
    pub number: i64,
    /// What the milestone is called.
    pub title: String,
}

/// A merge that happens once a pull request is ready.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct AutoMerge {
    pub enabled_by: User,
    /// `merge`, `squash` or `rebase`.
    pub merge_method: String,
    /// The first line of the commit.
    pub commit_title: Nullable<String>,
    /// The rest of the commit's message.
    pub commit_message: Nullable<String>,
}

/// A team that is asked to review a pull request.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct Team {
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    pub url: Url,
    pub members_url: UrlTemplate,
    pub name: String,
    pub description: Nullable<String>,
    /// What the team may do in its repositories.
    pub permission: String,
    pub html_url: Url,
    pub repositories_url: Url,
    /// The name in the form that addresses have.
    pub slug: String,
}
