//! Merges a pull request into its base, and its base into its branch. The commits are created
//! before the transaction; if a branch moved meanwhile, the caller gets an error.

use crate::access::RepositoryGrant;
use crate::commits::authorship::Signature;
use crate::events::Origin;
use crate::events::{self, Event, PullAction};
use crate::git_refs::rules::RefUpdateOutcome;
use crate::issues::rows::lock_pull;
use crate::pulls::bases::{Merged, merged};
use crate::pulls::branches;
use crate::pulls::branches::branch;
use crate::pulls::comparison::BranchHeads;
use crate::pulls::merging;
use crate::pulls::merging::{CommitText, MergePreparation, NewHistory, Parents};
use crate::pulls::messages::CommitMessage;
use crate::pulls::save;
use crate::pulls::{Pulls, rules};
use crate::pushes;
use crate::pushes::RefChange;
use crate::pushes::workflows::{check_merged_workflows, check_workflows};
use crate::repositories::rows::lock_repository;
use contract::call::Call;
use contract::problem::Problem;
use contract::pulls::{MergeMethod, MergePull, UpdatePullBranch};
use contract::reply::Outcome;
use git::objects::Commit;
use git::store::load_many;
use git::target::RefTarget;
use git::{GitError, Sha, ancestry};
use storage::database::Transaction;
use storage::entities::git_object::ObjectKind;
use storage::entities::{git_ref, pull};
use storage::heavy;

/// The most commits whose messages a squash commit includes.
const MOST_MESSAGES: usize = 250;

impl Pulls {
    /// Merges a pull request, and returns the new tip of its base.
    pub(super) async fn merge(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: &pull::Model,
        body: MergePull,
    ) -> Outcome<Sha> {
        let method = body.merge_method.unwrap_or_default();
        rules::may_be_merged(pull, body.sha.as_deref())?;
        rules::may_use_method(&grant.repository, method)?;
        let branches = BranchHeads::of(self.app.db.reads(), pull).await?;
        let prepare = self.prepare(call, grant, pull, branches, body);
        let history = match heavy::with_permit(prepare).await? {
            MergePreparation::Ready(history) => history,
            _ if method == MergeMethod::Rebase => return Err(rules::not_rebaseable()),
            _ => return Err(rules::not_mergeable()),
        };
        self.apply_merge(call, grant, pull, method, (branches, &history))
            .await?;
        Ok(history.tip)
    }

    /// Moves the base of a pull request to the commits of its merge, unless either branch
    /// moved meanwhile.
    async fn apply_merge(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: &pull::Model,
        method: MergeMethod,
        (branches, history): (BranchHeads, &NewHistory),
    ) -> Outcome<()> {
        let transaction = self.app.db.begin().await?;
        let repository = lock_repository(&transaction, grant).await?;
        let now = lock_pull(&transaction, pull.id).await?;
        let now = now.ok_or(Problem::NotFound)?;
        rules::may_be_merged(&now, Some(&pull.head_sha))?;
        rules::may_use_method(&repository, method)?;
        let base = branch(&transaction, grant, &now.base_ref).await?;
        let base = base.filter(|base| base.sha == branches.base.to_string());
        let base = base.filter(|_| now.base_ref == pull.base_ref);
        let base = base.ok_or_else(rules::base_modified)?;
        let origin = self.app.origin(call, grant);
        let how = Merged {
            base: branches.base,
            commit: history.tip,
            by: origin.sender,
            now: origin.now,
        };
        history.store(&transaction, grant.repository.id).await?;
        let now = merged(&now, &how);
        save(&transaction, &now).await?;
        if !advance(&transaction, &origin, grant, &base, history).await? {
            return Err(rules::base_modified());
        }
        let event = Event::PullRequest {
            action: PullAction::Closed,
            pull: &now,
        };
        events::queue(&transaction, &origin, event).await?;
        Ok(transaction.commit().await?)
    }

    /// Creates the commits of a merge.
    async fn prepare(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: &pull::Model,
        branches: BranchHeads,
        body: MergePull,
    ) -> Outcome<MergePreparation> {
        let reads = self.app.db.reads();
        let merger = Signature::of_caller(&self.app, call).await?.ident().line();
        let method = body.merge_method.unwrap_or_default();
        let (author, default, parents) = match method {
            MergeMethod::Rebase => return Ok(merging::rebase(reads, branches, &merger).await?),
            MergeMethod::Merge => {
                let (owner, head) = (&grant.owner.login, &pull.head_ref);
                let message = CommitMessage::of_merge(owner, head, pull.number, &pull.title);
                (merger.clone(), message, Parents::Both)
            }
            MergeMethod::Squash => {
                let author = Signature::of_account(&self.app, pull.author_id).await?;
                let author = author.ident().line();
                let commits = self.squashed(branches).await?;
                let (number, title) = (pull.number, &pull.title);
                let message = CommitMessage::of_squash(number, title, &commits, &author);
                (author, message, Parents::One)
            }
        };
        let message = CommitMessage {
            title: body.commit_title.unwrap_or(default.title),
            body: body.commit_message.unwrap_or(default.body),
        };
        let text = CommitText {
            author,
            committer: merger,
            message: message.text(),
        };
        let (id, ends) = (branches.repository_id, (branches.base, branches.head));
        Ok(merging::merge(reads, id, ends, parents, text).await?)
    }

    /// The commits whose messages a squash commit includes.
    async fn squashed(&self, branches: BranchHeads) -> Outcome<Vec<Commit>> {
        let reads = self.app.db.reads();
        let gained = merging::commits(reads, branches).await?.unwrap_or_default();
        let shas = gained.iter().filter(|commit| commit.parents.len() < 2);
        let shas: Vec<Sha> = shas.take(MOST_MESSAGES).map(|commit| commit.sha).collect();
        let texts = load_many(reads, branches.repository_id, &shas).await?;
        let commits = shas.iter().map(|sha| {
            let text = texts.get(sha).ok_or(GitError::Missing(*sha))?;
            Commit::parse(&text.content)
        });
        Ok(commits.collect::<Result<_, GitError>>()?)
    }

    /// Merges the base of a pull request into its branch.
    pub(super) async fn update_branch(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: &pull::Model,
        body: UpdatePullBranch,
    ) -> Outcome<()> {
        rules::may_be_updated(pull, body.expected_head_sha.as_deref())?;
        let history = self.prepare_update(call, pull).await?;
        let transaction = self.app.db.begin().await?;
        let now = branches::lock(&transaction, grant, pull.id).await?;
        rules::may_be_updated(&now, Some(&pull.head_sha))?;
        let head_branch = branch(&transaction, grant, &now.head_ref).await?;
        let head_branch = head_branch.filter(|head_branch| head_branch.sha == pull.head_sha);
        let head_branch = head_branch.ok_or_else(rules::unexpected_head)?;
        history.store(&transaction, grant.repository.id).await?;
        let origin = self.app.origin(call, grant);
        match advance(&transaction, &origin, grant, &head_branch, &history).await? {
            true => Ok(transaction.commit().await?),
            false => Err(rules::unexpected_head()),
        }
    }

    /// Creates the commit that merges the base of a pull request into its branch.
    async fn prepare_update(&self, call: &Call, pull: &pull::Model) -> Outcome<NewHistory> {
        let reads = self.app.db.reads();
        let BranchHeads {
            repository_id: id,
            base,
            head,
        } = BranchHeads::of(reads, pull).await?;
        if ancestry::is_ancestor(reads, id, base, head).await? {
            return Err(rules::up_to_date());
        }
        let merger = Signature::of_caller(&self.app, call).await?.ident().line();
        let text = CommitText {
            author: merger.clone(),
            committer: merger,
            message: CommitMessage::of_update(&pull.base_ref, &pull.head_ref).text(),
        };
        let merge = merging::merge(reads, id, (head, base), Parents::Both, text);
        match heavy::with_permit(merge).await? {
            MergePreparation::Ready(history) => Ok(history),
            MergePreparation::Conflict | MergePreparation::TooLarge => Err(rules::conflict()),
        }
    }
}

/// Moves a branch to new commits; returns false if it has moved meanwhile.
async fn advance(
    transaction: &Transaction,
    origin: &Origin<'_>,
    grant: &RepositoryGrant,
    row: &git_ref::Model,
    history: &NewHistory,
) -> Outcome<bool> {
    let target = RefTarget {
        sha: history.tip,
        kind: ObjectKind::Commit,
    };
    let old = RefTarget::of(row)?;
    check_workflows(transaction, grant, Some(old), target).await?;
    check_merged_workflows(transaction, grant, old.sha, target.sha).await?;
    let change = RefChange::Move(row, target);
    Ok(pushes::apply(transaction, origin, change).await? == RefUpdateOutcome::Done)
}
