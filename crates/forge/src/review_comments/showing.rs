//! The responses with comments.

use std::sync::Arc;

use super::{rows, view};
use crate::urls::Urls;
use crate::views::page::{Renderings, page};
use contract::media::Media;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::review_comments::ReviewComment;
use storage::entities::review_comment;

/// A page of comments, with the data for their views.
pub struct CommentPage {
    pub relations: Arc<rows::CommentRelations>,
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
        let (urls, media, relations) = (&self.urls, self.media, &self.relations);
        let mut renderings = Renderings::default();
        let views = self.rows.iter().map(|row| {
            let mut comment = comment_view(urls, media, &self.full_name, row, relations)?;
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

pub fn comment_view(
    urls: &Urls,
    media: Media,
    full_name: &str,
    row: &review_comment::Model,
    relations: &rows::CommentRelations,
) -> Outcome<ReviewComment> {
    let number = relations.numbers.get(&row.pull_id).copied();
    let relations = view::ReviewCommentContext {
        full_name,
        pull_number: number.ok_or_else(|| Problem::internal("a comment has no pull request"))?,
        author: relations.authors.account(row.author_id),
        association: relations.authors.association(row.author_id),
    };
    Ok(view::comment(urls, media, row, relations))
}
