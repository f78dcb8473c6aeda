//! The view of a review.

use crate::markup::comment::with_host;
use crate::node_id;
use crate::urls::Urls;
use contract::media::Media;
use contract::review_comments::AuthorAssociation;
use contract::reviews::{Review, ReviewLinks, ReviewState};
use contract::values::{Timestamp, Url};
use storage::entities::account;
use storage::entities::pull;
use storage::entities::review::{self, Model};

/// The data for the view of a review.
#[derive(Debug, Clone, Copy)]
pub struct ReviewRelations<'a> {
    pub full_name: &'a str,
    pub pull: &'a pull::Model,
    pub author: Option<&'a account::Model>,
    pub association: AuthorAssociation,
}

pub fn review(urls: &Urls, media: Media, row: &Model, relations: ReviewRelations<'_>) -> Review {
    let ReviewRelations {
        full_name,
        pull,
        author,
        association,
    } = relations;
    let page = urls.pull_page(full_name, pull.number);
    let html_url = Url(format!("{page}#pullrequestreview-{}", row.id));
    let pull_request_url = Url(urls.pull(full_name, pull.number));
    Review {
        id: row.id,
        node_id: node_id::review(pull.repository_id, row.id),
        user: author.map(|account| urls.user(account)).into(),
        body: media.has_raw().then(|| row.body.clone()),
        body_text: media.has_text().then(|| row.body_text.clone()),
        body_html: media
            .has_html()
            .then(|| with_host(&row.body_html, &urls.web)),
        state: state(row.state),
        links: ReviewLinks::new(&html_url, &pull_request_url),
        html_url,
        pull_request_url,
        author_association: association,
        submitted_at: (row.state != review::ReviewState::Pending)
            .then_some(Timestamp(row.submitted_at)),
        commit_id: Some(row.commit_sha.clone()).into(),
    }
}

fn state(state: review::ReviewState) -> ReviewState {
    match state {
        review::ReviewState::Approved => ReviewState::Approved,
        review::ReviewState::ChangesRequested => ReviewState::ChangesRequested,
        review::ReviewState::Commented => ReviewState::Commented,
        review::ReviewState::Dismissed => ReviewState::Dismissed,
        review::ReviewState::Pending => ReviewState::Pending,
    }
}
