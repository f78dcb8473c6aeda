//! What one commit has and another one has not.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::shared::commit::RepositoryCommit;
use super::super::shared::diff_entry::DiffEntry;
use super::super::values::Url;

/// Where the head is, seen from the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum ComparisonStatus {
    Diverged,
    Ahead,
    Behind,
    Identical,
}

/// Two commits compared.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CommitComparison {
    pub url: Url,
    pub html_url: Url,
    pub permalink_url: Url,
    pub diff_url: Url,
    pub patch_url: Url,
    /// The first of the two.
    pub base_commit: RepositoryCommit,
    /// Where their histories parted.
    pub merge_base_commit: RepositoryCommit,
    pub status: ComparisonStatus,
    /// How many commits the second has that the first has not; at most 10,000 are counted.
    pub ahead_by: i64,
    /// How many commits the first has that the second has not; at most 10,000 are counted.
    pub behind_by: i64,
    /// The same as `ahead_by`.
    pub total_commits: i64,
    /// The commits of this page, the oldest first.
    pub commits: Vec<RepositoryCommit>,
    /// The files that differ, at most 300; only on the first page.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
