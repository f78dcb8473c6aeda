//! A changed file, as commits, comparisons and pull requests show it.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::values::{Nullable, Url};

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum DiffStatus {
    Added,
    Removed,
    Modified,
    Renamed,
    Copied,
    /// From a file to a symbolic link or a submodule, or between those.
    Changed,
    Unchanged,
}

/// A changed file.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct DiffEntry {
    /// The SHA-1 of the new content; of a removed file, of the old one.
    pub sha: Nullable<String>,
    /// The path; of a renamed file, the new one.
    pub filename: String,
    pub status: DiffStatus,
    /// How many lines were added.
    pub additions: i64,
    /// How many lines were removed.
    pub deletions: i64,
    /// The sum of both.
    pub changes: i64,
    pub blob_url: Url,
    pub raw_url: Url,
    pub contents_url: Url,
    /// The hunks of the diff; absent if there are none, the file is not text, or the diff is
    /// too large.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// The path that a renamed file had.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_filename: Option<String>,
}

impl Example for DiffEntry {
    fn example() -> Self {
        const COMMIT: &str = "8eab163a70f05830af308d28304b3508f0118432";
        let page = format!("{EXAMPLE_ORIGIN}/acme/gadgets");
        let path = "docs%2Fhandle.md";
        Self {
            sha: Some("1e0a0d8b2fd0ba6e4cd7fb6c3d7d7ae0b1ca0bd1".to_owned()).into(),
            filename: "docs/handle.md".to_owned(),
            status: DiffStatus::Modified,
            additions: 1,
            deletions: 1,
            changes: 2,
            blob_url: format!("{page}/blob/{COMMIT}/{path}").into(),
            raw_url: format!("{page}/raw/{COMMIT}/{path}").into(),
            contents_url: format!(
                "{EXAMPLE_ORIGIN}/repos/acme/gadgets/contents/{path}?ref={COMMIT}"
            )
            .into(),
            patch: Some("@@ -1 +1 @@\n-A handle\n+A handle with a grip".to_owned()),
            previous_filename: None,
        }
    }
}
