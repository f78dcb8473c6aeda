//! One commit with its changed files, as JSON or as text.

use super::diff_entry::{Sides, too_large};
use super::{Commits, rules};
use crate::access::RepositoryGrant;
use crate::git_objects::view::GitObjectView;
use contract::call::Call;
use contract::commits::{CommitStats, RepositoryCommit};
use contract::formed::Formed;
use contract::media::Form;
use contract::paging::Page;
use contract::reply::{Outcome, Reply};
use contract::shared::diff_entry::DiffEntry;
use git::diff::{
    FileChange, MOST_FILES, MOST_LISTED, TooLarge, WrittenFile, changes, count_lines, diff_text,
    file_texts, joined,
};
use git::objects::Commit;
use git::patch::{SeriesPosition, mail};
use git::store::load_commit;
use git::{GitError, Sha};

/// The resource in errors about diffs.
pub(super) const RESOURCE: &str = "Commit";

impl Commits {
    pub(super) async fn single(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        sha: Sha,
        page: Page,
    ) -> Outcome<Formed<RepositoryCommit>> {
        let (id, reads) = (grant.repository.id, self.app.db.reads());
        let commit = load_commit(reads, id, sha).await?;
        let text = match call.form {
            Some(Form::Sha) => sha.to_string().into_bytes(),
            Some(Form::Diff) => joined(&self.diff_text(id, &commit).await?),
            Some(Form::Patch) => {
                let files = self.diff_text(id, &commit).await?;
                mail(
                    sha,
                    &commit,
                    &files,
                    SeriesPosition {
                        number: 1,
                        total: 1,
                    },
                )
            }
            _ => {
                let response = self.with_files(call, grant, sha, &commit, page);
                return Ok(Formed::Json(response.await?));
            }
        };
        Ok(Formed::Other(call.form.unwrap_or(Form::Sha), text))
    }

    async fn with_files(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        sha: Sha,
        parsed: &Commit,
        mut page: Page,
    ) -> Outcome<Reply<200, RepositoryCommit>> {
        if !rules::has_parameter(&call.query, "per_page") {
            page.per_page = MOST_FILES as u64;
        }
        let id = grant.repository.id;
        let view = GitObjectView::new(call, grant);
        let mut views = view.commits(&self.app.db, &[sha]).await?;
        let mut commit = views.commits.pop().ok_or(GitError::Missing(sha))?;
        let mut all = self.changes(id, parsed).await?.unwrap_or_default();
        all.truncate(MOST_LISTED);
        let page_changes = page.of(&all);
        let sides = Sides {
            urls: &view.urls,
            full_name: &view.full_name,
            old: parsed.parents.first().copied(),
            new: sha,
        };
        let files = self.entries(id, sides, page_changes).await?;
        commit.stats = Some(self.stats(id, &all).await?);
        commit.files = Some(files);
        let reply = Reply::new(commit).link(page.link(call, all.len() as u64));
        Ok(reply.uncacheable_if(views.uncacheable))
    }

    /// The list entries of changed files.
    pub(super) async fn entries(
        &self,
        repository_id: i64,
        sides: Sides<'_>,
        changes: &[FileChange],
    ) -> Outcome<Vec<DiffEntry>> {
        let texts = file_texts(self.app.db.reads(), repository_id, changes).await?;
        let entries = changes.iter().zip(texts);
        Ok(entries
            .map(|(change, text)| sides.entry(change, text))
            .collect())
    }

    /// The lines of the first files.
    async fn stats(&self, repository_id: i64, changes: &[FileChange]) -> Outcome<CommitStats> {
        let mut stats = CommitStats::default();
        for change in changes.iter().take(MOST_FILES) {
            let (added, removed) = count_lines(self.app.db.reads(), repository_id, change).await?;
            stats.additions += i64::try_from(added).unwrap_or(0);
            stats.deletions += i64::try_from(removed).unwrap_or(0);
        }
        stats.total = stats.additions + stats.deletions;
        Ok(stats)
    }

    /// The files that a commit changes since its first parent; None if there are too many.
    async fn changes(
        &self,
        repository_id: i64,
        commit: &Commit,
    ) -> Outcome<Option<Vec<FileChange>>> {
        let reads = self.app.db.reads();
        let old = match commit.parents.first() {
            Some(parent) => load_commit(reads, repository_id, *parent).await?.tree,
            None => Sha::EMPTY_TREE,
        };
        Ok(changes(reads, repository_id, old, commit.tree).await?)
    }

    /// The diff of a commit as text, file by file.
    pub(super) async fn diff_text(
        &self,
        repository_id: i64,
        commit: &Commit,
    ) -> Outcome<Vec<WrittenFile>> {
        let changes = self.changes(repository_id, commit).await?;
        self.text_of(repository_id, changes).await
    }

    /// The text of changes, file by file, unless it is too large.
    pub(super) async fn text_of(
        &self,
        repository_id: i64,
        changes: Option<Vec<FileChange>>,
    ) -> Outcome<Vec<WrittenFile>> {
        let changes = changes.ok_or_else(|| too_large(RESOURCE, TooLarge::Files))?;
        let text = diff_text(self.app.db.reads(), repository_id, &changes).await?;
        text.map_err(|why| too_large(RESOURCE, why))
    }
}
