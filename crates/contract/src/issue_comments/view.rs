//! The representation of a comment. The media type selects which of the three texts are
//! present.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::review_comments::{AuthorAssociation, ReactionRollup};
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url};

/// A comment on an issue or a pull request.
#[schema(example)]
pub struct IssueComment {
    /// The identifier of the comment.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The API URL of the comment.
    pub url: Url,
    /// The URL of the comment on the issue's page.
    pub html_url: Url,
    /// The API URL of the issue or pull request.
    pub issue_url: Url,
    /// The author of the comment. `null` if the account no longer exists.
    pub user: Nullable<User>,
    /// When the comment was created.
    pub created_at: Timestamp,
    /// When the comment was last updated.
    pub updated_at: Timestamp,
    /// The text of the comment, in Markdown. Absent with the `text` and `html` media types.
    pub body: Option<String>,
    /// The text of the comment as plain text. Only present with the `text` and `full` media
    /// types.
    pub body_text: Option<String>,
    /// The text of the comment as HTML. Only present with the `html` and `full` media types.
    pub body_html: Option<String>,
    #[schema(unpromised)]
    pub author_association: AuthorAssociation,
    #[schema(unpromised)]
    pub reactions: ReactionRollup,
    /// Always null; kept for clients that expect it.
    #[schema(unpromised)]
    pub performed_via_github_app: Nullable<String>,
}

impl Example for IssueComment {
    fn example() -> Self {
        let repo = format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets");
        let url = format!("{repo}/issues/comments/9501");
        let page = format!("{EXAMPLE_ORIGIN}/acme/gadgets/issues/2");
        let moment = Timestamp(1_773_135_000);
        Self {
            id: 9501,
            node_id: "IC_kwDNB9LNJR0".to_owned(),
            html_url: format!("{page}#issuecomment-9501").into(),
            issue_url: format!("{repo}/issues/2").into(),
            reactions: ReactionRollup::none(format!("{url}/reactions")),
            url: url.into(),
            user: Some(User::example()).into(),
            created_at: moment,
            updated_at: moment,
            body: Some("Does it still squeak when it is **warm**?".to_owned()),
            body_text: None,
            body_html: None,
            author_association: AuthorAssociation::Member,
            performed_via_github_app: None.into(),
        }
    }
}
