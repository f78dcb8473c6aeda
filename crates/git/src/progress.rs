//! The progress of an import or export.

/// The progress of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportProgress {
    pub commits_done: usize,
    /// Commits to read; known from the first report on.
    pub commits_total: usize,
    /// Objects read, of all kinds.
    pub objects: u64,
}
