//! Comments on their way out, with what surrounds them.

use std::sync::Arc;

use migration::aggregates::Kind;

use super::super::pages::{self, Scope};
use super::super::{ReviewComments, store, view};
use crate::access::RepositoryGrant;
use crate::contract::call::Call;
use crate::contract::media::Media;
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::contract::review_comments::{CommentList, ReviewComment};
use crate::entities::review_comment;
use crate::heavy;
use crate::urls::Urls;

/// Bytes of comments beyond which writing them would hold up other requests.
const WRITTEN_IN_PLACE: usize = 1 << 20;

/// Bytes that the renderings of a page may have.
const MOST_RENDERED: usize = 16 << 20;

/// In place of a rendering beyond that.
const LEFT_OUT: &str = "This page is too large to show every comment rendered.";

impl ReviewComments {
    pub(super) async fn list(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        scope: Scope,
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>> {
        let comments = match scope {
            Scope::Repository(id) => Kind::RepositoryComments.of(id),
            Scope::Pull(id) => Kind::PullComments.of(id),
        };
        let reads = self.app.db.reading(&[comments]).await;
        let listed = pages::list(reads, scope, list).await?;
        let link = list.page.link(call, listed.total);
        let named = store::Referenced::by(&listed.comments);
        let page = CommentPage {
            around: self.surroundings(&grant.repository, &named).await?,
            full_name: grant.full_name(),
            urls: Urls::of(call),
            media: call.media,
            rows: listed.comments,
        };
        let bytes: usize = page.rows.iter().map(bytes_of).sum();
        let reply = if bytes > WRITTEN_IN_PLACE {
            let json = heavy::compute(move || page.json()).await;
            Reply::new(Vec::new()).written(json.map_err(Problem::internal)??)
        } else {
            Reply::new(page.shown()?)
        };
        Ok(reply.link(link))
    }

    pub(super) async fn show(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        row: review_comment::Model,
    ) -> Outcome<ReviewComment> {
        let named = store::Referenced::by(std::slice::from_ref(&row));
        let around = self.surroundings(&grant.repository, &named).await?;
        shown(
            &Urls::of(call),
            call.media,
            &grant.full_name(),
            &row,
            &around,
        )
    }
}

/// Comments that are shown together.
struct CommentPage {
    around: Arc<store::Surroundings>,
    full_name: String,
    urls: Urls,
    media: Media,
    rows: Vec<review_comment::Model>,
}

impl CommentPage {
    /// The renderings of a page have a limit. Those beyond it are left out; each can be
    /// had with its comment alone.
    fn shown(&self) -> Outcome<Vec<ReviewComment>> {
        let (urls, media, around) = (&self.urls, self.media, &self.around);
        let mut left = MOST_RENDERED;
        let shown = self.rows.iter().map(|row| {
            let mut comment = shown(urls, media, &self.full_name, row, around)?;
            let rendered = [&mut comment.body_html, &mut comment.body_text];
            for rendered in rendered.into_iter().flatten() {
                match left.checked_sub(rendered.len()) {
                    Some(rest) => left = rest,
                    None => LEFT_OUT.clone_into(rendered),
                }
            }
            Ok(comment)
        });
        shown.collect()
    }

    fn json(&self) -> Outcome<Vec<u8>> {
        serde_json::to_vec(&self.shown()?).map_err(Problem::internal)
    }
}

/// The bytes of a comment that grow with what was written.
fn bytes_of(row: &review_comment::Model) -> usize {
    row.body.len() + row.body_html.len() + row.body_text.len() + row.diff_hunk.len()
}

pub(super) fn shown(
    urls: &Urls,
    media: Media,
    full_name: &str,
    row: &review_comment::Model,
    around: &store::Surroundings,
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
