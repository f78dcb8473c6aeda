//! The operations. They find the resource and check access; `changes` and
//! `showing` do the rest.

mod changes;
mod showing;

use std::sync::Arc;

use async_trait::async_trait;
use migration::aggregates::Kind;

use super::cached;
use super::location::prepared;
use super::placement::Placement;
use super::rows::comment_of_pull;
use super::{ReviewComments, rows, rules};
use crate::access::RepositoryGrant;
use crate::comments::pages::Scope;
use crate::comments::rules::{may_change, may_comment};
use contract::body::Body;
use contract::call::Call;
use contract::problem::Problem;
use contract::reply::{Empty, Outcome, Reply};
use contract::review_comments::*;
use contract::shared::address::*;
use storage::database::Connection;
use storage::entities::{pull, review_comment};

#[async_trait]
impl Operations for ReviewComments {
    async fn list_repo_review_comments(
        &self,
        call: Call,
        at: RepoAddress,
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let scope = Scope::Repository(grant.repository.id);
        self.list(&call, &grant, scope, list).await
    }

    async fn get_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
    ) -> Outcome<Reply<200, ReviewComment>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let row = self.find(&grant, comment_id).await?;
        Ok(Reply::new(self.show(&call, &grant, row).await?))
    }

    async fn update_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        body: Body<UpdateReviewComment>,
    ) -> Outcome<Reply<200, ReviewComment>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let row = self.find(&grant, comment_id).await?;
        may_change(row.author_id, call.caller.author(), grant.role)?;
        grant.writable()?;
        let body = body.validated()?.body;
        let text = prepared(self.app.db.reads(), body).await?;
        let row = self.rewrite(&call, &grant, &row, &text).await?;
        Ok(Reply::new(self.show(&call, &grant, row).await?))
    }

    async fn delete_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
    ) -> Outcome<Empty> {
        let grant = self.app.access.repository(&call, &at).await?;
        let row = self.find(&grant, comment_id).await?;
        may_change(row.author_id, call.caller.author(), grant.role)?;
        grant.writable()?;
        self.delete(&call, &grant, &row).await?;
        Ok(Empty)
    }

    async fn list_pull_review_comments(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let pull = self.pull(&grant, pull_number).await?;
        self.list(&call, &grant, Scope::Subject(pull.id), list)
            .await
    }

    async fn create_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<CreateReviewComment>,
    ) -> Outcome<Reply<201, ReviewComment>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let pull = self.pull(&grant, pull_number).await?;
        grant.writable()?;
        may_comment(pull.locked, grant.role)?;
        let body = body.validated()?;
        let placement = Placement::of(&body)?;
        self.create(&call, &grant, pull, placement, body.body).await
    }

    async fn reply_to_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        comment_id: i64,
        body: Body<ReplyToReviewComment>,
    ) -> Outcome<Reply<201, ReviewComment>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let pull = self.pull(&grant, pull_number).await?;
        let reads = self.app.db.reads();
        let root = comment_of_pull(reads, pull.id, comment_id).await?;
        let root = root.ok_or(Problem::NotFound)?;
        grant.writable()?;
        may_comment(pull.locked, grant.role)?;
        rules::may_be_replied_to(root.in_reply_to_id)?;
        let body = body.validated()?.body;
        let placement = Placement::Reply(root.id);
        self.create(&call, &grant, pull, placement, body).await
    }
}

impl ReviewComments {
    async fn pull(&self, grant: &RepositoryGrant, number: i64) -> Outcome<pull::Model> {
        cached::pull(&self.app, grant.repository.id, number).await
    }

    async fn find(&self, grant: &RepositoryGrant, id: i64) -> Outcome<review_comment::Model> {
        let repository = grant.repository.id;
        let find =
            |reads: Arc<Connection>| async move { rows::comment(&reads, repository, id).await };
        let belongs = |row: &review_comment::Model| vec![Kind::PullComments.of(row.pull_id)];
        let row = self.app.db.resolve(find, belongs).await?;
        row.ok_or(Problem::NotFound)
    }
}
