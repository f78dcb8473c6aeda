//! The changes of a pull request since its merge base: its files and commits, and the diff as
//! text. All of it is bounded, and needs a permit for heavy work.

use super::Pulls;
use super::comparison::{BranchHeads, Comparison};
use super::merging;
use crate::access::RepositoryGrant;
use crate::commits::diff_entry::{Sides, too_large};
use crate::git_objects::view::GitObjectView;
use crate::urls::Urls;
use crate::views::page;
use contract::call::Call;
use contract::commits::RepositoryCommit;
use contract::media::Form;
use contract::paging::Page;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::shared::diff_entry::DiffEntry;
use git::diff::{
    FileChange, MOST_LISTED, TooLarge, WrittenFile, changes, diff_text, file_texts, joined,
};
use git::patch::{SeriesPosition, mail};
use git::store::load_commit;
use git::{GitError, Sha};
use storage::entities::pull;
use storage::heavy;

/// The name of a pull request in errors.
const PULL: &str = "PullRequest";

/// The most commits that are listed or written as mails.
const MOST_COMMITS: usize = 250;

/// The most bytes of all mails together.
const LARGEST_PATCH: usize = 1024 * 1024;

impl Pulls {
    pub(super) async fn files(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: &pull::Model,
        page: Page,
    ) -> Outcome<Reply<200, Vec<DiffEntry>>> {
        let reads = self.app.db.reads();
        let branches = BranchHeads::of(reads, pull).await?;
        let listed = async {
            let comparison = Comparison::of(reads, branches, branches.head).await?;
            let Some(mut changes) = comparison.changes(reads).await? else {
                return Ok(None);
            };
            changes.truncate(MOST_LISTED);
            let page_changes = page.of(&changes);
            let texts = file_texts(reads, branches.repository_id, page_changes).await?;
            let (page_changes, total) = (page_changes.to_vec(), changes.len());
            Ok::<_, GitError>(Some((page_changes, texts, total, comparison.base)))
        };
        let listed = heavy::with_permit(listed).await?;
        let Some((changes, texts, total, old)) = listed else {
            return Err(Problem::Refused(
                "Sorry, the diff is too large to be listed.".into(),
            ));
        };
        let sides = Sides {
            urls: &Urls::of(call),
            full_name: &grant.full_name(),
            old,
            new: branches.head,
        };
        let entries = changes.iter().zip(texts);
        let entries = entries.map(|(change, text)| sides.entry(change, text));
        let link = page.link(call, u64::try_from(total).unwrap_or(u64::MAX));
        Ok(Reply::new(entries.collect()).link(link))
    }

    pub(super) async fn commits(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        pull: &pull::Model,
        page: Page,
    ) -> Outcome<Reply<200, Vec<RepositoryCommit>>> {
        let reads = self.app.db.reads();
        let branches = BranchHeads::of(reads, pull).await?;
        let commits = heavy::with_permit(merging::commits(reads, branches)).await?;
        let Some(mut commits) = commits else {
            return Err(Problem::Refused(
                "Sorry, the history is too long to be listed.".into(),
            ));
        };
        commits.truncate(MOST_COMMITS);
        let total = commits.len();
        let views = page.of(&commits).iter();
        let views: Vec<Sha> = views.map(|commit| commit.sha).collect();
        let views = GitObjectView::new(call, grant)
            .commits(&self.app.db, &views)
            .await?;
        let link = page.link(call, u64::try_from(total).unwrap_or(u64::MAX));
        let reply = page::reply(views.bytes, views.commits).await?.link(link);
        Ok(reply.uncacheable_if(views.uncacheable))
    }

    /// The changes as `git diff` or `git format-patch` writes them.
    pub(super) async fn text(&self, pull: &pull::Model, form: Form) -> Outcome<Vec<u8>> {
        let branches = BranchHeads::of(self.app.db.reads(), pull).await?;
        heavy::with_permit(async {
            match form {
                Form::Patch => self.patch(branches).await,
                _ => self.diff(branches).await,
            }
        })
        .await
    }

    async fn diff(&self, branches: BranchHeads) -> Outcome<Vec<u8>> {
        let reads = self.app.db.reads();
        let comparison = Comparison::of(reads, branches, branches.head).await?;
        let changes = comparison.changes(reads).await?;
        self.diff_text(branches.repository_id, changes)
            .await
            .map(|files| joined(&files))
    }

    async fn patch(&self, branches: BranchHeads) -> Outcome<Vec<u8>> {
        let (reads, id) = (self.app.db.reads(), branches.repository_id);
        let commits = merging::commits(reads, branches).await?;
        let commits = commits.ok_or_else(|| too_large(PULL, TooLarge::Files))?;
        let commits: Vec<_> = commits
            .iter()
            .filter(|commit| commit.parents.len() < 2)
            .take(MOST_COMMITS)
            .collect();
        let mut text = Vec::new();
        for (number, commit) in (1..).zip(&commits) {
            let parent = commit.parents.first();
            let old = parent.map_or(Sha::EMPTY_TREE, |parent| parent.tree);
            let changes = changes(reads, id, old, commit.tree).await?;
            let files = self.diff_text(id, changes).await?;
            let parsed = load_commit(reads, id, commit.sha).await?;
            let total = commits.len();
            text.extend(mail(
                commit.sha,
                &parsed,
                &files,
                SeriesPosition { number, total },
            ));
            if text.len() > LARGEST_PATCH {
                return Err(too_large(PULL, TooLarge::Bytes));
            }
        }
        Ok(text)
    }

    async fn diff_text(
        &self,
        repository_id: i64,
        changes: Option<Vec<FileChange>>,
    ) -> Outcome<Vec<WrittenFile>> {
        let changes = changes.ok_or_else(|| too_large(PULL, TooLarge::Files))?;
        let files = diff_text(self.app.db.reads(), repository_id, &changes).await?;
        files.map_err(|reason| too_large(PULL, reason))
    }
}
