//! A comment as clients see it. `line` and its kin are null once the comment is
//! outdated, while `original_line` and its kin stay. Of the three texts only
//! those are there that the media type asks for.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::git_refs::EXAMPLE_SHA;
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url};

/// A comment on a part of the diff of a pull request.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct ReviewComment {
    pub url: Url,
    /// The review that the comment belongs to.
    pub pull_request_review_id: Nullable<i64>,
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The diff from the header of the hunk down to the line; empty for a comment on a file.
    pub diff_hunk: String,
    /// The file, relative to the root of the repository.
    pub path: String,
    /// The SHA of the commit that the comment now stands on.
    pub commit_id: String,
    /// The SHA of the commit that the comment was made on.
    pub original_commit_id: String,
    /// The author; null when the account is gone.
    pub user: Nullable<User>,
    /// The text as it was written, in Markdown. Absent with the `text` and `html` media types.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The text without markup. Only with the `text` and `full` media types.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_text: Option<String>,
    /// The text as HTML. Only with the `html` and `full` media types.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_html: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub html_url: Url,
    pub pull_request_url: Url,
    pub author_association: AuthorAssociation,
    #[oai(rename = "_links")]
    #[serde(rename = "_links")]
    pub links: ReviewCommentLinks,
    pub reactions: ReactionRollup,
    /// The first line of a comment on several lines; null when outdated.
    pub start_line: Nullable<i64>,
    /// The first line of a comment on several lines, when it was made.
    pub original_start_line: Nullable<i64>,
    /// The side of the first line of a comment on several lines.
    pub start_side: Nullable<Side>,
    /// The line, or the last one of several; null when outdated.
    pub line: Nullable<i64>,
    /// The line, or the last one of several, when the comment was made.
    pub original_line: i64,
    pub side: Side,
    /// The first comment of the thread. Only on replies.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to_id: Option<i64>,
    /// The place in the diff, when the comment was made. Closing down: use `original_line`.
    pub original_position: i64,
    /// The place in the diff; null when outdated. Closing down: use `line`.
    pub position: Nullable<i64>,
    pub subject_type: SubjectType,
}

/// A side of the diff: `LEFT` for deletions, `RIGHT` for additions and unchanged lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
pub enum Side {
    Left,
    Right,
}

/// What a comment is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum SubjectType {
    Line,
    File,
}

/// What the author has to do with the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AuthorAssociation {
    Collaborator,
    Contributor,
    FirstTimer,
    FirstTimeContributor,
    Mannequin,
    Member,
    None,
    Owner,
}

/// Where a comment and what it belongs to can be found.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct ReviewCommentLinks {
    #[oai(rename = "self")]
    #[serde(rename = "self")]
    pub itself: Hyperlink,
    pub html: Hyperlink,
    pub pull_request: Hyperlink,
}

/// A link to another resource.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct Hyperlink {
    pub href: Url,
}

/// How often each reaction was given. The keys `+1` and `-1` say how many approve and how many
/// disapprove; they are not listed, because few languages can name them.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(rename = "Reactions")]
pub struct ReactionRollup {
    pub url: Url,
    pub total_count: i64,
    #[oai(rename = "+1")]
    #[serde(rename = "+1")]
    pub plus_one: i64,
    #[oai(rename = "-1")]
    #[serde(rename = "-1")]
    pub minus_one: i64,
    pub laugh: i64,
    pub hooray: i64,
    pub confused: i64,
    pub heart: i64,
    pub rocket: i64,
    pub eyes: i64,
}

impl ReactionRollup {
    /// No reactions, to be found at `url`.
    pub fn none(url: String) -> Self {
        Self {
            url: url.into(),
            total_count: 0,
            plus_one: 0,
            minus_one: 0,
            laugh: 0,
            hooray: 0,
            confused: 0,
            heart: 0,
            rocket: 0,
            eyes: 0,
        }
    }
}

impl ReviewCommentLinks {
    pub fn new(itself: &Url, html: &Url, pull_request: &Url) -> Self {
        let to = |url: &Url| Hyperlink { href: url.clone() };
        Self {
            itself: to(itself),
            html: to(html),
            pull_request: to(pull_request),
        }
    }
}

impl Example for ReviewComment {
    fn example() -> Self {
        let repo = format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets");
        let url = Url(format!("{repo}/pulls/comments/9001"));
        let html_url = Url(format!(
            "{EXAMPLE_ORIGIN}/acme/gadgets/pull/1#discussion_r9001"
        ));
        let pull_request_url = Url(format!("{repo}/pulls/1"));
        let moment = Timestamp(1_773_135_000);
        Self {
            links: ReviewCommentLinks::new(&url, &html_url, &pull_request_url),
            reactions: ReactionRollup::none(format!("{}/reactions", url.0)),
            url,
            html_url,
            pull_request_url,
            pull_request_review_id: Some(8001).into(),
            id: 9001,
            node_id: "PRRC_kwDNB9LNIyk".to_owned(),
            diff_hunk: "@@ -1,3 +1,3 @@\n one\n-two\n+2".to_owned(),
            path: "README.md".to_owned(),
            commit_id: EXAMPLE_SHA.to_owned(),
            original_commit_id: EXAMPLE_SHA.to_owned(),
            user: Some(User::example()).into(),
            body: Some("Why **2**?".to_owned()),
            body_text: None,
            body_html: None,
            created_at: moment,
            updated_at: moment,
            author_association: AuthorAssociation::Member,
            start_line: None.into(),
            original_start_line: None.into(),
            start_side: None.into(),
            line: Some(2).into(),
            original_line: 2,
            side: Side::Right,
            in_reply_to_id: None,
            original_position: 3,
            position: Some(3).into(),
            subject_type: SubjectType::Line,
        }
    }
}
