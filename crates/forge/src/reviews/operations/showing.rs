//! The responses with reviews.

use migration::aggregates::Kind;

use crate::access::RepositoryGrant;
use crate::review_comments::cached;
use crate::review_comments::pending::as_comment;
use crate::review_comments::rows::{CommentRelations, Referenced};
use crate::review_comments::showing::CommentPage;
use crate::reviews::{Reviews, rows, view};
use crate::urls::Urls;
use crate::views::page::{Renderings, page as page_of};
use contract::call::Call;
use contract::media::Media;
use contract::paging::Page;
use contract::reply::{Outcome, Reply};
use contract::review_comments::ReviewComment;
use contract::reviews::Review;
use storage::entities::review::ReviewState;
use storage::entities::{pull, review};

impl Reviews {
    pub(super) async fn list(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: pull::Model,
        page: Page,
    ) -> Outcome<Reply<200, Vec<Review>>> {
        let reads = self.app.db.reading(&[Kind::PullComments.of(pull.id)]).await;
        let listed = rows::list(reads, pull.id, call.caller.author(), page).await?;
        let link = page.link(call, listed.total);
        let references = referenced(&pull, &listed.rows);
        let relations = cached::relations(&self.app, &grant.repository, &references).await?;
        let bytes = listed.rows.iter().map(bytes_of).sum();
        let (urls, media, full_name) = (Urls::of(call), call.media, grant.full_name());
        let views = move || {
            let mut renderings = Renderings::default();
            let views = listed.rows.iter().map(|row| {
                let mut review = review_view(&urls, media, &full_name, &pull, row, &relations);
                renderings.limit([&mut review.body_html, &mut review.body_text]);
                review
            });
            Ok(views.collect())
        };
        Ok(page_of(bytes, views).await?.link(link))
    }

    /// The comments of a review. Those of a pending review are in a table that is not cached.
    pub(super) async fn list_comments(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        review: &review::Model,
        page: Page,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>> {
        let pending = review.state == ReviewState::Pending;
        let comments = [Kind::PullComments.of(review.pull_id)];
        let reads = self.app.db.reading(&comments).await;
        let drafts = match pending {
            true => rows::pending_comments(reads, review.id).await?,
            false => Vec::new(),
        };
        // A review that was submitted just now has no pending comments any more.
        let (rows, total) = if drafts.is_empty() {
            let listed = rows::comments(reads, review.id, page).await?;
            (listed.rows, listed.total)
        } else {
            let total = drafts.len() as u64;
            let drafts = page.of(&drafts).iter().cloned();
            let rows = drafts
                .map(|row| as_comment(row, review.author_id))
                .collect();
            (rows, total)
        };
        let references = Referenced::by(&rows);
        let comments = CommentPage {
            relations: cached::relations(&self.app, &grant.repository, &references).await?,
            full_name: grant.full_name(),
            urls: Urls::of(call),
            media: call.media,
            rows,
        };
        let reply = comments.reply().await?.link(page.link(call, total));
        Ok(reply.uncacheable_if(pending))
    }

    pub(super) async fn show(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: &pull::Model,
        row: &review::Model,
    ) -> Outcome<Reply<200, Review>> {
        let references = referenced(pull, std::slice::from_ref(row));
        let relations = cached::relations(&self.app, &grant.repository, &references).await?;
        let urls = Urls::of(call);
        let name = grant.full_name();
        Ok(Reply::new(review_view(
            &urls, call.media, &name, pull, row, &relations,
        )))
    }
}

/// The accounts and the pull request that views of reviews refer to.
pub(super) fn referenced(pull: &pull::Model, rows: &[review::Model]) -> Referenced {
    Referenced {
        authors: rows.iter().filter_map(|row| row.author_id).collect(),
        pulls: [pull.id].into(),
    }
}

pub(super) fn review_view(
    urls: &Urls,
    media: Media,
    full_name: &str,
    pull: &pull::Model,
    row: &review::Model,
    relations: &CommentRelations,
) -> Review {
    let relations = view::ReviewRelations {
        full_name,
        pull,
        author: relations.authors.account(row.author_id),
        association: relations.authors.association(row.author_id),
    };
    view::review(urls, media, row, relations)
}

/// The size of the texts of a review.
fn bytes_of(row: &review::Model) -> usize {
    row.body.len() + row.body_html.len() + row.body_text.len()
}
