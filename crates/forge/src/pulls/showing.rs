//! Views of pull requests.

use std::collections::BTreeSet;

use contract::call::Call;
use contract::paging::Length;
use contract::problem::Problem;
use contract::pulls::{Pull, PullDetails, PullList, PullSize, PullSummary};
use contract::reply::{Outcome, Reply};
use git::GitError;
use migration::aggregates::Kind;
use storage::cache::{CacheKind, Key, Weigh};
use storage::database::Database;
use storage::entities::pull;
use storage::heavy;

use super::comparison::BranchHeads;
use super::merging::Mergeability;
use super::size::Size;
use super::view::{PullRelations, pull as summary};
use super::{Pulls, rows, rules};
use crate::access::RepositoryGrant;
use crate::accounts::association::Associations;
use crate::accounts::rows::accounts;
use crate::issues::showing::PullMarks;
use crate::repositories::relations::RepositoryRelations;
use crate::repositories::view as repositories;
use crate::statuses::is_unstable;
use crate::urls::Urls;
use crate::views::markdown::rendered_bodies;
use crate::views::page;

impl Pulls {
    pub(super) async fn list(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        list: &PullList,
    ) -> Outcome<Reply<200, Vec<PullSummary>>> {
        let id = grant.repository.id;
        let pulls = Kind::RepositoryPulls.of(id);
        let now = self.app.clock.now().0;
        let owner = &grant.owner.login;
        let head = list.head.as_deref();
        let head = head.map(|head| rules::branch_of_head(head, owner));
        let (rows, length) = match head {
            // A branch of another repository has none.
            Some(None) => (Vec::new(), Length::Counted(0)),
            head => {
                let reads = self.app.db.reading(&[pulls]).await;
                rows::list(reads, id, list, head.flatten(), now).await?
            }
        };
        let marks = PullMarks::of(&self.app.db, &grant.repository, &rows).await?;
        let views = summaries(&self.app.db, call, grant, &rows, &marks).await?;
        let bytes = rows.iter().filter_map(|row| Some(row.body.as_ref()?.len()));
        let reply = page::reply(bytes.sum(), views).await?;
        Ok(reply.link(list.page.link(call, length)))
    }

    /// A pull request with all details.
    pub(super) async fn show(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: pull::Model,
    ) -> Outcome<Pull> {
        let rows = std::slice::from_ref(&pull);
        let marks = PullMarks::of(&self.app.db, &grant.repository, rows).await?;
        let views = summaries(&self.app.db, call, grant, rows, &marks).await?;
        let Some(summary) = views.into_iter().next() else {
            return Err(Problem::internal("a pull request was not shown"));
        };
        let reads = self.app.db.reads();
        let review_comments = count(rows::count_comments(reads, pull.id).await?);
        let merged_by = match pull.merged_by_id {
            Some(id) => accounts(&self.app.db, [id].into()).await?.remove(&id),
            None => None,
        };
        let merging = self.mergeability(&pull).await?;
        let size = self.size(&pull).await?;
        let bodies = [pull.body.clone()];
        let mut rendered = rendered_bodies(reads, &Urls::of(call), call.media, bodies).await?;
        let details = PullDetails {
            rendered: rendered.pop().unwrap_or_default(),
            comments: marks.comments(pull.id),
            review_comments,
            size: PullSize {
                commits: count(size.commits),
                additions: count(size.additions),
                deletions: count(size.deletions),
                changed_files: count(size.changed_files),
            },
            mergeable: merging.mergeable,
            unstable: self.is_unstable(&pull, merging).await?,
            rebaseable: merging.rebaseable,
            merged_by: merged_by.map(|account| Urls::of(call).user(&account)),
            maintainer_can_modify: pull.maintainer_can_modify,
        };
        Ok(Pull::new(summary, details))
    }

    /// The size of a pull request; zero if its commits are not stored.
    async fn size(&self, pull: &pull::Model) -> Outcome<Size> {
        let branches = BranchHeads::of(self.app.db.reads(), pull).await?;
        let compute = || Size::of(self.app.db.reads(), branches);
        self.derived(CacheKind::PullSize, branches, compute).await
    }

    /// Whether a pull request can be merged, while it is open.
    async fn mergeability(&self, pull: &pull::Model) -> Outcome<Mergeability> {
        if pull.state != pull::PullState::Open {
            return Ok(Mergeability::default());
        }
        let branches = BranchHeads::of(self.app.db.reads(), pull).await?;
        let compute = || Mergeability::of(self.app.db.reads(), branches);
        self.derived(CacheKind::Mergeability, branches, compute)
            .await
    }

    /// Whether a mergeable pull request has a failed or pending status or check.
    async fn is_unstable(&self, pull: &pull::Model, merging: Mergeability) -> Outcome<bool> {
        match merging.mergeable {
            Some(true) => is_unstable(&self.app.db, pull.repository_id, &pull.head_sha).await,
            _ => Ok(false),
        }
    }

    /// A cached value that depends only on two commits.
    async fn derived<T, F>(
        &self,
        kind: CacheKind,
        branches: BranchHeads,
        compute: impl FnOnce() -> F,
    ) -> Outcome<T>
    where
        T: Weigh + Copy + Default + Send + Sync + 'static,
        F: Future<Output = Result<T, GitError>>,
    {
        let key = Key::of(kind)
            .number(branches.repository_id)
            .text(&branches.base.to_string())
            .text(&branches.head.to_string());
        let cache = &self.app.cache;
        if let Some(candidate) = cache.candidate(&key).await
            && let Some(cached) = cache.get(&candidate).await
        {
            return Ok(*cached);
        }
        // Boxed, because it is large and each enclosing future would contain it twice.
        let compute = || heavy::with_own_lines(Box::pin(compute()));
        // The permit comes first: a computation that others wait for must not wait for one.
        match heavy::with_permit(cache.get_or_compute(key, compute)).await {
            Err(GitError::Missing(_)) => Ok(T::default()),
            computed => Ok(*computed?),
        }
    }
}

fn count(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Pull requests of one repository, with their labels, assignees and other issue data.
pub async fn summaries(
    db: &Database,
    call: &Call,
    grant: &RepositoryGrant,
    rows: &[pull::Model],
    marks: &PullMarks,
) -> Outcome<Vec<PullSummary>> {
    let (urls, row) = (Urls::of(call), &grant.repository);
    let authors: BTreeSet<i64> = rows.iter().map(|pull| pull.author_id).collect();
    let associations = Associations::of(db, row, &authors).await?;
    let relations = RepositoryRelations::of(db, std::slice::from_ref(row), None).await?;
    let repository = repositories::nested(&urls, row, &relations)?;
    let accounts = accounts(db, authors).await?;
    let full_name = grant.full_name();
    let summaries = rows.iter().map(|pull| {
        let author = accounts.get(&pull.author_id);
        let author = author.ok_or_else(|| Problem::internal("a pull request has no author"))?;
        let relations = PullRelations {
            author: urls.user(author),
            association: associations.association(Some(author.id)),
            repository: repository.clone(),
        };
        let mut view = summary(&urls, pull, relations);
        marks.add_to(&mut view, &urls, &full_name);
        Ok(view)
    });
    summaries.collect()
}
