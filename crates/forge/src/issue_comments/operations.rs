//! The operations. They find the resource and check access; `changes` and `showing`
//! do the rest.

mod changes;
mod showing;

use std::sync::Arc;

use async_trait::async_trait;
use migration::aggregates::Kind;

use super::creation::prepared;
use super::{IssueComments, rows};
use crate::access::RepositoryGrant;
use crate::comments::pages::Scope;
use crate::comments::rules::{may_change, may_comment};
use crate::issues;
use contract::body::Body;
use contract::call::Call;
use contract::issue_comments::{IssueComment, Operations, WriteIssueComment};
use contract::problem::Problem;
use contract::reply::{Empty, Outcome, Reply};
use contract::review_comments::CommentList;
use contract::shared::address::RepoAddress;
use storage::database::Connection;
use storage::entities::{issue, issue_comment};

#[async_trait]
impl Operations for IssueComments {
    async fn list_repo_issue_comments(
        &self,
        call: Call,
        at: RepoAddress,
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<IssueComment>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let scope = Scope::Repository(grant.repository.id);
        self.list(&call, &grant, scope, list).await
    }

    async fn get_issue_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
    ) -> Outcome<Reply<200, IssueComment>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let row = self.find(&call, &grant, comment_id).await?;
        Ok(Reply::new(self.show(&call, &grant, row).await?))
    }

    async fn update_issue_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        body: Body<WriteIssueComment>,
    ) -> Outcome<Reply<200, IssueComment>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let row = self.find(&call, &grant, comment_id).await?;
        may_change(row.author_id, call.caller.author(), grant.role)?;
        grant.writable()?;
        let body = body.validated()?.body;
        let text = prepared(self.app.db.reads(), body).await?;
        let row = self.rewrite(&call, &grant, &row, &text).await?;
        Ok(Reply::new(self.show(&call, &grant, row).await?))
    }

    async fn delete_issue_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
    ) -> Outcome<Empty> {
        let grant = self.app.access.repository(&call, &at).await?;
        let row = self.find(&call, &grant, comment_id).await?;
        may_change(row.author_id, call.caller.author(), grant.role)?;
        grant.writable()?;
        self.delete(&call, &grant, &row).await?;
        Ok(Empty)
    }

    async fn list_issue_comments(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<IssueComment>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let issue = self.issue(&call, &grant, issue_number).await?;
        let scope = Scope::Subject(issue.id);
        self.list(&call, &grant, scope, list).await
    }

    async fn create_issue_comment(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<WriteIssueComment>,
    ) -> Outcome<Reply<201, IssueComment>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let issue = self.issue(&call, &grant, issue_number).await?;
        grant.writable()?;
        may_comment(issue.locked, grant.role)?;
        let body = body.validated()?.body;
        self.create(&call, &grant, issue, body).await
    }
}

impl IssueComments {
    /// The issue or pull request with a number; 410 for an issue if the repository has issues
    /// disabled.
    async fn issue(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        number: i64,
    ) -> Outcome<issue::Model> {
        let issue = issues::find_with_either(&self.app, grant, number).await?;
        check_conversation(call, grant, issue.pull_id.is_some())?;
        match issue.pull_id.is_some() || grant.repository.has_issues {
            true => Ok(issue),
            false => Err(issues::disabled()),
        }
    }

    /// The comment with an id.
    async fn find(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        id: i64,
    ) -> Outcome<issue_comment::Model> {
        let repository = grant.repository.id;
        let find =
            |reads: Arc<Connection>| async move { rows::comment(&reads, repository, id).await };
        let belongs = |row: &issue_comment::Model| vec![Kind::IssueComments.of(row.issue_id)];
        let row = self.app.db.resolve(find, belongs).await?;
        let row = row.ok_or(Problem::NotFound)?;
        if grant.is_partial() {
            let names = rows::names(&self.app.db, std::slice::from_ref(&row)).await?;
            let issue = names.get(&row.issue_id).ok_or(Problem::NotFound)?;
            check_conversation(call, grant, issue.is_pull)?;
        }
        Ok(row)
    }
}

/// The conversation of an issue requires the permission for issues, that of a pull request the
/// one for pull requests. Reading the latter requires either.
fn check_conversation(call: &Call, grant: &RepositoryGrant, is_pull: bool) -> Outcome<()> {
    match is_pull && call.operation.reads_only() {
        true => Ok(()),
        false => grant.check_issue_kind(is_pull),
    }
}
