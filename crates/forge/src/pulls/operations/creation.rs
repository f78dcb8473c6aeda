//! Creates pull requests.

use sea_orm::ActiveModelTrait;
use sea_orm::ActiveValue::NotSet;

use crate::access::RepositoryGrant;
use crate::events::{self, Event, PullAction};
use crate::issues;
use crate::pulls::bases::is_taken;
use crate::pulls::branches::{BranchRelation, branch};
use crate::pulls::rules::NewPull;
use crate::pulls::{Pulls, rules};
use crate::repositories::rows::lock_repository;
use contract::call::Call;
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::database::Connection;
use storage::entities::{git_ref, pull};
use storage::limits::LimitedContent;

impl Pulls {
    /// Slow checks run before the transaction, which blocks other writers; if a branch moved
    /// meanwhile, they run again within it.
    pub(super) async fn create(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        new: NewPull,
    ) -> Outcome<pull::Model> {
        let author = call.caller.must_have_author()?;
        let (now, reads) = (self.app.clock.now(), self.app.db.reads());
        let checked_heads = check_branches(reads, grant, &new, None).await?;
        let limits = &self.app.content_limits;
        let stored = limits
            .stored(reads, LimitedContent::Issues, author, now)
            .await?;
        let transaction = self.app.db.begin().await?;
        lock_repository(&transaction, grant).await?;
        let (base, head) = check_branches(&transaction, grant, &new, Some(&checked_heads)).await?;
        let number = issues::rows::next_number(&transaction, grant.repository.id).await?;
        let mut row = row(grant, new, author, number, now.0);
        (row.base_sha, row.head_sha) = (base.sha, head.sha);
        if is_taken(&transaction, &row, &row.base_ref).await? {
            return Err(rules::exists(&grant.owner.login, &row.head_ref));
        }
        limits.admit(author, stored, now)?;
        let row = insert(&transaction, row).await?;
        let event = Event::PullRequest {
            action: PullAction::Opened,
            pull: &row,
        };
        let origin = self.app.origin(call, grant);
        events::queue(&transaction, &origin, event).await?;
        transaction.commit().await?;
        Ok(row)
    }
}

/// The base and head branches of a new pull request, which must have commits to merge. Skips the
/// comparison if they equal `checked_heads`.
async fn check_branches(
    connection: &Connection,
    grant: &RepositoryGrant,
    new: &NewPull,
    checked_heads: Option<&(git_ref::Model, git_ref::Model)>,
) -> Outcome<(git_ref::Model, git_ref::Model)> {
    let base = branch(connection, grant, &new.base).await?;
    let head = match &new.head {
        Some(head) => branch(connection, grant, head).await?,
        None => None,
    };
    rules::invalid_branches(base.is_some(), head.is_some())?;
    let (Some(base), Some(head), Some(name)) = (base, head, &new.head) else {
        return Err(Problem::internal("a branch was found and is not there"));
    };
    let unchanged = |(seen_base, seen_head): &(git_ref::Model, git_ref::Model)| {
        seen_base.sha == base.sha && seen_head.sha == head.sha
    };
    if checked_heads.is_some_and(unchanged) {
        return Ok((base, head));
    }
    let id = grant.repository.id;
    match BranchRelation::of(connection, id, &base.sha, &head.sha).await? {
        BranchRelation::Ahead => Ok((base, head)),
        BranchRelation::Nothing => Err(rules::no_commits(&new.base, name)),
        BranchRelation::Unrelated => Err(rules::unrelated(&new.base, name)),
    }
}

fn row(grant: &RepositoryGrant, new: NewPull, author: i64, number: i64, now: i64) -> pull::Model {
    pull::Model {
        id: 0,
        repository_id: grant.repository.id,
        number,
        title: new.title,
        body: new.body,
        author_id: author,
        base_ref: new.base,
        base_sha: String::new(),
        head_ref: new.head.unwrap_or_default(),
        head_sha: String::new(),
        state: pull::PullState::Open,
        locked: false,
        created_at: now,
        updated_at: now,
        closed_at: None,
        merged_at: None,
        draft: new.draft,
        maintainer_can_modify: new.maintainer_can_modify,
        merged_by_id: None,
        merge_commit_sha: None,
    }
}

async fn insert(transaction: &Connection, row: pull::Model) -> Outcome<pull::Model> {
    let mut new = pull::ActiveModel::from(row).reset_all();
    new.id = NotSet;
    Ok(new.insert(transaction).await?)
}
