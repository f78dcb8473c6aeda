//! A review as clients see it. Of the three texts only those are there that the media type
//! asks for.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::git_refs::EXAMPLE_SHA;
use super::super::review_comments::{AuthorAssociation, Hyperlink};
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url};

/// A review of a pull request.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct Review {
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The author; null when the account is gone.
    pub user: Nullable<User>,
    /// The text as it was written, in Markdown; may be empty. Absent with the `text` and `html`
    /// media types.
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
    pub state: ReviewState,
    pub html_url: Url,
    pub pull_request_url: Url,
    pub author_association: AuthorAssociation,
    #[oai(rename = "_links")]
    #[serde(rename = "_links")]
    pub links: ReviewLinks,
    /// When the review was submitted. Absent on a pending review.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted_at: Option<Timestamp>,
    /// The SHA of the commit that was reviewed.
    pub commit_id: Nullable<String>,
}

/// What a review says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewState {
    Approved,
    ChangesRequested,
    Commented,
    Dismissed,
    /// Not submitted yet.
    Pending,
}

/// Where a review and its pull request can be found.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct ReviewLinks {
    pub html: Hyperlink,
    pub pull_request: Hyperlink,
}

impl ReviewLinks {
    pub fn new(html: &Url, pull_request: &Url) -> Self {
        let to = |url: &Url| Hyperlink { href: url.clone() };
        Self {
            html: to(html),
            pull_request: to(pull_request),
        }
    }
}

impl Example for Review {
    fn example() -> Self {
        let html_url = Url(format!(
            "{EXAMPLE_ORIGIN}/acme/gadgets/pull/1#pullrequestreview-8001"
        ));
        let pull_request_url = Url(format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets/pulls/1"));
        Self {
            id: 8001,
            node_id: "PRR_kwDNB9LNH0E".to_owned(),
            user: Some(User::example()).into(),
            body: Some("Nearly there.".to_owned()),
            body_text: None,
            body_html: None,
            state: ReviewState::ChangesRequested,
            links: ReviewLinks::new(&html_url, &pull_request_url),
            html_url,
            pull_request_url,
            author_association: AuthorAssociation::Member,
            submitted_at: Some(Timestamp(1_773_135_000)),
            commit_id: Some(EXAMPLE_SHA.to_owned()).into(),
        }
    }
}
