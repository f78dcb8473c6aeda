//! Views of files and directories.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::git_objects::view::GitObjectView;
use crate::views::lines_of_base64;
use contract::contents::{ContentCore, ContentFile, ContentItem, ContentLinks, ContentType};
use contract::values::{Nullable, Url};
use git::Sha;
use git::tree::Mode;

/// The most bytes of a file that are shown in JSON.
pub const LARGEST_SHOWN: i64 = 1024 * 1024;

/// An entry at a path.
#[derive(Debug, Clone, Copy)]
pub struct ContentEntry<'a> {
    /// From the root of the repository.
    pub path: &'a str,
    pub mode: Mode,
    pub sha: Sha,
    /// The size of a file.
    pub size: i64,
}

impl GitObjectView {
    /// The common part of all views. `name` is the commit, as the request names it.
    pub fn content(&self, item: ContentEntry<'_>, name: &str) -> ContentCore {
        let (kind, objects, pages) = match item.mode {
            Mode::File | Mode::Executable => (ContentType::File, Some("blobs"), "blob"),
            Mode::Symlink => (ContentType::Symlink, Some("blobs"), "blob"),
            Mode::Tree => (ContentType::Dir, Some("trees"), "tree"),
            Mode::Submodule => (ContentType::Submodule, None, "tree"),
        };
        let sha = item.sha.to_string();
        let url: Url = self.urls.contents(&self.full_name, item.path, name).into();
        let git: Nullable<Url> = objects
            .map(|folder| self.object_url(folder, &sha).into())
            .into();
        let page = |folder: &str| -> Url {
            let rest = format!("{name}/{}", item.path);
            self.urls.page(&self.full_name, folder, &rest).into()
        };
        let html: Nullable<Url> = objects.map(|_| page(pages)).into();
        let raw = (objects == Some("blobs")).then(|| page("raw"));
        let name = item.path.rsplit('/').next().unwrap_or_default();
        ContentCore {
            kind,
            size: item.size,
            name: name.to_owned(),
            path: item.path.to_owned(),
            sha,
            links: ContentLinks {
                itself: url.clone(),
                git: git.clone(),
                html: html.clone(),
            },
            url,
            git_url: git,
            html_url: html,
            download_url: raw.into(),
        }
    }

    pub fn item(&self, item: ContentEntry<'_>, name: &str) -> ContentItem {
        ContentItem {
            core: self.content(item, name),
        }
    }

    /// A file with its content, unless it is large.
    pub fn file(&self, item: ContentEntry<'_>, name: &str, content: Option<&[u8]>) -> ContentFile {
        ContentFile {
            core: self.content(item, name),
            content: content.map_or(String::new(), |content| {
                lines_of_base64(&STANDARD.encode(content))
            }),
            encoding: match content {
                Some(_) => "base64".to_owned(),
                None => "none".to_owned(),
            },
        }
    }
}
