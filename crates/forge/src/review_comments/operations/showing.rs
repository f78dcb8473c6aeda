//! The responses with comments.

use migration::aggregates::Kind;

use crate::access::RepositoryGrant;
use crate::comments::pages;
use crate::comments::pages::Scope;
use crate::review_comments::ReviewComments;
use crate::review_comments::showing::{CommentPage, comment_view};
use crate::review_comments::{cached, rows};
use crate::urls::Urls;
use contract::call::Call;
use contract::reply::{Outcome, Reply};
use contract::review_comments::{CommentList, ReviewComment};
use storage::entities::review_comment;

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
            Scope::Subject(id) => Kind::PullComments.of(id),
        };
        let reads = self.app.db.reading(&[comments]).await;
        let listed = pages::list::<review_comment::Entity>(reads, scope, list).await?;
        let link = list.page.link(call, listed.total);
        let references = rows::Referenced::by(&listed.comments);
        let page = CommentPage {
            relations: cached::relations(&self.app, &grant.repository, &references).await?,
            full_name: grant.full_name(),
            urls: Urls::of(call),
            media: call.media,
            rows: listed.comments,
        };
        Ok(page.reply().await?.link(link))
    }

    pub(super) async fn show(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        row: review_comment::Model,
    ) -> Outcome<ReviewComment> {
        let references = rows::Referenced::by(std::slice::from_ref(&row));
        let relations = cached::relations(&self.app, &grant.repository, &references).await?;
        comment_view(
            &Urls::of(call),
            call.media,
            &grant.full_name(),
            &row,
            &relations,
        )
    }
}
