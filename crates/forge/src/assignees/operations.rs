//! The operations. Each change is one transaction that locks the issue.

use async_trait::async_trait;

use super::Assignees;
use super::rows;
use super::rows::AssigneeChanges;
use crate::access::RepositoryGrant;
use crate::issues;
use crate::issues::events::{IssueTransition, queue_issue_events};
use crate::issues::showing::show_one;
use crate::urls::Urls;
use contract::assignees::{IssueAssignees, Operations};
use contract::body::Body;
use contract::call::Call;
use contract::issues::Issue;
use contract::paging::Page;
use contract::problem::Problem;
use contract::reply::{Empty, Outcome, Reply};
use contract::shared::address::RepoAddress;
use contract::shared::user::User;
use storage::database::Transaction;
use storage::entities::issue;

#[async_trait]
impl Operations for Assignees {
    async fn list_assignees(
        &self,
        call: Call,
        at: RepoAddress,
        page: Page,
    ) -> Outcome<Reply<200, Vec<User>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (rows, total) = rows::page(&self.app.db, &grant, page).await?;
        let urls = Urls::of(&call);
        let users = rows.iter().map(|row| urls.user(row)).collect();
        Ok(Reply::new(users).link(page.link(&call, total)))
    }

    async fn check_assignee(
        &self,
        call: Call,
        at: RepoAddress,
        assignee: String,
    ) -> Outcome<Empty> {
        let grant = self.app.access.repository(&call, &at).await?;
        self.check(&grant, assignee).await
    }

    async fn check_issue_assignee(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        assignee: String,
    ) -> Outcome<Empty> {
        let grant = self.app.access.repository(&call, &at).await?;
        issues::find(&self.app, &grant, issue_number).await?;
        self.check(&grant, assignee).await
    }

    async fn add_assignees(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<IssueAssignees>,
    ) -> Outcome<Reply<201, Issue>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let issue = issues::find(&self.app, &grant, issue_number).await?;
        grant.writable()?;
        let logins = body.validated()?.assignees.unwrap_or_default();
        let transaction = self.app.db.begin().await?;
        let issue = issues::lock(&transaction, &issue).await?;
        let users = rows::find_assignable(&transaction, &grant, &logins).await?;
        let change = rows::assign(&transaction, &issue, users, false).await?;
        let issue = self
            .finish(&call, &grant, transaction, issue, change)
            .await?;
        Ok(Reply::new(issue))
    }

    async fn remove_assignees(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<IssueAssignees>,
    ) -> Outcome<Reply<200, Issue>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let issue = issues::find(&self.app, &grant, issue_number).await?;
        grant.writable()?;
        let logins = body.validated()?.assignees.unwrap_or_default();
        let keys: Vec<String> = logins.iter().map(|login| login.to_lowercase()).collect();
        let transaction = self.app.db.begin().await?;
        let issue = issues::lock(&transaction, &issue).await?;
        let mut removed = rows::of_issue(&transaction, issue.id).await?;
        removed.retain(|user| keys.contains(&user.login_key));
        rows::unassign(&transaction, &issue, &removed).await?;
        let change = AssigneeChanges {
            removed,
            ..AssigneeChanges::default()
        };
        let issue = self
            .finish(&call, &grant, transaction, issue, change)
            .await?;
        Ok(Reply::new(issue))
    }
}

impl Assignees {
    async fn check(&self, grant: &RepositoryGrant, login: String) -> Outcome<Empty> {
        let users = rows::find_assignable(self.app.db.reads(), grant, &[login]).await?;
        match users.is_empty() {
            true => Err(Problem::NotFound),
            false => Ok(Empty),
        }
    }

    /// Completes a change of the assignees of an issue: records it, queues events, and commits.
    /// Returns the resulting issue.
    async fn finish(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        transaction: Transaction,
        mut row: issue::Model,
        assignees: AssigneeChanges,
    ) -> Outcome<Issue> {
        if !assignees.is_empty() {
            let origin = self.app.origin(call, grant);
            issues::rows::touch(&transaction, &row, origin.now).await?;
            row.updated_at = row.updated_at.max(origin.now);
            let transition = IssueTransition {
                assignees,
                ..IssueTransition::default()
            };
            queue_issue_events(&transaction, &origin, &row, transition).await?;
            transaction.commit().await?;
        }
        show_one(&self.app, call, grant, &row).await
    }
}
