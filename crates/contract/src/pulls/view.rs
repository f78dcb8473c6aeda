//! A pull request without its diff and comments: the summary in lists and webhooks, and the
//! details of a single pull request.

use super::super::labels::Label;
use super::super::lookups::{AutoMerge, Milestone, Team};
use super::super::review_comments::{AuthorAssociation, Hyperlink};
use super::super::shared::repository::NestedRepository;
use super::super::shared::state::{LockReason, PullState, RenderedBody};
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url, UrlTemplate};
use contract_macros::schema;

/// The head or base branch of a pull request.
#[schema]
pub struct PullBranch {
    /// The owner and the name of the branch: `acme:topic`.
    pub label: String,
    /// The name of the branch.
    #[schema(rename = "ref")]
    pub name: String,
    /// The SHA-1 of the branch's commit in this pull request.
    pub sha: String,
    /// The owner of the repository.
    pub user: User,
    pub repo: NestedRepository,
}

/// A link template (RFC 6570) to one of several resources.
#[schema]
pub struct HyperlinkTemplate {
    /// The URL template.
    pub href: UrlTemplate,
}

/// Links to a pull request and its related resources.
#[schema]
pub struct PullLinks {
    #[schema(rename = "self")]
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
#[schema(example)]
pub struct Pull {
    #[schema(flatten)]
    pub summary: PullSummary,
    #[schema(flatten)]
    pub rendered: RenderedBody,
    /// Whether the pull request has been merged.
    pub merged: bool,
    /// Whether the pull request can be merged without conflicts. `null` if it is not open or if
    /// the check takes too long.
    pub mergeable: Nullable<bool>,
    /// Whether the commits of the pull request can be rebased onto the base branch. `null` if
    /// it is not open or if the check takes too long.
    pub rebaseable: Option<Nullable<bool>>,
    /// The merge state: `clean`, `unstable` (a status or check run of the head does not pass),
    /// `dirty` (there are conflicts), `draft`, or `unknown` (`mergeable` is `null`).
    pub mergeable_state: String,
    /// The user who merged the pull request, if known.
    pub merged_by: Nullable<User>,
    /// The number of comments in the conversation of the pull request.
    pub comments: i64,
    /// The number of review comments on the pull request.
    pub review_comments: i64,
    /// Whether maintainers can push to the head branch.
    pub maintainer_can_modify: bool,
    #[schema(flatten)]
    pub size: PullSize,
}

/// A pull request in lists and webhooks.
#[schema(example)]
pub struct PullSummary {
    /// The API URL of the pull request.
    pub url: Url,
    /// The identifier of the pull request.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The URL of the pull request's page.
    pub html_url: Url,
    /// The URL of the pull request's diff.
    pub diff_url: Url,
    /// The URL of the pull request's patch.
    pub patch_url: Url,
    /// The API URL of the pull request as an issue.
    pub issue_url: Url,
    /// The API URL of the pull request's commits.
    pub commits_url: Url,
    /// The API URL of the pull request's review comments.
    pub review_comments_url: Url,
    /// The API URL template of a review comment.
    pub review_comment_url: UrlTemplate,
    /// The API URL of the comments in the pull request's conversation.
    pub comments_url: Url,
    /// The API URL of the statuses of the head commit.
    pub statuses_url: Url,
    /// The number of the pull request, unique among the issues and pull requests of its
    /// repository.
    pub number: i64,
    pub state: PullState,
    /// Whether the conversation is locked: only callers with write access to the repository
    /// can comment.
    pub locked: bool,
    /// Why the conversation is locked. `null` if no reason was given.
    pub active_lock_reason: Option<Nullable<LockReason>>,
    /// The title of the pull request.
    pub title: String,
    pub user: User,
    /// The description of the pull request, in Markdown.
    pub body: Nullable<String>,
    /// When the pull request was created.
    pub created_at: Timestamp,
    /// When the pull request was last updated.
    pub updated_at: Timestamp,
    /// When the pull request was closed or merged. `null` while it is open.
    pub closed_at: Nullable<Timestamp>,
    /// When the pull request was merged. `null` if it has not been merged.
    pub merged_at: Nullable<Timestamp>,
    /// The SHA-1 of the commit that merged the pull request. `null` if it has not been merged.
    #[schema(unpromised)]
    pub merge_commit_sha: Nullable<String>,
    /// Whether the pull request is a draft. A draft cannot be merged.
    pub draft: bool,
    /// The first of the assignees.
    #[schema(unpromised)]
    pub assignee: Nullable<User>,
    /// The users assigned to the pull request.
    pub assignees: Vec<User>,
    /// Always empty; kept for clients that expect it.
    pub requested_reviewers: Vec<User>,
    /// Always empty; kept for clients that expect it.
    pub requested_teams: Option<Vec<Team>>,
    /// The branch that contains the changes.
    pub head: PullBranch,
    /// The branch to merge the changes into.
    pub base: PullBranch,
    #[schema(rename = "_links")]
    pub links: PullLinks,
    pub author_association: AuthorAssociation,
    /// The labels of the pull request, sorted by name.
    pub labels: Vec<Label>,
    /// Always null; kept for clients that expect it.
    pub milestone: Nullable<Milestone>,
    /// Always null; kept for clients that expect it.
    pub auto_merge: Nullable<AutoMerge>,
}

/// The size of a pull request's changes since the merge base.
#[schema]
#[derive(Copy, PartialEq, Eq)]
pub struct PullSize {
    /// The number of commits in the pull request. At most 10,000 are counted.
    pub commits: i64,
    /// The number of added lines in the first 300 files of the pull request.
    pub additions: i64,
    /// The number of deleted lines in the first 300 files of the pull request.
    pub deletions: i64,
    /// The number of files that the pull request changes.
    pub changed_files: i64,
}

/// The properties of a pull request that cannot be derived from its repository and number.
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
    /// The name of the branch and its commit.
    pub head: (String, String),
    /// The name of the branch and its commit.
    pub base: (String, String),
    pub author_association: AuthorAssociation,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub merged_at: Option<Timestamp>,
    pub merge_commit_sha: Option<String>,
    pub draft: bool,
}

/// The properties that only a single pull request shows.
#[derive(Debug, Clone)]
pub struct PullDetails {
    pub rendered: RenderedBody,
    pub comments: i64,
    pub review_comments: i64,
    pub size: PullSize,
    pub mergeable: Option<bool>,
    pub rebaseable: Option<bool>,
    /// Whether a status or check run of the head does not pass.
    pub unstable: bool,
    pub merged_by: Option<User>,
    pub maintainer_can_modify: bool,
}

impl Pull {
    pub fn new(summary: PullSummary, details: PullDetails) -> Self {
        let state = match (details.mergeable, summary.draft) {
            (None, _) => "unknown",
            (Some(false), _) => "dirty",
            (Some(true), true) => "draft",
            (Some(true), false) if details.unstable => "unstable",
            (Some(true), false) => "clean",
        };
        Self {
            merged: summary.merged_at.0.is_some(),
            summary,
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
    /// The pull request with every URL that derives from its repository and number. `web` is
    /// the base URL of the host, without the API prefix.
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
            merge_commit_sha: core.merge_commit_sha.into(),
            draft: core.draft,
            assignee: None.into(),
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
