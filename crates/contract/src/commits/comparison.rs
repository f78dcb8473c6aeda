//! The comparison of two commits.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::shared::diff_entry::DiffEntry;
use super::super::values::Url;
use super::RepositoryCommit;

/// The position of the head relative to the base.
#[schema(rename_all = "lowercase")]
pub enum ComparisonStatus {
    Diverged,
    Ahead,
    Behind,
    Identical,
}

/// A comparison of two commits, the base and the head.
#[schema(example)]
pub struct CommitComparison {
    /// The API URL of the comparison.
    pub url: Url,
    /// The URL of the comparison's page.
    pub html_url: Url,
    /// The URL of the comparison's page, with SHA-1s in place of branch names.
    pub permalink_url: Url,
    /// The URL of the comparison as a diff.
    pub diff_url: Url,
    /// The URL of the comparison as a patch.
    pub patch_url: Url,
    /// The base commit.
    pub base_commit: RepositoryCommit,
    /// The merge base of the two commits.
    pub merge_base_commit: RepositoryCommit,
    pub status: ComparisonStatus,
    /// The number of commits by which the head is ahead of the base, counted up to 10,000.
    pub ahead_by: i64,
    /// The number of commits by which the head is behind the base, counted up to 10,000.
    pub behind_by: i64,
    /// The same as `ahead_by`.
    pub total_commits: i64,
    /// The commits of this page, the oldest first.
    pub commits: Vec<RepositoryCommit>,
    /// The changed files, at most 300. Only present on the first page.
    pub files: Option<Vec<DiffEntry>>,
}

impl Example for CommitComparison {
    fn example() -> Self {
        let page = format!("{EXAMPLE_ORIGIN}/acme/gadgets/compare/main...feature/a");
        Self {
            url: format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets/compare/main...feature/a").into(),
            permalink_url: format!(
                "{EXAMPLE_ORIGIN}/acme/gadgets/compare/acme:d9ca5d0...acme:8eab163"
            )
            .into(),
            diff_url: format!("{page}.diff").into(),
            patch_url: format!("{page}.patch").into(),
            html_url: page.into(),
            base_commit: RepositoryCommit::example(),
            merge_base_commit: RepositoryCommit::example(),
            status: ComparisonStatus::Ahead,
            ahead_by: 1,
            behind_by: 0,
            total_commits: 1,
            commits: vec![RepositoryCommit::example()],
            files: Some(vec![DiffEntry::example()]),
        }
    }
}
