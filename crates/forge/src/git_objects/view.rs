//! Views of trees and blobs. Commits and tags are in `views/git_object.rs`.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::call::Call;
use contract::commits::{BranchProtection, ShortBranch};
use contract::git_objects::{
    GitBlob, GitCommit, GitLink, GitParent, GitSignature, GitTag, GitTree, GitTreeEntry, ShortBlob,
    Verification,
};
use contract::git_refs::{GitTarget, ObjectType};
use contract::values::Timestamp;
use git::objects::{Commit, Object, Tag};
use git::tree_listing::{PathEntry, TreeListing};
use git::{GitError, LARGEST_TEXT, Sha, ident};
use storage::entities::git_object::ObjectKind;

use crate::access::RepositoryGrant;
use crate::node_id;
use crate::urls::Urls;
use crate::views::lines_of_base64;

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

/// Views of the Git objects of one repository, for one caller.
pub struct GitObjectView {
    pub urls: Urls,
    pub full_name: String,
    pub repository_id: i64,
}

impl GitObjectView {
    pub fn new(call: &Call, grant: &RepositoryGrant) -> Self {
        Self {
            urls: Urls::of(call),
            full_name: grant.full_name(),
            repository_id: grant.repository.id,
        }
    }

    /// An object, and its URL.
    pub fn target(&self, sha: String, kind: ObjectKind) -> GitTarget {
        let (kind, folder) = match kind {
            ObjectKind::Commit => (ObjectType::Commit, "commits"),
            ObjectKind::Tree => (ObjectType::Tree, "trees"),
            ObjectKind::Blob => (ObjectType::Blob, "blobs"),
            ObjectKind::Tag => (ObjectType::Tag, "tags"),
        };
        GitTarget {
            kind,
            url: self.object_url(folder, &sha).into(),
            sha,
        }
    }

    pub fn commit(&self, sha: Sha, object: &Object) -> Result<GitCommit, GitError> {
        let object = &*truncated(object);
        let commit = Commit::parse(&object.content)?;
        let name = sha.to_string();
        let parents = commit.parents.iter().map(Sha::to_string);
        Ok(GitCommit {
            node_id: node_id::commit(self.repository_id, &name),
            url: self.object_url("commits", &name).into(),
            html_url: self.urls.commit_page(&self.full_name, &name).into(),
            author: signature(&commit.author),
            committer: signature(&commit.committer),
            message: message(commit.message.as_deref()),
            tree: GitLink {
                url: self.object_url("trees", &commit.tree.to_string()).into(),
                sha: commit.tree.to_string(),
            },
            parents: parents.map(|parent| self.parent(parent)).collect(),
            verification: verification(&commit, object),
            sha: name,
        })
    }

    pub fn tag(&self, sha: Sha, object: &Object) -> Result<GitTag, GitError> {
        let object = &*truncated(object);
        let tag = Tag::parse(&object.content)?;
        let name = sha.to_string();
        let text = message(tag.message.as_deref());
        Ok(GitTag {
            node_id: node_id::tag(self.repository_id, &name),
            tag: String::from_utf8_lossy(&tag.name).into_owned(),
            url: self.object_url("tags", &name).into(),
            tagger: tag.tagger.as_deref().map(signature).into(),
            object: self.target(tag.target.to_string(), tag.target_kind),
            verification: tag_verification(tag.message.as_deref(), object),
            message: text,
            sha: name,
        })
    }

    fn parent(&self, sha: String) -> GitParent {
        GitParent {
            url: self.object_url("commits", &sha).into(),
            html_url: self.urls.commit_page(&self.full_name, &sha).into(),
            sha,
        }
    }

    /// A commit, and its URL.
    pub fn commit_link(&self, sha: String) -> GitLink {
        GitLink {
            url: self.urls.below(&self.full_name, "commits", &sha).into(),
            sha,
        }
    }

    /// A branch as lists show it.
    pub fn short_branch(&self, name: &str, sha: String) -> ShortBranch {
        let url = self.urls.below(&self.full_name, "branches", name);
        ShortBranch {
            name: name.to_owned(),
            commit: self.commit_link(sha),
            protected: false,
            protection: BranchProtection::none(),
            protection_url: format!("{url}/protection").into(),
        }
    }

    pub fn object_url(&self, folder: &str, sha: &str) -> String {
        self.urls.git_object(&self.full_name, folder, sha)
    }
}

/// An object, truncated to the largest size that is shown. Larger ones are no longer stored, but
/// may be from before the limit.
fn truncated(object: &Object) -> Cow<'_, Object> {
    if object.content.len() <= LARGEST_TEXT {
        return Cow::Borrowed(object);
    }
    // If the cut is in the headers, this newline completes the last one.
    let content = [&object.content[..LARGEST_TEXT], b"\n"].concat();
    Cow::Owned(Object {
        kind: object.kind,
        content,
    })
}

fn signature(line: &[u8]) -> GitSignature {
    let (name, email) = ident::name_and_email(line);
    GitSignature {
        date: Timestamp(ident::seconds_of(line)),
        email: String::from_utf8_lossy(email).into_owned(),
        name: String::from_utf8_lossy(name).into_owned(),
    }
}

fn message(text: Option<&[u8]>) -> String {
    let text = String::from_utf8_lossy(text.unwrap_or_default());
    text.trim_end_matches('\n').to_owned()
}

/// A signed commit has its signature in a header, continued on lines that begin
/// with a space; the payload is the commit without that header.
fn verification(commit: &Commit, object: &Object) -> Verification {
    const HEADER: &[u8] = b"gpgsig ";
    let mut header = Vec::new();
    for line in commit.more.split_inclusive(|byte| *byte == b'\n') {
        let begins = header.is_empty() && line.starts_with(HEADER);
        let continues = !header.is_empty() && line.starts_with(b" ");
        if begins || continues {
            header.extend_from_slice(line);
        } else if !header.is_empty() {
            break;
        }
    }
    if header.is_empty() {
        return Verification::unsigned();
    }
    let text = String::from_utf8_lossy(&header[HEADER.len()..]).replace("\n ", "\n");
    let content = &object.content;
    let start = content
        .windows(header.len())
        .position(|part| part == header)
        .unwrap_or(0);
    let payload = [&content[..start], &content[start + header.len()..]].concat();
    unchecked(&text, &payload)
}

/// A signed tag has its signature at the end of its message; the payload is
/// everything before it.
fn tag_verification(message: Option<&[u8]>, object: &Object) -> Verification {
    const BEGINNINGS: [&[u8]; 3] = [
        b"-----BEGIN PGP SIGNATURE-----",
        b"-----BEGIN SSH SIGNATURE-----",
        b"-----BEGIN SIGNED MESSAGE-----",
    ];
    let message = message.unwrap_or_default();
    let mut at = 0;
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        if BEGINNINGS.iter().any(|mark| line.starts_with(mark)) {
            let signed = object.content.len() - (message.len() - at);
            let text = String::from_utf8_lossy(&message[at..]);
            return unchecked(&text, &object.content[..signed]);
        }
        at += line.len();
    }
    Verification::unsigned()
}

/// The verification of a signature: this service has no public keys.
fn unchecked(signature: &str, payload: &[u8]) -> Verification {
    Verification {
        reason: "unknown_key".to_owned(),
        signature: Some(signature.trim_end_matches('\n').to_owned()).into(),
        payload: Some(String::from_utf8_lossy(payload).into_owned()).into(),
        ..Verification::unsigned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(kind: ObjectKind, content: &[u8]) -> Object {
        Object {
            kind,
            content: content.to_vec(),
        }
    }

    #[test]
    fn a_signed_commit_shows_its_signature_and_what_was_signed() {
        let signed = object(
            ObjectKind::Commit,
            b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
              author A <a@b> 1 +0000\ncommitter C <c@d> 2 -0130\n\
              encoding latin-1\ngpgsig -----BEGIN\n \n abc\n -----END\nmergetag x\n y\n\nHi\n",
        );
        let commit = Commit::parse(&signed.content).unwrap();
        let result = verification(&commit, &signed);
        assert!(!result.verified);
        assert_eq!(result.reason, "unknown_key");
        assert_eq!(
            result.signature.0.as_deref(),
            Some("-----BEGIN\n\nabc\n-----END")
        );
        assert_eq!(
            result.payload.0.as_deref(),
            Some(
                "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
                 author A <a@b> 1 +0000\ncommitter C <c@d> 2 -0130\n\
                 encoding latin-1\nmergetag x\n y\n\nHi\n"
            )
        );
    }

    #[test]
    fn no_more_is_shown_of_an_object_than_may_be_stored() {
        let head = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
                    author A <a@b> 1 +0000\ncommitter C <c@d> 2 -0130\n";
        for rest in ["\nHi ", "gpgsig "] {
            let long = [head, rest, &"a".repeat(3 * LARGEST_TEXT)].concat();
            let long = object(ObjectKind::Commit, long.as_bytes());
            let truncated_object = truncated(&long);
            assert_eq!(truncated_object.content.len(), LARGEST_TEXT + 1);
            let commit = Commit::parse(&truncated_object.content).unwrap();
            let text = message(commit.message.as_deref());
            assert_eq!(text.starts_with("Hi a"), rest == "\nHi ");
        }
    }

    #[test]
    fn a_signed_tag_shows_its_signature_and_what_was_signed() {
        let text = b"object 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ntype tree\ntag v1\n\n\
                     One\n-----BEGIN PGP SIGNATURE-----\nabc\n-----END PGP SIGNATURE-----\n";
        let signed = object(ObjectKind::Tag, text);
        let tag = Tag::parse(text).unwrap();
        let result = tag_verification(tag.message.as_deref(), &signed);
        assert_eq!(result.reason, "unknown_key");
        assert!(result.payload.0.unwrap().ends_with("tag v1\n\nOne\n"));
        let plain = tag_verification(Some(b"One\n"), &signed);
        assert_eq!(plain.reason, "unsigned");
    }
}
