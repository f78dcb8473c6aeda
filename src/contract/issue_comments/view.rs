//! A comment as clients see it. Of the three texts only those are there that the media type
//! asks for.

use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::review_comments::{AuthorAssociation, ReactionRollup};
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url};

/// A comment in the conversation of an issue or a pull request.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct IssueComment {
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    pub url: Url,
    pub html_url: Url,
    /// The issue or pull request that it is on.
    pub issue_url: Url,
    /// The author; null when the account is gone.
    pub user: Nullable<User>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
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
    pub author_association: AuthorAssociation,
    pub reactions: ReactionRollup,
    /// Always null; kept for clients that expect it.
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
