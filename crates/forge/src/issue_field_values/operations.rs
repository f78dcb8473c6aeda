//! The operations. Each change is one transaction that locks the issue.

use async_trait::async_trait;
use migration::aggregates::Kind;

use super::IssueFieldValues;
use super::values;
use super::values::{FieldAccess, Fields, Values};
use crate::access::RepositoryGrant;
use crate::explain;
use crate::issues;
use contract::body::Body;
use contract::call::Call;
use contract::control::journal::Check;
use contract::issue_field_values::{GiveIssueFieldValues, IssueFieldValue, Operations};
use contract::paging::Page;
use contract::problem::Problem;
use contract::reply::{Empty, Outcome, Reply};
use contract::shared::address::RepoAddress;
use storage::entities::issue;

#[async_trait]
impl Operations for IssueFieldValues {
    async fn list_issue_field_values(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        page: Page,
    ) -> Outcome<Reply<200, Vec<IssueFieldValue>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let issue = issues::find(&self.app, &grant, issue_number).await?;
        let field_access = FieldAccess::of(&self.app, &grant).await?;
        let aggregates = [
            Kind::Issue.of(issue.id),
            Kind::IssueFields.of(grant.owner.id),
        ];
        let reads = self.app.db.reading(&aggregates).await;
        let fields = Fields::of(reads, grant.owner.id, field_access).await?;
        let all = fields.views(&values::of_issue(reads, issue.id).await?);
        let link = page.link(&call, all.len() as u64);
        Ok(Reply::new(page.of(&all).to_vec()).link(link))
    }

    async fn add_issue_field_values(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<GiveIssueFieldValues>,
    ) -> Outcome<Reply<200, Vec<IssueFieldValue>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let issue = issues::find(&self.app, &grant, issue_number).await?;
        grant.writable()?;
        self.give(&grant, &issue, validated(body, &grant)?, false)
            .await
    }

    async fn set_issue_field_values(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<GiveIssueFieldValues>,
    ) -> Outcome<Reply<200, Vec<IssueFieldValue>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let issue = issues::find(&self.app, &grant, issue_number).await?;
        grant.writable()?;
        self.give(&grant, &issue, validated(body, &grant)?, true)
            .await
    }

    async fn delete_issue_field_value(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        issue_field_id: i64,
    ) -> Outcome<Empty> {
        let grant = self.app.access.repository(&call, &at).await?;
        let issue = issues::find(&self.app, &grant, issue_number).await?;
        grant.writable()?;
        let field_access = FieldAccess::of(&self.app, &grant).await?;
        let change = |fields: &Fields, mut values: Values| {
            let is_visible = fields.has(issue_field_id);
            let removed = is_visible.then(|| values.remove(&issue_field_id)).flatten();
            removed.map(|_| values).ok_or(Problem::NotFound)
        };
        self.change(&grant, &issue, field_access, change).await?;
        Ok(Empty)
    }
}

/// The body; explains one that names fields as keys, which is no value or an invalid one.
fn validated(
    body: Body<GiveIssueFieldValues>,
    grant: &RepositoryGrant,
) -> Outcome<GiveIssueFieldValues> {
    const KEY: &str = "issue_field_values";
    let advice = || {
        let owner = &grant.owner.login;
        format!(
            "Send {{\"{KEY}\": [{{\"field_id\": ID, \"value\": VALUE}}]}}; GET \
             /orgs/{owner}/issue-fields lists the ids."
        )
    };
    let body = body.validated();
    let body = body.inspect_err(|problem| explain::note_shape(KEY, problem, advice))?;
    if body.issue_field_values.is_none() {
        let sentence = "the body has no such key, so nothing changes";
        explain::note(|| explain::mistake(Check::Operation, KEY, sentence, advice()));
    }
    Ok(body)
}

impl IssueFieldValues {
    /// Sets values of an issue; `replace` also removes those of other fields.
    async fn give(
        &self,
        grant: &RepositoryGrant,
        issue: &issue::Model,
        body: GiveIssueFieldValues,
        replace: bool,
    ) -> Outcome<Reply<200, Vec<IssueFieldValue>>> {
        let field_access = FieldAccess::of(&self.app, grant).await?;
        let change = |fields: &Fields, mut values: Values| {
            let Some(given) = &body.issue_field_values else {
                return Ok(values);
            };
            let given = fields.parse(given)?;
            if replace || given.is_empty() {
                values.retain(|field, _| !fields.has(*field));
            }
            values.extend(given);
            Ok(values)
        };
        Ok(Reply::new(
            self.change(grant, issue, field_access, change).await?,
        ))
    }

    /// Changes the values of an issue, and returns those that the caller sees.
    async fn change(
        &self,
        grant: &RepositoryGrant,
        issue: &issue::Model,
        field_access: FieldAccess,
        change: impl FnOnce(&Fields, Values) -> Outcome<Values> + Send,
    ) -> Outcome<Vec<IssueFieldValue>> {
        let transaction = self.app.db.begin().await?;
        let issue = issues::lock(&transaction, issue).await?;
        let fields = Fields::locked(&transaction, grant.owner.id, field_access).await?;
        let before = values::of_issue(&transaction, issue.id).await?;
        let after = change(&fields, before.clone())?;
        if after != before {
            values::replace(&transaction, issue.id, &before, &after).await?;
            issues::rows::touch(&transaction, &issue, self.app.clock.now().0).await?;
            transaction.commit().await?;
        }
        Ok(fields.views(&after))
    }
}
