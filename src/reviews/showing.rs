//! Comments on their way out, with what surrounds them.

use std::sync::Arc;

use serde::Serialize;

use super::{store, view};
use crate::contract::media::Media;
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::contract::review_comments::ReviewComment;
use crate::entities::review_comment;
use crate::heavy;
use crate::urls::Urls;

/// Bytes of comments beyond which writing them would hold up other requests.
const WRITTEN_IN_PLACE: usize = 1 << 20;

/// Bytes that the renderings of a page may have.
const MOST_RENDERED: usize = 16 << 20;

/// In place of a rendering beyond that.
const LEFT_OUT: &str = "This page is too large to show every comment rendered.";

/// Comments that are shown together.
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
        page(bytes, move || self.shown()).await
    }

    fn shown(&self) -> Outcome<Vec<ReviewComment>> {
        let (urls, media, around) = (&self.urls, self.media, &self.around);
        let mut renderings = Renderings::default();
        let shown = self.rows.iter().map(|row| {
            let mut comment = shown(urls, media, &self.full_name, row, around)?;
            renderings.limit([&mut comment.body_html, &mut comment.body_text]);
            Ok(comment)
        });
        shown.collect()
    }
}

/// The answer with a page of a list. Much of it is written on a thread that may block.
pub async fn page<T: Serialize + Send + 'static>(
    bytes: usize,
    shown: impl FnOnce() -> Outcome<Vec<T>> + Send + 'static,
) -> Outcome<Reply<200, Vec<T>>> {
    if bytes <= WRITTEN_IN_PLACE {
        return Ok(Reply::new(shown()?));
    }
    let write = move || serde_json::to_vec(&shown()?).map_err(Problem::internal);
    let json = heavy::compute(write).await.map_err(Problem::internal)??;
    Ok(Reply::new(Vec::new()).written(json))
}

/// The renderings of a page have a limit. Those beyond it are left out; each can be had
/// with its comment or review alone.
pub struct Renderings {
    left: usize,
}

impl Default for Renderings {
    fn default() -> Self {
        Self {
            left: MOST_RENDERED,
        }
    }
}

impl Renderings {
    pub fn limit(&mut self, rendered: [&mut Option<String>; 2]) {
        for rendered in rendered.into_iter().flatten() {
            match self.left.checked_sub(rendered.len()) {
                Some(rest) => self.left = rest,
                None => LEFT_OUT.clone_into(rendered),
            }
        }
    }
}

/// The bytes of a comment that grow with what was written.
fn bytes_of(row: &review_comment::Model) -> usize {
    row.body.len() + row.body_html.len() + row.body_text.len() + row.diff_hunk.len()
}

/// One comment.
pub fn shown(
    urls: &Urls,
    media: Media,
    full_name: &str,
    row: &review_comment::Model,
    around: &store::CommentRelations,
) -> Outcome<ReviewComment> {
    let number = around.numbers.get(&row.pull_id).copied();
    let around = view::Around {
        full_name,
        pull_number: number.ok_or_else(|| Problem::internal("a comment has no pull request"))?,
        author: row.author_id.and_then(|id| around.authors.get(&id)),
        association: around.associations.association(row.author_id),
    };
    Ok(view::comment(urls, media, row, around))
}
