//! The view of a comment.

use crate::markup::comment::with_host;
use crate::node_id;
use crate::pulls::anchor::Spot;
use crate::reactions;
use crate::urls::Urls;
use contract::media::Media;
use contract::review_comments::{self, AuthorAssociation, ReviewComment, ReviewCommentLinks};
use contract::values::{Timestamp, Url};
use storage::entities::account;
use storage::entities::review_comment::{Model, Side, SubjectType};

/// The data for the view of a comment.
#[derive(Debug, Clone, Copy)]
pub struct ReviewCommentContext<'a> {
    pub full_name: &'a str,
    pub pull_number: i64,
    pub author: Option<&'a account::Model>,
    pub association: AuthorAssociation,
}

pub fn comment(
    urls: &Urls,
    media: Media,
    row: &Model,
    relations: ReviewCommentContext<'_>,
) -> ReviewComment {
    let ReviewCommentContext {
        full_name,
        pull_number,
        author,
        association,
    } = relations;
    let url = Url(urls.review_comment(full_name, row.id));
    let page = urls.pull_page(full_name, pull_number);
    let html_url = Url(format!("{page}#discussion_r{}", row.id));
    let pull_request_url = Url(urls.pull(full_name, pull_number));
    ReviewComment {
        links: ReviewCommentLinks::new(&url, &html_url, &pull_request_url),
        reactions: reactions::rollup(row.reactions.as_deref(), format!("{}/reactions", url.0)),
        url,
        html_url,
        pull_request_url,
        pull_request_review_id: Some(row.review_id).into(),
        id: row.id,
        node_id: node_id::review_comment(row.repository_id, row.id),
        diff_hunk: row.diff_hunk.clone(),
        path: row.path.clone(),
        commit_id: row.commit_sha.clone(),
        original_commit_id: row.original_commit_sha.clone(),
        user: author.map(|account| urls.user(account)).into(),
        body: media.has_raw().then(|| row.body.clone()),
        body_text: media.has_text().then(|| row.body_text.clone()),
        body_html: media
            .has_html()
            .then(|| with_host(&row.body_html, &urls.web)),
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
        author_association: association,
        start_line: row.start_line.into(),
        original_start_line: row.original_start_line.into(),
        start_side: row.start_side.map(side).into(),
        line: row.line.into(),
        original_line: row.original_line.unwrap_or(Spot::OF_FILE.line),
        side: row.side.map_or(review_comments::Side::Right, side),
        in_reply_to_id: row.in_reply_to_id,
        original_position: row.original_position.unwrap_or(Spot::OF_FILE.position),
        position: row.position.into(),
        subject_type: match row.subject_type {
            SubjectType::Line => review_comments::SubjectType::Line,
            SubjectType::File => review_comments::SubjectType::File,
        },
    }
}

fn side(side: Side) -> review_comments::Side {
    match side {
        Side::Left => review_comments::Side::Left,
        Side::Right => review_comments::Side::Right,
    }
}
