//! Where a world comes from: a file, a text, or the demo inside the program.

use std::path::{Path, PathBuf};

use crate::world::check;
use crate::world::findings::Findings;

/// A small company, with a token of every kind that everybody knows.
const DEMO: &str = include_str!("../demo.yaml");

/// A world that has not been read yet.
#[derive(Debug, Clone)]
pub struct Source {
    /// What findings call it.
    pub name: String,
    pub text: String,
    /// What paths in the world are relative to; a text that came from nowhere has none.
    pub folder: Option<PathBuf>,
    /// Whether its tokens are well known to everybody.
    pub demo: bool,
}

impl Source {
    /// A text with no folder of its own.
    pub fn inline(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            folder: None,
            demo: false,
        }
    }

    pub fn file(path: &Path) -> Result<Self, Findings> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        Ok(Self {
            name: path.display().to_string(),
            text: check::read_file(path)?,
            folder: Some(folder.to_owned()),
            demo: false,
        })
    }

    /// The world for those who bring none.
    pub fn demo() -> Self {
        Self {
            demo: true,
            ..Self::inline("the demo world", DEMO)
        }
    }
}
