//! Compares two commits, as JSON or as text.

use super::Commits;
use super::diff_entry::{Sides, too_large};
use super::rules;
use super::rules::ComparisonRange;
use super::single::RESOURCE;
use super::view::short;
use crate::access::RepositoryGrant;
use crate::git_objects::view::GitObjectView;
use crate::git_refs::revision;
use crate::views::page;
use contract::call::Call;
use contract::commits::CommitComparison;
use contract::formed::Formed;
use contract::media::Form;
use contract::paging::Page;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::shared::diff_entry::DiffEntry;
use git::ancestry::merge_base;
use git::diff::{FileChange, MOST_BYTES, MOST_FILES, TooLarge, changes, joined};
use git::patch::{SeriesPosition, mail};
use git::store::load_commit;
use git::walk::{GainedCommit, new_commits};
use git::{GitError, Sha};

/// Commits that are visited on each side.
const MOST_COMMITS: usize = 10_000;

/// Commits that are returned if no page is requested.
const MOST_UNPAGED: usize = 250;

/// Commits that are written as mails.
const MOST_MAILS: usize = 250;

/// Two commits, and their merge base.
#[derive(Debug, Clone, Copy)]
struct ComparedCommits {
    repository_id: i64,
    base: Sha,
    head: Sha,
    merge_base_sha: Sha,
    /// The commit that the files are compared from.
    files_from: Sha,
}

impl Commits {
    pub(super) async fn compared(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        range: ComparisonRange<'_>,
        page: Page,
    ) -> Outcome<Formed<CommitComparison>> {
        let commits = self.resolve(grant, range).await?;
        let text = match call.form {
            Some(Form::Diff) => {
                let changes = self.differences(commits).await?;
                joined(&self.text_of(commits.repository_id, changes).await?)
            }
            Some(Form::Patch) => self.mails(commits).await?,
            _ => {
                let response = self.comparison(call, grant, range, commits, page);
                return Ok(Formed::Json(response.await?));
            }
        };
        Ok(Formed::Other(call.form.unwrap_or(Form::Diff), text))
    }

    async fn resolve(
        &self,
        grant: &RepositoryGrant,
        range: ComparisonRange<'_>,
    ) -> Outcome<ComparedCommits> {
        let (id, reads) = (grant.repository.id, self.refs(grant).await);
        let base = revision::commit(reads, grant, range.base).await?;
        let head = revision::commit(reads, grant, range.head).await?;
        let (Some(base), Some(head)) = (base, head) else {
            return Err(Problem::NotFound);
        };
        let merge_base_sha = merge_base(reads, id, base, head).await?;
        let merge_base_sha = merge_base_sha.ok_or_else(|| rules::unrelated(range))?;
        Ok(ComparedCommits {
            repository_id: id,
            base,
            head,
            merge_base_sha,
            files_from: match range.from_merge_base {
                true => merge_base_sha,
                false => base,
            },
        })
    }

    /// The commits of `new` that `base` does not have, parents before children.
    async fn gained(&self, repository_id: i64, base: Sha, new: Sha) -> Outcome<Vec<GainedCommit>> {
        let reads = self.app.db.reads();
        let gained = new_commits(reads, repository_id, &[base], new, MOST_COMMITS).await?;
        Ok(gained.commits.into_iter().rev().collect())
    }

    async fn differences(&self, compared: ComparedCommits) -> Outcome<Option<Vec<FileChange>>> {
        let (id, reads) = (compared.repository_id, self.app.db.reads());
        let old = load_commit(reads, id, compared.files_from).await?.tree;
        let new = load_commit(reads, id, compared.head).await?.tree;
        Ok(changes(reads, id, old, new).await?)
    }

    async fn comparison(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        range: ComparisonRange<'_>,
        compared: ComparedCommits,
        page: Page,
    ) -> Outcome<Reply<200, CommitComparison>> {
        let (id, base, head) = (compared.repository_id, compared.base, compared.head);
        let merge_base_sha = compared.merge_base_sha;
        let ahead = self.gained(id, base, head).await?;
        let ahead: Vec<Sha> = ahead.iter().map(|commit| commit.sha).collect();
        let behind = self.gained(id, head, base).await?.len();
        let view = GitObjectView::new(call, grant);
        let (listed, link) = listed(call, &ahead, page);
        let mut shas = vec![base, merge_base_sha];
        shas.extend(listed);
        let mut views = view.commits(&self.app.db, &shas).await?;
        let commits = views.commits.split_off(2);
        let merge_base_commit = views
            .commits
            .pop()
            .ok_or(GitError::Missing(merge_base_sha))?;
        let base_commit = views.commits.pop().ok_or(GitError::Missing(base))?;
        let addresses = Addresses::of(&view, &grant.owner.login, range, compared);
        let comparison = CommitComparison {
            url: addresses.url.into(),
            permalink_url: addresses.permalink.into(),
            diff_url: format!("{}.diff", addresses.page).into(),
            patch_url: format!("{}.patch", addresses.page).into(),
            html_url: addresses.page.into(),
            base_commit,
            merge_base_commit,
            status: rules::status(ahead.len(), behind),
            ahead_by: count(ahead.len()),
            behind_by: count(behind),
            total_commits: count(ahead.len()),
            commits,
            files: self.files(&view, compared, page).await?,
        };
        let reply = page::reply(views.bytes, comparison).await?.link(link);
        Ok(reply.uncacheable_if(views.uncacheable))
    }

    /// The files of the first page.
    async fn files(
        &self,
        view: &GitObjectView,
        compared: ComparedCommits,
        page: Page,
    ) -> Outcome<Option<Vec<DiffEntry>>> {
        if page.number > 1 {
            return Ok(None);
        }
        let changes = self.differences(compared).await?.unwrap_or_default();
        let first = &changes[..changes.len().min(MOST_FILES)];
        let sides = Sides {
            urls: &view.urls,
            full_name: &view.full_name,
            old: Some(compared.files_from),
            new: compared.head,
        };
        let entries = self.entries(compared.repository_id, sides, first).await?;
        Ok(Some(entries))
    }

    /// The commits as mails; merges have none, as with `git format-patch`.
    async fn mails(&self, compared: ComparedCommits) -> Outcome<Vec<u8>> {
        let (id, reads) = (compared.repository_id, self.app.db.reads());
        let mut commits = self.gained(id, compared.base, compared.head).await?;
        if commits.len() > MOST_MAILS {
            return Err(too_large(RESOURCE, TooLarge::Bytes));
        }
        commits.retain(|commit| commit.parents.len() < 2);
        let mut text = Vec::new();
        for (index, GainedCommit { sha, .. }) in commits.iter().enumerate() {
            let commit = load_commit(reads, id, *sha).await?;
            let files = self.diff_text(id, &commit).await?;
            let position = SeriesPosition {
                number: index + 1,
                total: commits.len(),
            };
            text.extend(mail(*sha, &commit, &files, position));
            if text.len() > MOST_BYTES {
                return Err(too_large(RESOURCE, TooLarge::Bytes));
            }
        }
        Ok(text)
    }
}

/// The URLs of a comparison.
struct Addresses {
    url: String,
    page: String,
    /// The page of these commits, independent of the branches.
    permalink: String,
}

impl Addresses {
    fn of(
        view: &GitObjectView,
        owner: &str,
        range: ComparisonRange<'_>,
        compared: ComparedCommits,
    ) -> Self {
        let dots = if range.from_merge_base { "..." } else { ".." };
        let basehead = format!("{}{dots}{}", range.base, range.head);
        let (base, head) = (short(compared.base), short(compared.head));
        let permanent = format!("{owner}:{base}{dots}{owner}:{head}");
        Self {
            url: view.urls.below(&view.full_name, "compare", &basehead),
            page: view.urls.page(&view.full_name, "compare", &basehead),
            permalink: view.urls.page(&view.full_name, "compare", &permanent),
        }
    }
}

/// The commits of a page, and the `Link` header; the last ones if no page is requested.
fn listed(call: &Call, ahead: &[Sha], page: Page) -> (Vec<Sha>, Option<String>) {
    let paged = ["page", "per_page"]
        .iter()
        .any(|name| rules::has_parameter(&call.query, name));
    if !paged {
        let start = ahead.len().saturating_sub(MOST_UNPAGED);
        return (ahead[start..].to_vec(), None);
    }
    let link = page.link(call, ahead.len() as u64);
    (page.of(ahead).to_vec(), link)
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
