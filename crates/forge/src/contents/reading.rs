//! Reads the contents at a path, following symbolic links.

use migration::aggregates::Kind as Aggregate;

use super::view::{ContentEntry, LARGEST_SHOWN};
use super::{Contents, rules};
use crate::access::RepositoryGrant;
use crate::git_objects::view::GitObjectView;
use crate::git_refs::revision;
use crate::views::stream::LargeFile;
use contract::call::Call;
use contract::contents::{
    ContentFile, ContentItem, ContentSubmodule, ContentSymlink, ContentTree, PathContents,
};
use contract::formed::Formed;
use contract::media::Form;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use git::diff::entry_at;
use git::store::{heads, load, load_commit};
use git::tree::{Mode, TreeEntry};
use git::tree_listing::{ListingLimit, list};
use git::{GitError, Sha};

/// The most entries of a directory, as at GitHub.
const MOST_ENTRIES: ListingLimit = ListingLimit {
    entries: 1000,
    bytes: 7_000_000,
    overhead: 0,
};

/// The longest `.gitmodules` and target of a link that are read, in bytes.
const LONGEST_READ: i64 = 64 * 1024;

/// The root directory as of a commit, and how the request names the commit.
#[derive(Debug)]
pub(super) struct RootTree {
    name: String,
    tree: Sha,
}

impl Contents {
    pub(super) async fn root(
        &self,
        grant: &RepositoryGrant,
        name: Option<String>,
    ) -> Outcome<RootTree> {
        let (id, refs) = (grant.repository.id, Aggregate::Refs.of(grant.repository.id));
        let reads = self.app.db.reading(&[refs]).await;
        let default = &grant.repository.default_branch;
        let name = name.unwrap_or_else(|| default.clone());
        let commit = revision::commit(reads, grant, &name).await?;
        let Some(commit) = commit else {
            return Err(match revision::has_branch(reads, grant).await? {
                true => rules::no_commit(&name),
                false => rules::empty(),
            });
        };
        let tree = load_commit(reads, id, commit).await?.tree;
        Ok(RootTree { name, tree })
    }

    pub(super) async fn show(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        root: &RootTree,
        path: &str,
    ) -> Outcome<Formed<PathContents>> {
        let view = GitObjectView::new(call, grant);
        let entry = self.entry(grant, root, path).await?;
        let contents = match entry.mode {
            Mode::Tree => self.directory(call, &view, root, path, entry.sha).await?,
            Mode::File | Mode::Executable => {
                let file = self.file(call, &view, root, path, &entry).await?;
                return Ok(file.map(PathContents::File));
            }
            Mode::Symlink => return self.link(call, grant, root, path, &entry).await,
            Mode::Submodule => PathContents::Submodule(ContentSubmodule {
                core: view.content(item(path, &entry, 0), &root.name),
                submodule_git_url: self.submodule_url(grant, root, path).await?.into(),
            }),
        };
        Ok(Formed::Json(Reply::new(contents)))
    }

    /// The entry at a path; the root is a directory.
    async fn entry(
        &self,
        grant: &RepositoryGrant,
        root: &RootTree,
        path: &str,
    ) -> Outcome<TreeEntry> {
        if path.is_empty() {
            return Ok(TreeEntry {
                mode: Mode::Tree,
                name: Vec::new(),
                sha: root.tree,
            });
        }
        let (id, reads) = (grant.repository.id, self.app.db.reads());
        let entry = entry_at(reads, id, root.tree, path).await?;
        entry.ok_or(Problem::NotFound)
    }

    async fn directory(
        &self,
        call: &Call,
        view: &GitObjectView,
        root: &RootTree,
        path: &str,
        sha: Sha,
    ) -> Outcome<PathContents> {
        let reads = self.app.db.reads();
        let listing = list(reads, view.repository_id, sha, false, MOST_ENTRIES).await?;
        let entries = listing.entries.iter().map(|entry| {
            let name = String::from_utf8_lossy(&entry.path);
            let path = match path {
                "" => name.into_owned(),
                path => format!("{path}/{name}"),
            };
            let item = ContentEntry {
                path: &path,
                mode: entry.mode,
                sha: entry.sha,
                size: entry.size.unwrap_or(0),
            };
            view.item(item, &root.name)
        });
        let entries: Vec<ContentItem> = entries.collect();
        if call.form != Some(Form::Object) {
            return Ok(PathContents::Directory(entries));
        }
        let directory = ContentEntry {
            path,
            mode: Mode::Tree,
            sha,
            size: 0,
        };
        Ok(PathContents::Tree(ContentTree {
            core: view.content(directory, &root.name),
            entries,
        }))
    }

    /// A file, or its bytes.
    async fn file(
        &self,
        call: &Call,
        view: &GitObjectView,
        root: &RootTree,
        path: &str,
        entry: &TreeEntry,
    ) -> Outcome<Formed<ContentFile>> {
        let size = self.size(view.repository_id, entry.sha).await?;
        if call.form == Some(Form::Raw) {
            return self.raw(view.repository_id, entry.sha, size).await;
        }
        let content = match size <= LARGEST_SHOWN {
            true => Some(self.content(view.repository_id, entry.sha).await?),
            false => None,
        };
        let file = view.file(item(path, entry, size), &root.name, content.as_deref());
        Ok(Formed::Json(Reply::new(file)))
    }

    /// The file that a link leads to, under the path of the link; the link itself if there
    /// is no such file.
    async fn link(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        root: &RootTree,
        path: &str,
        entry: &TreeEntry,
    ) -> Outcome<Formed<PathContents>> {
        let view = GitObjectView::new(call, grant);
        let id = grant.repository.id;
        let size = self.size(id, entry.sha).await?;
        let target = match size <= LONGEST_READ {
            true => self.content(id, entry.sha).await?,
            false => Vec::new(),
        };
        if call.form == Some(Form::Raw) && size > LONGEST_READ {
            return self.raw(id, entry.sha, size).await;
        }
        let target = String::from_utf8_lossy(&target).into_owned();
        if let Some(to) = rules::link_target(path, &target)
            && let Some(file) = entry_at(self.app.db.reads(), id, root.tree, &to).await?
            && file.mode.is_regular()
        {
            let contents = self.file(call, &view, root, path, &file).await?;
            return Ok(contents.map(PathContents::File));
        }
        if call.form == Some(Form::Raw) {
            return Ok(Formed::Other(Form::Raw, target.into_bytes()));
        }
        let core = view.content(item(path, entry, size), &root.name);
        let link = ContentSymlink { core, target };
        Ok(Formed::Json(Reply::new(PathContents::Symlink(link))))
    }

    pub(super) async fn readme(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        root: &RootTree,
        directories: &[&str],
    ) -> Outcome<Formed<ContentFile>> {
        let (id, reads) = (grant.repository.id, self.app.db.reads());
        for directory in directories {
            let entry = match self.entry(grant, root, directory).await {
                Ok(entry) if entry.mode == Mode::Tree => entry,
                Ok(_) | Err(Problem::NotFound) => continue,
                Err(problem) => return Err(problem),
            };
            let listing = list(reads, id, entry.sha, false, MOST_ENTRIES).await?;
            let files = listing.entries.iter().filter(|file| file.mode.is_regular());
            let ranked = files.filter_map(|file| Some((rules::readme_rank(&file.path)?, file)));
            let Some((_, file)) = ranked.min_by(|one, other| one.0.cmp(&other.0)) else {
                continue;
            };
            let name = String::from_utf8_lossy(&file.path);
            let path = rules::path(&format!("{directory}/{name}")).to_owned();
            let entry = TreeEntry {
                mode: file.mode,
                name: file.path.clone(),
                sha: file.sha,
            };
            let view = GitObjectView::new(call, grant);
            return self.file(call, &view, root, &path, &entry).await;
        }
        Err(Problem::NotFound)
    }

    async fn submodule_url(
        &self,
        grant: &RepositoryGrant,
        root: &RootTree,
        path: &str,
    ) -> Outcome<Option<String>> {
        let id = grant.repository.id;
        let entry = match self.entry(grant, root, ".gitmodules").await {
            Ok(entry) if entry.mode.is_regular() => entry,
            Ok(_) | Err(Problem::NotFound) => return Ok(None),
            Err(problem) => return Err(problem),
        };
        if self.size(id, entry.sha).await? > LONGEST_READ {
            return Ok(None);
        }
        let modules = self.content(id, entry.sha).await?;
        Ok(rules::submodule_url(
            &String::from_utf8_lossy(&modules),
            path,
        ))
    }

    /// The bytes of a file. A large one is sent piece by piece.
    async fn raw<T>(&self, repository_id: i64, sha: Sha, size: i64) -> Outcome<Formed<T>> {
        if size <= LARGEST_SHOWN {
            let content = self.content(repository_id, sha).await?;
            return Ok(Formed::Other(Form::Raw, content));
        }
        let file = LargeFile::load(self.app.db.reads(), repository_id, sha).await?;
        Ok(Formed::Streamed(Form::Raw, file.raw(), sha.to_string()))
    }

    async fn size(&self, repository_id: i64, sha: Sha) -> Outcome<i64> {
        let headers = heads(self.app.db.reads(), repository_id, &[sha]).await?;
        let head = headers.get(&sha).ok_or(GitError::Missing(sha))?;
        Ok(head.size)
    }

    async fn content(&self, repository_id: i64, sha: Sha) -> Outcome<Vec<u8>> {
        let object = load(self.app.db.reads(), repository_id, sha).await?;
        Ok(object.ok_or(GitError::Missing(sha))?.content)
    }
}

fn item<'a>(path: &'a str, entry: &TreeEntry, size: i64) -> ContentEntry<'a> {
    ContentEntry {
        path,
        mode: entry.mode,
        sha: entry.sha,
        size,
    }
}
