//! The representation of a comment. `line` and its relatives are null once the comment is
//! outdated, while `original_line` and its relatives are kept. The media type selects which of
//! the three texts are present.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::git_refs::EXAMPLE_SHA;
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url};

/// A comment on a part of a pull request's diff.
#[schema(example)]
pub struct ReviewComment {
    /// The API URL of the comment.
    pub url: Url,
    /// The identifier of the review that the comment belongs to.
    pub pull_request_review_id: Nullable<i64>,
    /// The identifier of the comment.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The hunk of the diff, from its header to the line that the comment refers to. Empty
    /// for a comment on a file.
    pub diff_hunk: String,
    /// The path of the file, relative to the root of the repository.
    pub path: String,
    /// The SHA of the commit that the comment currently refers to.
    pub commit_id: String,
    /// The SHA of the commit that the comment was created on.
    pub original_commit_id: String,
    /// The author of the comment. `null` if the account no longer exists.
    pub user: Nullable<User>,
    /// The text of the comment, in Markdown. Absent with the `text` and `html` media types.
    pub body: Option<String>,
    /// The text of the comment as plain text. Only present with the `text` and `full` media
    /// types.
    pub body_text: Option<String>,
    /// The text of the comment as HTML. Only present with the `html` and `full` media
    /// types.
    pub body_html: Option<String>,
    /// When the comment was created.
    pub created_at: Timestamp,
    /// When the comment was last updated.
    pub updated_at: Timestamp,
    /// The URL of the comment on the pull request's page.
    pub html_url: Url,
    /// The API URL of the pull request.
    pub pull_request_url: Url,
    pub author_association: AuthorAssociation,
    #[schema(rename = "_links")]
    pub links: ReviewCommentLinks,
    #[schema(unpromised)]
    pub reactions: ReactionRollup,
    /// The first line of a multi-line comment. `null` if the comment is outdated or not a
    /// multi-line comment.
    #[schema(unpromised)]
    pub start_line: Nullable<i64>,
    /// The first line of a multi-line comment when it was created. `null` for other
    /// comments.
    #[schema(unpromised)]
    pub original_start_line: Nullable<i64>,
    /// The side of the diff that the first line of a multi-line comment is on. `null` for
    /// other comments.
    #[schema(unpromised)]
    pub start_side: Nullable<Side>,
    /// The line of the file that the comment refers to. For a multi-line comment, the last
    /// line. `null` if the comment is outdated.
    #[schema(unpromised)]
    pub line: Nullable<i64>,
    /// The line of the file that the comment referred to when it was created. For a
    /// multi-line comment, the last line.
    #[schema(unpromised)]
    pub original_line: i64,
    #[schema(unpromised)]
    pub side: Side,
    /// The identifier of the first comment of the thread. Only present on replies.
    pub in_reply_to_id: Option<i64>,
    /// The position in the diff when the comment was created. Deprecated: use
    /// `original_line`.
    #[schema(unpromised)]
    pub original_position: i64,
    /// The position in the diff. `null` if the comment is outdated. Deprecated: use `line`.
    #[schema(unpromised)]
    pub position: Nullable<i64>,
    #[schema(unpromised)]
    pub subject_type: SubjectType,
}

/// A side of the diff: `LEFT` for deletions, `RIGHT` for additions and unchanged lines.
#[schema(rename_all = "UPPERCASE")]
pub enum Side {
    Left,
    Right,
}

/// Whether a comment is on a line or on a whole file.
#[schema(rename_all = "lowercase")]
pub enum SubjectType {
    Line,
    File,
}

/// How the author is associated with the repository.
#[schema(rename_all = "SCREAMING_SNAKE_CASE")]
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

/// Links to a review comment and its pull request.
#[schema]
pub struct ReviewCommentLinks {
    #[schema(rename = "self")]
    pub itself: Hyperlink,
    pub html: Hyperlink,
    pub pull_request: Hyperlink,
}

/// A link to a resource.
#[schema]
pub struct Hyperlink {
    pub href: Url,
}

/// The number of reactions, by content. The properties `+1` and `-1` are also present. They
/// are not listed here, because most languages cannot use them as names.
#[schema(rename = "Reactions")]
pub struct ReactionRollup {
    /// The API URL of the reactions.
    pub url: Url,
    /// The total number of reactions.
    pub total_count: i64,
    #[schema(unlisted, rename = "+1")]
    pub plus_one: i64,
    #[schema(unlisted, rename = "-1")]
    pub minus_one: i64,
    pub laugh: i64,
    pub hooray: i64,
    pub confused: i64,
    pub heart: i64,
    pub rocket: i64,
    pub eyes: i64,
}

impl ReactionRollup {
    /// No reactions. `url` is the API URL of the reactions.
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
