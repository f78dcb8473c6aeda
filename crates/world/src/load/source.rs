//! Where a world comes from: a file, a text, or the demo inside the program.

use std::path::{Path, PathBuf};

use crate::check;
use crate::findings::Findings;

/// The name of the world file in a folder.
pub const WORLD_FILE: &str = "world.yaml";

/// A world that has not been read yet.
#[derive(Debug, Clone)]
pub struct WorldSource {
    /// Its name in findings.
    pub name: String,
    text: Result<String, Findings>,
    /// The folder that paths in the world are relative to; an inline text has none.
    pub folder: Option<PathBuf>,
    /// Whether its tokens are public.
    pub demo: bool,
}

impl WorldSource {
    /// A text with no folder of its own.
    pub fn inline(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: Ok(text.into()),
            folder: None,
            demo: false,
        }
    }

    /// A file, or the one in a folder. If it cannot be read, loading reports that.
    pub fn file(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let inside = path.is_dir().then(|| path.join(WORLD_FILE));
        let path = inside.as_deref().unwrap_or(path);
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        Self {
            name: path.display().to_string(),
            text: check::read_file(path),
            folder: Some(folder.to_owned()),
            demo: false,
        }
    }

    pub(super) fn text(&self) -> Result<&str, Findings> {
        self.text.as_deref().map_err(Clone::clone)
    }
}
