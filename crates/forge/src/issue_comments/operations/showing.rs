//! The responses with comments.

use std::collections::HashMap;

use migration::aggregates::Kind;

use crate::access::RepositoryGrant;
use crate::comments::authors::Authors;
use crate::comments::pages;
use crate::comments::pages::Scope;
use crate::issue_comments::view;
use crate::issue_comments::view::IssueCommentRelations;
use crate::issue_comments::{IssueComments, rows};
use crate::issues::showing::IssueName;
use crate::urls::Urls;
use crate::views::page::{Renderings, page};
use contract::call::Call;
use contract::issue_comments::IssueComment;
use contract::media::Media;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::review_comments::CommentList;
use storage::entities::issue_comment;

/// The data for views of comments.
pub(super) struct CommentContext<'a> {
    pub urls: &'a Urls,
    pub media: Media,
    pub full_name: &'a str,
    pub authors: &'a Authors,
    pub issues: &'a HashMap<i64, IssueName>,
}

pub(super) fn comment_view(
    context: &CommentContext<'_>,
    row: &issue_comment::Model,
) -> Outcome<IssueComment> {
    let issue = context.issues.get(&row.issue_id).copied();
    let relations = IssueCommentRelations {
        full_name: context.full_name,
        issue: issue.ok_or_else(|| Problem::internal("a comment has no issue"))?,
        author: context.authors.account(row.author_id),
        association: context.authors.association(row.author_id),
    };
    Ok(view::comment(context.urls, context.media, row, relations))
}

impl IssueComments {
    pub(super) async fn list(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        scope: Scope,
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<IssueComment>>> {
        let aggregate = match scope {
            Scope::Repository(id) => Kind::RepositoryIssueComments.of(id),
            Scope::Subject(id) => Kind::IssueComments.of(id),
        };
        let reads = self.app.db.reading(&[aggregate]).await;
        let listed = pages::list::<issue_comment::Entity>(reads, scope, list).await?;
        let link = list.page.link(call, listed.total);
        let rows = listed.comments;
        let authors = rows.iter().filter_map(|row| row.author_id).collect();
        let authors = Authors::cached(&self.app, &grant.repository, &authors).await?;
        let issues = rows::names(&self.app.db, &rows).await?;
        let bytes = rows.iter().map(bytes_of).sum();
        let (urls, media, full_name) = (Urls::of(call), call.media, grant.full_name());
        let views = move || {
            let context = CommentContext {
                urls: &urls,
                media,
                full_name: &full_name,
                authors: &authors,
                issues: &issues,
            };
            let mut renderings = Renderings::default();
            let views = rows.iter().map(|row| {
                let mut comment = comment_view(&context, row)?;
                renderings.limit([&mut comment.body_html, &mut comment.body_text]);
                Ok(comment)
            });
            views.collect()
        };
        Ok(page(bytes, views).await?.link(link))
    }

    pub(super) async fn show(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        row: issue_comment::Model,
    ) -> Outcome<IssueComment> {
        let rows = std::slice::from_ref(&row);
        let authors = row.author_id.into_iter().collect();
        let context = CommentContext {
            urls: &Urls::of(call),
            media: call.media,
            full_name: &grant.full_name(),
            authors: &*Authors::cached(&self.app, &grant.repository, &authors).await?,
            issues: &rows::names(&self.app.db, rows).await?,
        };
        comment_view(&context, &row)
    }
}

/// The size of the texts of a comment.
fn bytes_of(row: &issue_comment::Model) -> usize {
    row.body.len() + row.body_html.len() + row.body_text.len()
}
