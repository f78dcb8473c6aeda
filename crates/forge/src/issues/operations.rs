//! The operations: identify, check, and delegate to the other files.

mod changes;
mod creation;
mod showing;

use async_trait::async_trait;

use super::showing::show_one;
use super::{Issues, rules};
use crate::pulls::rules as pull_rules;
use contract::body::Body;
use contract::call::Call;
use contract::issues::{CreateIssue, Issue, IssueList, LockIssue, Operations, UpdateIssue};
use contract::reply::{Empty, Outcome, Reply};
use contract::shared::address::RepoAddress;

#[async_trait]
impl Operations for Issues {
    async fn list_issues(
        &self,
        call: Call,
        at: RepoAddress,
        list: IssueList,
    ) -> Outcome<Reply<200, Vec<Issue>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        self.list(&call, &grant, &list).await
    }

    async fn create_issue(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateIssue>,
    ) -> Outcome<Reply<201, Issue>> {
        let grant = self.app.access.repository(&call, &at).await?;
        if !grant.repository.has_issues {
            return Err(super::disabled());
        }
        grant.writable()?;
        let new = rules::NewIssue::of(body.validated()?, grant.role)?;
        let row = self.create(&call, &grant, new).await?;
        let issue = show_one(&self.app, &call, &grant, &row).await?;
        let location = issue.url.0.clone();
        Ok(Reply::new(issue).location(location))
    }

    async fn get_issue(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
    ) -> Outcome<Reply<200, Issue>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let row = super::find(&self.app, &grant, issue_number).await?;
        let issue = show_one(&self.app, &call, &grant, &row).await?;
        Ok(Reply::new(issue).uncacheable_if(call.media.is_rendered()))
    }

    async fn update_issue(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<UpdateIssue>,
    ) -> Outcome<Reply<200, Issue>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let row = super::find(&self.app, &grant, issue_number).await?;
        rules::may_change(row.author_id, call.caller.author(), grant.role)?;
        grant.writable()?;
        let revision = rules::IssueUpdate::of(body.validated()?, grant.role)?;
        if row.pull_id.is_some() {
            let required = pull_rules::required_role(&revision.of_pull());
            let caller = call.caller.author();
            pull_rules::may_change(row.author_id, caller, grant.role, required)?;
        }
        let row = self.update(&call, &grant, &row, revision).await?;
        Ok(Reply::new(show_one(&self.app, &call, &grant, &row).await?))
    }

    async fn lock_issue(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<LockIssue>,
    ) -> Outcome<Empty> {
        let grant = self.app.access.repository(&call, &at).await?;
        let row = super::find(&self.app, &grant, issue_number).await?;
        grant.writable()?;
        let reason = body.validated()?.lock_reason.map(rules::lock_reason);
        self.lock(&call, &grant, &row, Some(reason)).await?;
        Ok(Empty)
    }

    async fn unlock_issue(&self, call: Call, at: RepoAddress, issue_number: i64) -> Outcome<Empty> {
        let grant = self.app.access.repository(&call, &at).await?;
        let row = super::find(&self.app, &grant, issue_number).await?;
        grant.writable()?;
        self.lock(&call, &grant, &row, None).await?;
        Ok(Empty)
    }
}
