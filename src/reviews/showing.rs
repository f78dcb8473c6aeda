//! The responses with comments.

use std::sync::Arc;

use super::{store, view};
use crate::comments::showing::{Renderings, page};
use crate::contract::media::Media;
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::contract::review_comments::ReviewComment;
use crate::entities::review_comment;
use crate::urls::Urls;

/// A page of comments, with the data for their views.
pub struct CommentPage {
    pub around: Arc<store::CommentRelations>,
    pub full_name: String,
    pub urls: Urls,
    pub media: Media,
    pub rows: Vec<review_comment::Model>,
}

impl CommentPage {
    pub async fn reply(self) -> Outcome<Reply<200, Vec<ReviewComment>>> {
        let bytes = self.rows.iter().map(bytes_of).sum();
        page(bytes, move || self.views()).await
    }

    fn views(&self) -> Outcome<Vec<ReviewComment>> {
        let (urls, media, around) = (&self.urls, self.media, &self.around);
        let mut renderings = Renderings::default();
        let views = self.rows.iter().map(|row| {
            let mut comment = shown(urls, media, &self.full_name, row, around)?;
            renderings.limit([&mut comment.body_html, &mut comment.body_text]);
            Ok(comment)
        });
        views.collect()
    }
}

/// The size of the texts of a comment.
fn bytes_of(row: &review_comment::Model) -> usize {
    row.body.len() + row.body_html.len() + row.body_text.len() + row.diff_hunk.len()
}

pub fn shown(
    urls: &Urls,
    media: Media,
    full_name: &str,
    row: &review_comment::Model,
    around: &store::CommentRelations,
) -> Outcome<ReviewComment> {
    let number = around.numbers.get(&row.pull_id).copied();
    let around = view::ReviewCommentContext {
        full_name,
        pull_number: number.ok_or_else(|| Problem::internal("a comment has no pull request"))?,
        author: around.authors.account(row.author_id),
        association: around.authors.association(row.author_id),
    };
    Ok(view::comment(urls, media, row, around))
}
