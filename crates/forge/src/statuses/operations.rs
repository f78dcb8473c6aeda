//! The operations: identify, find the commit, create or show.

mod events;

use async_trait::async_trait;
use migration::aggregates::Kind;

use super::Tally;
use super::rules::NewStatus;
use super::{Statuses, rows, rules};
use crate::access::RepositoryGrant;
use crate::accounts::rows::{AccountsById, accounts};
use crate::events::Event;
use crate::git_objects::view::GitObjectView;
use crate::git_refs::revision;
use crate::repositories::rows::lock_repository;
use crate::repositories::view::minimal;
use contract::body::Body;
use contract::call::Call;
use contract::paging::Page;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::shared::address::RepoAddress;
use contract::statuses::{CombinedStatus, CommitStatus, CreateCommitStatus, Operations};
use git::graph;
use storage::entities::{commit_status, git_commit};

#[async_trait]
impl Operations for Statuses {
    async fn create_commit_status(
        &self,
        call: Call,
        at: RepoAddress,
        sha: String,
        body: Body<CreateCommitStatus>,
    ) -> Outcome<Reply<201, CommitStatus>> {
        let grant = self.app.access.repository(&call, &at).await?;
        grant.writable()?;
        let new = NewStatus::of(body.validated()?)?;
        let commit = graph::find(self.app.db.reads(), grant.repository.id, rules::sha(&sha)?);
        let commit = commit.await?.ok_or_else(|| rules::no_commit(&sha))?;
        let status = self.create(&call, &grant, &commit, new).await?;
        let location = status.status.url.0.clone();
        Ok(Reply::new(status).location(location))
    }

    async fn list_commit_statuses_for_ref(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
        page: Page,
    ) -> Outcome<Reply<200, Vec<CommitStatus>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let commit = self.find_commit(&grant, &name).await?;
        let reads = self.app.db.reading(&[Kind::Statuses.of(commit.id)]).await;
        let (rows, total) = rows::list(reads, commit.id, page).await?;
        let statuses = self.show(&call, &grant, &commit, &rows).await?;
        Ok(Reply::new(statuses).link(page.link(&call, total)))
    }

    async fn list_commit_statuses(
        &self,
        call: Call,
        at: RepoAddress,
        sha: String,
        page: Page,
    ) -> Outcome<Reply<200, Vec<CommitStatus>>> {
        self.list_commit_statuses_for_ref(call, at, sha, page).await
    }

    async fn get_combined_status_for_ref(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
        page: Page,
    ) -> Outcome<Reply<200, CombinedStatus>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let commit = self.find_commit(&grant, &name).await?;
        let reads = self.app.db.reading(&[Kind::Statuses.of(commit.id)]).await;
        let tally = Tally::of(reads, commit.id).await?;
        let rows = rows::newest(reads, commit.id, page, tally.total()).await?;
        let statuses = self.show(&call, &grant, &commit, &rows).await?;
        let view = GitObjectView::new(&call, &grant);
        let address = view.commit_link(commit.sha.clone()).url;
        let combined = CombinedStatus {
            state: rules::combined(tally.verdict()),
            statuses: statuses.into_iter().map(|view| view.status).collect(),
            sha: commit.sha,
            total_count: i64::try_from(tally.total()).unwrap_or(i64::MAX),
            repository: minimal(&view.urls, &grant.repository, &grant.owner)?,
            url: format!("{}/status", address.0).into(),
            commit_url: address,
        };
        Ok(Reply::new(combined).link(page.link(&call, tally.total())))
    }
}

impl Statuses {
    /// The commit that a request names.
    async fn find_commit(&self, grant: &RepositoryGrant, name: &str) -> Outcome<git_commit::Model> {
        let id = grant.repository.id;
        let reads = self.app.db.reading(&[Kind::Refs.of(id)]).await;
        let sha = revision::commit(reads, grant, name).await?;
        let sha = sha.ok_or(Problem::NotFound)?;
        let commit = graph::find(reads, id, sha).await?;
        commit.ok_or(Problem::NotFound)
    }

    async fn create(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        commit: &git_commit::Model,
        new: NewStatus,
    ) -> Outcome<CommitStatus> {
        let audience = self.app.audience(&grant.repository).await?;
        let context = self.event_context(call, grant, commit, &audience).await?;
        let origin = self.app.origin(call, grant).before(audience);
        let creator = accounts(&self.app.db, origin.sender.into_iter().collect()).await?;
        let transaction = self.app.db.begin().await?;
        lock_repository(&transaction, grant).await?;
        rules::few_enough(rows::count(&transaction, commit.id, &new.context_key).await?)?;
        let row = new.row(commit.id, origin.sender, origin.now);
        let row = rows::insert(&transaction, row).await?;
        let status = status_view(call, grant, commit, &row, &creator);
        if let Some(context) = context {
            let report = context.of(status.clone());
            crate::events::queue(&transaction, &origin, Event::Status(&report)).await?;
        }
        transaction.commit().await?;
        Ok(status)
    }

    async fn show(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        commit: &git_commit::Model,
        rows: &[commit_status::Model],
    ) -> Outcome<Vec<CommitStatus>> {
        let creators = rows.iter().filter_map(|row| row.creator_id).collect();
        let creators = accounts(&self.app.db, creators).await?;
        let rows = rows.iter();
        Ok(rows
            .map(|row| status_view(call, grant, commit, row, &creators))
            .collect())
    }
}

fn status_view(
    call: &Call,
    grant: &RepositoryGrant,
    commit: &git_commit::Model,
    row: &commit_status::Model,
    creators: &AccountsById,
) -> CommitStatus {
    let creator = row.creator_id.and_then(|id| creators.get(&id));
    GitObjectView::new(call, grant).status(&commit.sha, row, creator)
}
