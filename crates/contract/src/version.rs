//! The versions of the API, and how a request names one.

/// A version of the API, by its date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ApiVersion {
    /// The oldest supported version, used if a request names none.
    V2022_11_28,
    /// The version that the specification's examples name.
    V2026_03_10,
}

impl ApiVersion {
    /// Every supported version, oldest first.
    pub const ALL: [Self; 2] = [Self::V2022_11_28, Self::V2026_03_10];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2022_11_28 => "2022-11-28",
            Self::V2026_03_10 => "2026-03-10",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|version| version.as_str() == text)
    }
}
