//! Views of branches, tags and comparisons. Commits are in `views/commit.rs`.

use crate::node_id;
use crate::views::git_object::GitObjectView;
use contract::commits::{Branch, TagName};
use contract::shared::commit::RepositoryCommit;
use git::Sha;

impl GitObjectView {
    pub fn branch(&self, name: &str, commit: RepositoryCommit) -> Branch {
        let url = self.urls.below(&self.full_name, "branches", name);
        let html = self.urls.page(&self.full_name, "tree", name);
        Branch::new(name.to_owned(), commit, url, html)
    }

    pub fn tag_name(&self, name: &str, sha: String) -> TagName {
        let full = format!("refs/tags/{name}");
        let archive = |folder: &str| self.urls.below(&self.full_name, folder, &full).into();
        TagName {
            name: name.to_owned(),
            zipball_url: archive("zipball"),
            tarball_url: archive("tarball"),
            commit: self.commit_link(sha),
            node_id: node_id::git_ref(self.repository_id, &full),
        }
    }
}

/// The abbreviated SHA-1 of web URLs.
pub fn short(sha: Sha) -> String {
    sha.to_string()[..7].to_owned()
}
