//! A changed file in commits, comparisons and pull requests.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::values::{Nullable, Url};

/// How a file changed.
#[schema(rename_all = "lowercase")]
pub enum DiffStatus {
    Added,
    Removed,
    Modified,
    Renamed,
    Copied,
    /// The entry changed its type between file, symbolic link and submodule.
    Changed,
    Unchanged,
}

/// A changed file.
#[schema(example)]
pub struct DiffEntry {
    /// The SHA-1 of the new content. For a removed file, that of the old content.
    pub sha: Nullable<String>,
    /// The path of the file. For a renamed file, the new path.
    pub filename: String,
    pub status: DiffStatus,
    /// The number of added lines.
    pub additions: i64,
    /// The number of deleted lines.
    pub deletions: i64,
    /// The sum of `additions` and `deletions`.
    pub changes: i64,
    /// The URL of the file's page.
    pub blob_url: Url,
    /// The URL of the file's raw content.
    pub raw_url: Url,
    /// The API URL of the file's content.
    pub contents_url: Url,
    /// The hunks of the diff. Absent if there are none, if the file is not text, or if the diff
    /// is too large.
    pub patch: Option<String>,
    /// The previous path of a renamed file.
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
