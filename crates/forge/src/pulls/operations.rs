//! The operations: identify, check, and delegate to the other files.

mod creation;
mod merging;

use std::sync::Arc;

use async_trait::async_trait;
use migration::aggregates::Kind;

use super::missing::missing;
use super::{Pulls, rows, rules};
use super::{branches, changes, rules as change_rules};
use crate::access::RepositoryGrant;
use crate::urls::Urls;
use contract::body::Body;
use contract::call::Call;
use contract::commits::RepositoryCommit;
use contract::formed::Formed;
use contract::paging::Page;
use contract::problem::Problem;
use contract::pulls::{
    BranchUpdate, CreatePull, MergePull, MergeResult, Operations, Pull, PullList, PullSummary,
    UpdatePull, UpdatePullBranch,
};
use contract::reply::{Empty, Outcome, Reply};
use contract::shared::address::RepoAddress;
use contract::shared::diff_entry::DiffEntry;
use storage::database::Connection;
use storage::entities::collaborator::Permission;
use storage::entities::pull;

#[async_trait]
impl Operations for Pulls {
    async fn list_pulls(
        &self,
        call: Call,
        at: RepoAddress,
        list: PullList,
    ) -> Outcome<Reply<200, Vec<PullSummary>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        self.list(&call, &grant, &list).await
    }

    async fn create_pull(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreatePull>,
    ) -> Outcome<Reply<201, Pull>> {
        let grant = self.app.access.repository(&call, &at).await?;
        grant.writable()?;
        let draft = rules::NewPull::of(body.validated()?, &grant)?;
        let row = self.create(&call, &grant, draft).await?;
        let pull = self.show(&call, &grant, row).await?;
        let location = pull.summary.url.0.clone();
        Ok(Reply::new(pull).location(location))
    }

    async fn get_pull(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
    ) -> Outcome<Formed<Pull>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let pull = self.find(&grant, pull_number).await?;
        if let Some(form) = call.form {
            return Ok(Formed::Other(form, self.text(&pull, form).await?));
        }
        let reply = Reply::new(self.show(&call, &grant, pull).await?);
        Ok(Formed::Json(reply.uncacheable_if(call.media.is_rendered())))
    }

    async fn update_pull(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<UpdatePull>,
    ) -> Outcome<Reply<200, Pull>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let pull = self.find(&grant, pull_number).await?;
        let may_change = |required| {
            let caller = call.caller.author();
            change_rules::may_change(pull.author_id, caller, grant.role, required)
        };
        may_change(Permission::Triage)?;
        grant.writable()?;
        let body = body.validated()?;
        may_change(change_rules::required_role(&body))?;
        let transaction = self.app.db.begin().await?;
        let before = branches::lock(&transaction, &grant, pull.id).await?;
        let origin = self.app.origin(&call, &grant);
        let row = changes::change(&transaction, &origin, &grant, &before, &body).await?;
        transaction.commit().await?;
        Ok(Reply::new(self.show(&call, &grant, row).await?))
    }

    async fn list_pull_files(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        page: Page,
    ) -> Outcome<Reply<200, Vec<DiffEntry>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let pull = self.find(&grant, pull_number).await?;
        self.files(&call, &grant, &pull, page).await
    }

    async fn list_pull_commits(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        page: Page,
    ) -> Outcome<Reply<200, Vec<RepositoryCommit>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let pull = self.find(&grant, pull_number).await?;
        self.commits(&call, &grant, &pull, page).await
    }

    async fn is_pull_merged(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
    ) -> Outcome<Empty> {
        let grant = self.app.access.repository(&call, &at).await?;
        let pull = self.find(&grant, pull_number).await?;
        match pull.state {
            pull::PullState::Merged => Ok(Empty),
            pull::PullState::Open | pull::PullState::Closed => Err(Problem::NotFound),
        }
    }

    async fn merge_pull(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<MergePull>,
    ) -> Outcome<Reply<200, MergeResult>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let pull = self.find(&grant, pull_number).await?;
        grant.writable()?;
        let body = body.validated()?;
        let tip = self.merge(&call, &grant, &pull, body).await?;
        Ok(Reply::new(MergeResult::new(tip.to_string())))
    }

    async fn update_pull_branch(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<UpdatePullBranch>,
    ) -> Outcome<Reply<202, BranchUpdate>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let pull = self.find(&grant, pull_number).await?;
        grant.writable()?;
        let body = body.validated()?;
        self.update_branch(&call, &grant, &pull, body).await?;
        let url = Urls::of(&call).pull(&grant.full_name(), pull.number);
        Ok(Reply::new(BranchUpdate::new(url)))
    }
}

impl Pulls {
    pub(super) async fn find(&self, grant: &RepositoryGrant, number: i64) -> Outcome<pull::Model> {
        let id = grant.repository.id;
        let find = |reads: Arc<Connection>| async move { rows::pull(&reads, id, number).await };
        let aggregates = |pull: &pull::Model| {
            vec![
                Kind::Pull.of(pull.id),
                Kind::PullComments.of(pull.id),
                Kind::Refs.of(pull.repository_id),
            ]
        };
        match self.app.db.resolve(find, aggregates).await? {
            Some(pull) => Ok(pull),
            None => Err(missing(self.app.db.reads(), id, number).await?),
        }
    }
}
