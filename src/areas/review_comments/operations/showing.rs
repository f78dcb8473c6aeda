//! Comments on their way out, with what surrounds them.

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
use crate::urls::Urls;

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
        let shown = self
            .show_all(&Urls::of(call), call.media, grant, &listed.comments)
            .await?;
        Ok(Reply::new(shown).link(list.page.link(call, listed.total)))
    }

    pub(super) async fn show(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        row: review_comment::Model,
    ) -> Outcome<ReviewComment> {
        let shown = self
            .show_all(&Urls::of(call), call.media, grant, &[row])
            .await?;
        let first = shown.into_iter().next();
        first.ok_or_else(|| Problem::internal("a comment is not shown"))
    }

    async fn show_all(
        &self,
        urls: &Urls,
        media: Media,
        grant: &RepositoryGrant,
        rows: &[review_comment::Model],
    ) -> Outcome<Vec<ReviewComment>> {
        let named = store::Named::by(rows);
        let around = self.surroundings(&grant.repository, &named).await?;
        let name = grant.full_name();
        rows.iter()
            .map(|row| shown(urls, media, &name, row, &around))
            .collect()
    }
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
