//! Views of trees and blobs. Commits and tags are in `views/git_object.rs`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::node_id;
use crate::views::git_object::GitObjectView;
use crate::views::lines_of_base64;
use contract::git_objects::{GitBlob, GitTree, GitTreeEntry, ShortBlob};
use contract::git_refs::ObjectType;
use git::Sha;
use git::tree_listing::{PathEntry, TreeListing};

impl GitObjectView {
    /// `sha` is the object that the request names, which may be a commit.
    pub fn tree(&self, sha: Sha, listing: TreeListing) -> GitTree {
        let sha = sha.to_string();
        let entries = listing.entries.into_iter();
        GitTree {
            url: self.object_url("trees", &sha).into(),
            sha,
            tree: entries.map(|entry| self.tree_entry(&entry)).collect(),
            truncated: listing.truncated,
        }
    }

    /// Bytes that an entry of a tree takes in JSON besides its path: its URL, and the
    /// names and values of the other fields.
    pub fn tree_entry_overhead(&self) -> usize {
        let url = self.object_url("blobs", &Sha::EMPTY_TREE.to_string());
        url.len() + 140
    }

    fn tree_entry(&self, entry: &PathEntry) -> GitTreeEntry {
        let sha = entry.sha.to_string();
        let object = entry.mode.kind().map(|kind| self.target(sha.clone(), kind));
        GitTreeEntry {
            path: String::from_utf8_lossy(&entry.path).into_owned(),
            mode: entry.mode.octal().to_owned(),
            kind: object
                .as_ref()
                .map_or(ObjectType::Commit, |object| object.kind),
            sha,
            size: entry.size,
            url: object.map(|object| object.url),
        }
    }

    pub fn short_blob(&self, sha: Sha) -> ShortBlob {
        let sha = sha.to_string();
        ShortBlob {
            url: self.object_url("blobs", &sha).into(),
            sha,
        }
    }

    pub fn blob(&self, sha: Sha, content: &[u8]) -> GitBlob {
        let ShortBlob { url, sha } = self.short_blob(sha);
        GitBlob {
            node_id: node_id::blob(self.repository_id, &sha),
            sha,
            size: i64::try_from(content.len()).ok().into(),
            url,
            content: lines_of_base64(&STANDARD.encode(content)),
            encoding: "base64".to_owned(),
        }
    }
}
