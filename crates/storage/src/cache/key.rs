//! Keys of cached results.

/// The kinds of cached results; each has its own counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CacheKind {
    /// The owner of a token.
    Token,
    /// What a caller may do in a repository.
    Grant,
    /// A whole answer to a GET.
    Answer,
    /// A pull request, by its number.
    Pull,
    /// The commits that a pull request compares.
    Comparison,
    /// The position of a comment in a diff.
    Placement,
    /// Comment authors and their association with the repository.
    Authors,
    /// The installations that receive webhooks of a repository.
    Receivers,
    /// Which of some people may read a repository.
    Readers,
    /// A long list of references.
    RefList,
    /// How much a pull request changes.
    PullSize,
    /// Whether a pull request can be merged.
    Mergeability,
    /// The payloads of the events of a new reference to a commit.
    RefEvents,
}

impl CacheKind {
    pub const ALL: [Self; 13] = [
        Self::Token,
        Self::Grant,
        Self::Answer,
        Self::Pull,
        Self::Comparison,
        Self::Placement,
        Self::Authors,
        Self::Receivers,
        Self::Readers,
        Self::RefList,
        Self::PullSize,
        Self::Mergeability,
        Self::RefEvents,
    ];

    /// Its label in the metrics.
    pub fn label(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Grant => "grant",
            Self::Answer => "answer",
            Self::Pull => "pull",
            Self::Comparison => "comparison",
            Self::Placement => "placement",
            Self::Authors => "authors",
            Self::Receivers => "receivers",
            Self::Readers => "readers",
            Self::RefList => "ref_list",
            Self::PullSize => "pull_size",
            Self::Mergeability => "mergeability",
            Self::RefEvents => "ref_events",
        }
    }
}

/// The key of a cached result: its kind and its identifying values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pub(super) kind: CacheKind,
    parts: Vec<u8>,
}

impl Key {
    pub fn of(kind: CacheKind) -> Self {
        Self {
            kind,
            parts: Vec::with_capacity(128),
        }
    }

    #[must_use]
    pub fn number(mut self, number: i64) -> Self {
        self.parts.extend_from_slice(&number.to_be_bytes());
        self
    }

    /// Appends a text. Only the last text may contain a NUL.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.parts.extend_from_slice(text.as_bytes());
        self.parts.push(0);
        self
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.parts.capacity()
    }
}
