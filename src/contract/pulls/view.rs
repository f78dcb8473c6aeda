//! A pull request, without its diff and its comments: as webhooks show it, and with
//! what only its own address shows.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::issues::LockReason;
use super::super::labels::Label;
use super::super::lookups::{AutoMerge, Milestone, Team};
use super::super::review_comments::{AuthorAssociation, Hyperlink};
use super::super::shared::repository::NestedRepository;
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url, UrlTemplate};
use super::super::version::ApiVersion;

/// Whether a pull request is open; a merged one is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum PullState {
    Open,
    Closed,
}

/// A branch that a pull request leads from or to.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct PullBranch {
    /// The owner and the branch: `acme:topic`.
    pub label: String,
    /// The name of the branch.
    #[oai(rename = "ref")]
    #[serde(rename = "ref")]
    pub name: String,
    /// The commit that the pull request has there.
    pub sha: String,
    /// The owner of the repository.
    pub user: User,
    pub repo: NestedRepository,
}

/// A link to any one of several resources.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct HyperlinkTemplate {
    pub href: UrlTemplate,
}

/// Where a pull request and its parts are, in the form of links.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct PullLinks {
    #[oai(rename = "self")]
    #[serde(rename = "self")]
    pub itself: Hyperlink,
    pub html: Hyperlink,
    pub issue: Hyperlink,
    pub comments: Hyperlink,
    pub review_comments: Hyperlink,
    pub review_comment: HyperlinkTemplate,
    pub commits: Hyperlink,
    pub statuses: Hyperlink,
}

/// A pull request.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct Pull {
    #[oai(flatten)]
    #[serde(flatten)]
    pub summary: PullSummary,
    #[oai(flatten)]
    #[serde(flatten)]
    pub rendered: RenderedBody,
    /// Whether it was merged.
    pub merged: bool,
    /// Whether it can be merged without a conflict; null unless it is open, and if finding out
    /// takes too long.
    pub mergeable: Nullable<bool>,
    /// Whether its commits can be made again on top of the base, one by one; null as above.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebaseable: Option<Nullable<bool>>,
    /// `clean`, `unstable` if a status or check run of its head does not pass, `dirty` if there is a conflict,
    /// `draft`, or `unknown` where `mergeable` is null.
    pub mergeable_state: String,
    /// Who merged it, if that is known.
    pub merged_by: Nullable<User>,
    /// How many comments its conversation has.
    pub comments: i64,
    /// How many review comments it has.
    pub review_comments: i64,
    /// Whether maintainers may push to its branch, as its author said.
    pub maintainer_can_modify: bool,
    #[oai(flatten)]
    #[serde(flatten)]
    pub size: PullSize,
}

/// A pull request as lists and webhooks show it.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct PullSummary {
    pub url: Url,
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    pub html_url: Url,
    pub diff_url: Url,
    pub patch_url: Url,
    pub issue_url: Url,
    pub commits_url: Url,
    pub review_comments_url: Url,
    pub review_comment_url: UrlTemplate,
    pub comments_url: Url,
    pub statuses_url: Url,
    /// The number in the pull request's address, unique in its repository.
    pub number: i64,
    pub state: PullState,
    /// Whether only collaborators may comment.
    pub locked: bool,
    /// Why only collaborators may comment; null if nothing was said.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_lock_reason: Option<Nullable<LockReason>>,
    /// What the pull request is called.
    pub title: String,
    pub user: User,
    /// What its author says about it.
    pub body: Nullable<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// When it was closed or merged; null while it is open.
    pub closed_at: Nullable<Timestamp>,
    /// When it was merged; null unless it was.
    pub merged_at: Nullable<Timestamp>,
    /// The commit that merged it; null before. Not with version `2026-03-10`.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<Nullable<String>>,
    /// Whether it is a draft, which cannot be merged.
    pub draft: bool,
    /// The first of the assignees. Not with version `2026-03-10`.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<Nullable<User>>,
    /// Who is to take care of it.
    pub assignees: Vec<User>,
    /// Always empty; kept for clients that expect it.
    pub requested_reviewers: Vec<User>,
    /// Always empty; kept for clients that expect it.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_teams: Option<Vec<Team>>,
    /// Where the changes come from.
    pub head: PullBranch,
    /// Where the changes are to go.
    pub base: PullBranch,
    #[oai(rename = "_links")]
    #[serde(rename = "_links")]
    pub links: PullLinks,
    pub author_association: AuthorAssociation,
    /// The labels, by name.
    pub labels: Vec<Label>,
    /// Always null; kept for clients that expect it.
    pub milestone: Nullable<Milestone>,
    /// Always null; kept for clients that expect it.
    pub auto_merge: Nullable<AutoMerge>,
}

/// What its author says about a pull request in the forms that the `Accept` header asks for.
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
pub struct RenderedBody {
    /// `body` without its markup; only for the media types `text` and `full`.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_text: Option<Nullable<String>>,
    /// `body` as HTML; only for the media types `html` and `full`.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_html: Option<Nullable<String>>,
}

/// How much a pull request changes, from where its branches parted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct PullSize {
    /// How many commits it would bring in; of very many, the first 10,000 are counted.
    pub commits: i64,
    /// How many lines it adds, in the first 300 of its files.
    pub additions: i64,
    /// How many lines it removes, in the first 300 of its files.
    pub deletions: i64,
    /// How many files it changes.
    pub changed_files: i64,
}

/// What of a pull request cannot be derived from its repository and number.
#[derive(Debug, Clone)]
pub struct PullCore {
    pub id: i64,
    pub node_id: String,
    pub number: i64,
    pub state: PullState,
    pub locked: bool,
    pub title: String,
    pub body: Option<String>,
    pub author: User,
    pub repository: NestedRepository,
    /// The name of the branch, and the commit there.
    pub head: (String, String),
    /// The name of the branch, and the commit there.
    pub base: (String, String),
    pub author_association: AuthorAssociation,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub merged_at: Option<Timestamp>,
    pub merge_commit_sha: Option<String>,
    pub draft: bool,
}

/// What only the address of a pull request shows.
#[derive(Debug, Clone)]
pub struct PullDetails {
    pub rendered: RenderedBody,
    pub comments: i64,
    pub review_comments: i64,
    pub size: PullSize,
    pub mergeable: Option<bool>,
    pub rebaseable: Option<bool>,
    /// Whether what was reported of its head speaks against merging it.
    pub unstable: bool,
    pub merged_by: Option<User>,
    pub maintainer_can_modify: bool,
}

impl Pull {
    /// The pull request in the form of a version.
    pub fn new(summary: PullSummary, details: PullDetails, version: ApiVersion) -> Self {
        let state = match (details.mergeable, summary.draft) {
            (None, _) => "unknown",
            (Some(false), _) => "dirty",
            (Some(true), true) => "draft",
            (Some(true), false) if details.unstable => "unstable",
            (Some(true), false) => "clean",
        };
        Self {
            merged: summary.merged_at.0.is_some(),
            summary: summary.in_version(version),
            rendered: details.rendered,
            mergeable: details.mergeable.into(),
            rebaseable: Some(details.rebaseable.into()),
            mergeable_state: state.to_owned(),
            merged_by: details.merged_by.into(),
            comments: details.comments,
            review_comments: details.review_comments,
            maintainer_can_modify: details.maintainer_can_modify,
            size: details.size,
        }
    }
}

impl PullSummary {
    /// The pull request in the form of a version.
    #[must_use]
    pub fn in_version(mut self, version: ApiVersion) -> Self {
        if version >= ApiVersion::V2026_03_10 {
            self.merge_commit_sha = None;
            self.assignee = None;
        }
        self
    }

    /// The pull request with every link that hangs on its repository and number.
    /// `web` is the host without the API's prefix.
    pub fn new(web: &str, core: PullCore) -> Self {
        let repository = &core.repository;
        let above = &repository.url.0;
        let number = core.number;
        let url = format!("{above}/pulls/{number}");
        let page = format!("{web}/{}/pull/{number}", repository.full_name);
        let issue = format!("{above}/issues/{number}");
        let statuses = format!("{above}/statuses/{}", core.head.1);
        let comment = format!("{above}/pulls/comments{{/number}}");
        Self {
            links: PullLinks::new(&url, &page, &issue, &statuses, &comment),
            id: core.id,
            node_id: core.node_id,
            diff_url: format!("{page}.diff").into(),
            patch_url: format!("{page}.patch").into(),
            commits_url: format!("{url}/commits").into(),
            review_comments_url: format!("{url}/comments").into(),
            review_comment_url: comment.into(),
            comments_url: format!("{issue}/comments").into(),
            issue_url: issue.into(),
            statuses_url: statuses.into(),
            html_url: page.into(),
            url: url.into(),
            number,
            state: core.state,
            locked: core.locked,
            active_lock_reason: Some(None.into()),
            title: core.title,
            user: core.author,
            body: core.body.into(),
            created_at: core.created_at,
            updated_at: core.updated_at,
            closed_at: core.closed_at.into(),
            merged_at: core.merged_at.into(),
            merge_commit_sha: Some(core.merge_commit_sha.into()),
            draft: core.draft,
            assignee: Some(None.into()),
            assignees: Vec::new(),
            requested_reviewers: Vec::new(),
            requested_teams: Some(Vec::new()),
            head: PullBranch::new(core.head, repository),
            base: PullBranch::new(core.base, repository),
            author_association: core.author_association,
            labels: Vec::new(),
            milestone: None.into(),
            auto_merge: None.into(),
        }
    }
}

impl PullBranch {
    fn new((name, sha): (String, String), repository: &NestedRepository) -> Self {
        Self {
            label: format!("{}:{name}", repository.owner.login),
            name,
            sha,
            user: repository.owner.clone(),
            repo: repository.clone(),
        }
    }
}

impl PullLinks {
    fn new(url: &str, page: &str, issue: &str, statuses: &str, comment: &str) -> Self {
        let link = |href: String| Hyperlink { href: href.into() };
        Self {
            itself: link(url.to_owned()),
            html: link(page.to_owned()),
            issue: link(issue.to_owned()),
            comments: link(format!("{issue}/comments")),
            review_comments: link(format!("{url}/comments")),
            review_comment: HyperlinkTemplate {
                href: comment.to_owned().into(),
            },
            commits: link(format!("{url}/commits")),
            statuses: link(statuses.to_owned()),
        }
    }
}
