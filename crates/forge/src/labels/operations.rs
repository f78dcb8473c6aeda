//! The operations. Each change is one transaction; a change of a label locks the
//! repository, a change of the labels of an issue locks the issue.

use async_trait::async_trait;
use migration::aggregates::Kind;

use super::rows::LabelChanges;
use super::rules::LabelNames;
use super::view::label_view;
use super::{Labels, rows, rules};
use crate::access::RepositoryGrant;
use crate::events::LabelAction;
use crate::issues;
use crate::issues::events::{IssueTransition, queue_issue_events, queue_label_event};
use crate::issues::rows as issue_store;
use crate::repositories::rows::lock_repository;
use crate::urls::Urls;
use contract::body::Body;
use contract::call::Call;
use contract::labels::{CreateLabel, IssueLabels, Label, Operations, UpdateLabel};
use contract::paging::Page;
use contract::problem::Problem;
use contract::reply::{Empty, Outcome, Reply};
use contract::shared::address::RepoAddress;
use storage::database::Transaction;
use storage::entities::{issue, label};

#[async_trait]
impl Operations for Labels {
    async fn list_labels(
        &self,
        call: Call,
        at: RepoAddress,
        page: Page,
    ) -> Outcome<Reply<200, Vec<Label>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let id = grant.repository.id;
        let reads = self.app.db.reading(&[Kind::Labels.of(id)]).await;
        let (rows, total) = rows::page(reads, id, page).await?;
        Ok(Reply::new(show(&call, &grant, &rows)).link(page.link(&call, total)))
    }

    async fn create_label(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateLabel>,
    ) -> Outcome<Reply<201, Label>> {
        let grant = self.app.access.repository(&call, &at).await?;
        grant.writable()?;
        let new = rules::new_label(body.validated()?)?;
        let transaction = self.app.db.begin().await?;
        lock_repository(&transaction, &grant).await?;
        let origin = self.app.origin(&call, &grant);
        let inserted = rows::insert(&transaction, grant.repository.id, new, origin.now).await?;
        let row = inserted.ok_or_else(rules::name_taken)?;
        queue_label_event(&transaction, &origin, LabelAction::Created, &row).await?;
        transaction.commit().await?;
        let label = label_view(&Urls::of(&call), &grant.full_name(), &row);
        let location = label.url.0.clone();
        Ok(Reply::new(label).location(location))
    }

    async fn get_label(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
    ) -> Outcome<Reply<200, Label>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let id = grant.repository.id;
        let reads = self.app.db.reading(&[Kind::Labels.of(id)]).await;
        let row = rows::find_by_name(reads, id, &name).await?;
        let row = row.ok_or(Problem::NotFound)?;
        let label = label_view(&Urls::of(&call), &grant.full_name(), &row);
        Ok(Reply::new(label))
    }

    async fn update_label(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
        body: Body<UpdateLabel>,
    ) -> Outcome<Reply<200, Label>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (transaction, before) = self.lock(&grant, &name).await?;
        grant.writable()?;
        let mut row = before.clone();
        let action = rules::revise(&mut row, body.validated()?)?;
        if row != before {
            let origin = self.app.origin(&call, &grant);
            row.updated_at = origin.now;
            if !rows::save(&transaction, &row).await? {
                return Err(rules::name_taken());
            }
            queue_label_event(&transaction, &origin, action, &row).await?;
            transaction.commit().await?;
        }
        let label = label_view(&Urls::of(&call), &grant.full_name(), &row);
        Ok(Reply::new(label))
    }

    async fn delete_label(&self, call: Call, at: RepoAddress, name: String) -> Outcome<Empty> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (transaction, row) = self.lock(&grant, &name).await?;
        grant.writable()?;
        rows::delete(&transaction, row.id).await?;
        let origin = self.app.origin(&call, &grant);
        queue_label_event(&transaction, &origin, LabelAction::Deleted, &row).await?;
        transaction.commit().await?;
        Ok(Empty)
    }

    async fn list_issue_labels(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        page: Page,
    ) -> Outcome<Reply<200, Vec<Label>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let issue = issues::find(&self.app, &grant, issue_number).await?;
        let aggregates = [
            Kind::Issue.of(issue.id),
            Kind::Labels.of(grant.repository.id),
        ];
        let reads = self.app.db.reading(&aggregates).await;
        let rows = rows::of_issue(reads, issue.id).await?;
        let link = page.link(&call, rows.len() as u64);
        Ok(Reply::new(show(&call, &grant, page.of(&rows))).link(link))
    }

    async fn add_issue_labels(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<IssueLabels>,
    ) -> Outcome<Reply<200, Vec<Label>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let issue = issues::find(&self.app, &grant, issue_number).await?;
        grant.writable()?;
        let names = LabelNames::of(&body.validated()?.labels)?;
        self.give(&call, &grant, &issue, names, false).await
    }

    async fn set_issue_labels(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<IssueLabels>,
    ) -> Outcome<Reply<200, Vec<Label>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let issue = issues::find(&self.app, &grant, issue_number).await?;
        grant.writable()?;
        let names = LabelNames::of(&body.validated()?.labels)?;
        self.give(&call, &grant, &issue, names, true).await
    }

    async fn clear_issue_labels(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
    ) -> Outcome<Empty> {
        let grant = self.app.access.repository(&call, &at).await?;
        let issue = issues::find(&self.app, &grant, issue_number).await?;
        grant.writable()?;
        let nothing = LabelNames::of(&[])?;
        self.give(&call, &grant, &issue, nothing, true).await?;
        Ok(Empty)
    }

    async fn remove_issue_label(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        name: String,
    ) -> Outcome<Reply<200, Vec<Label>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let issue = issues::find(&self.app, &grant, issue_number).await?;
        grant.writable()?;
        let transaction = self.app.db.begin().await?;
        let issue = issues::lock(&transaction, &issue).await?;
        let mut current = rows::of_issue(&transaction, issue.id).await?;
        let key = name.to_lowercase();
        let position = current.iter().position(|label| label.name_key == key);
        let removed = vec![current.remove(position.ok_or_else(rules::not_labeled)?)];
        rows::unlabel_issue(&transaction, &issue, &removed).await?;
        let change = LabelChanges {
            removed,
            ..LabelChanges::default()
        };
        self.finish(&call, &grant, transaction, &issue, change)
            .await?;
        Ok(Reply::new(show(&call, &grant, &current)))
    }
}

impl Labels {
    /// Begins a transaction, locks the labels of the repository, and reads
    /// the one with this name.
    async fn lock(
        &self,
        grant: &RepositoryGrant,
        name: &str,
    ) -> Outcome<(Transaction, label::Model)> {
        let transaction = self.app.db.begin().await?;
        lock_repository(&transaction, grant).await?;
        let row = rows::find_by_name(&transaction, grant.repository.id, name).await?;
        Ok((transaction, row.ok_or(Problem::NotFound)?))
    }

    /// Adds labels to an issue, and returns all its labels.
    async fn give(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        issue: &issue::Model,
        names: LabelNames,
        replace: bool,
    ) -> Outcome<Reply<200, Vec<Label>>> {
        let transaction = self.app.db.begin().await?;
        let issue = issues::lock(&transaction, issue).await?;
        let now = self.app.clock.now().0;
        let change =
            rows::label_issue(&transaction, Some(grant), &issue, names, replace, now).await?;
        let rows = rows::of_issue(&transaction, issue.id).await?;
        self.finish(call, grant, transaction, &issue, change)
            .await?;
        Ok(Reply::new(show(call, grant, &rows)))
    }

    /// Completes a change of the labels of an issue: records it, queues events, and commits.
    async fn finish(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        transaction: Transaction,
        issue: &issue::Model,
        labels: LabelChanges,
    ) -> Outcome<()> {
        if labels.is_empty() {
            return Ok(());
        }
        let origin = self.app.origin(call, grant);
        issue_store::touch(&transaction, issue, origin.now).await?;
        let mut row = issue.clone();
        row.updated_at = row.updated_at.max(origin.now);
        let transition = IssueTransition {
            labels,
            ..IssueTransition::default()
        };
        queue_issue_events(&transaction, &origin, &row, transition).await?;
        Ok(transaction.commit().await?)
    }
}

fn show(call: &Call, grant: &RepositoryGrant, rows: &[label::Model]) -> Vec<Label> {
    let (urls, full_name) = (Urls::of(call), grant.full_name());
    rows.iter()
        .map(|row| label_view(&urls, &full_name, row))
        .collect()
}
