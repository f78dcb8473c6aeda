//! The representation of a review. The media type selects which of the three texts are present.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::git_refs::EXAMPLE_SHA;
use super::super::review_comments::{AuthorAssociation, Hyperlink};
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url};

/// A review of a pull request.
#[schema(example)]
pub struct Review {
    /// The identifier of the review.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The author of the review. `null` if the account no longer exists.
    pub user: Nullable<User>,
    /// The text of the review, in Markdown. May be empty. Absent with the `text` and `html`
    /// media types.
    pub body: Option<String>,
    /// The text of the review as plain text. Only present with the `text` and `full` media
    /// types.
    pub body_text: Option<String>,
    /// The text of the review as HTML. Only present with the `html` and `full` media types.
    pub body_html: Option<String>,
    pub state: ReviewState,
    /// The URL of the review on the pull request's page.
    pub html_url: Url,
    /// The API URL of the pull request.
    pub pull_request_url: Url,
    pub author_association: AuthorAssociation,
    #[schema(rename = "_links")]
    pub links: ReviewLinks,
    /// When the review was submitted. Absent on a pending review.
    pub submitted_at: Option<Timestamp>,
    /// The SHA of the commit that was reviewed.
    pub commit_id: Nullable<String>,
}

/// The state of a review.
#[schema(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewState {
    Approved,
    ChangesRequested,
    Commented,
    Dismissed,
    /// Not submitted yet.
    Pending,
}

/// Links to a review and its pull request.
#[schema]
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
