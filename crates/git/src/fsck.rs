//! Validates imported and received objects as `git fsck --strict` does, so that every stored
//! object can be shown, compared, exported and restored.
//!
//! Old permission bits and the form of identity lines are not checked: many histories have
//! malformed ones, and they are shown as well as possible. But lists of commits show these lines
//! and the parents of each, so both are limited.

use crate::attributes;
use crate::modules;
use crate::names::{self, GitFile, LONGEST_HEAD};
use crate::objects::{Commit, Tag};
use crate::tree::{self, Borrowed, Mode, Tree, TreeEntry};
use crate::{GitError, LONGEST_LINE, MOST_PARENTS, Sha};
use storage::entities::git_object::ObjectKind;

/// Git's null object id.
const NOTHING: Sha = Sha::from_bytes([0; Sha::BYTES]);

/// An entry with the name of its object.
const LONGEST_ENTRY: usize = LONGEST_HEAD + Sha::BYTES;

/// Checks that an object has the kind that the referring object claims.
pub(super) fn same_kind(
    sha: Sha,
    actual: ObjectKind,
    claimed: ObjectKind,
    by: Sha,
) -> Result<(), GitError> {
    match actual == claimed {
        true => Ok(()),
        false => Err(GitError::Repository(format!(
            "object {by} is invalid: it refers to {sha} as a {}, but that is a {}",
            claimed.keyword(),
            actual.keyword()
        ))),
    }
}

/// Parses a commit with short identity lines and a limited number of parents.
pub(super) fn commit(content: &[u8]) -> Result<Commit, GitError> {
    let commit = Commit::parse(content)?;
    let faulty = |reason| GitError::Malformed {
        kind: ObjectKind::Commit,
        reason,
    };
    if commit.parents.len() > MOST_PARENTS {
        return Err(faulty("it has more than 256 parents"));
    }
    match commit.author.len().max(commit.committer.len()) > LONGEST_LINE {
        true => Err(faulty("its author or committer is longer than 4096 bytes")),
        false => Ok(commit),
    }
}

/// Parses a tag with a short name and identity line.
pub(super) fn tag(content: &[u8]) -> Result<Tag, GitError> {
    let tag = Tag::parse(content)?;
    let tagger = tag.tagger.as_ref().map_or(0, Vec::len);
    match tagger.max(tag.name.len()) > LONGEST_LINE {
        true => Err(GitError::Malformed {
            kind: ObjectKind::Tag,
            reason: "its name or tagger is longer than 4096 bytes",
        }),
        false => Ok(tag),
    }
}

/// Larger files that Git itself reads are refused. Git would read larger ones.
pub(super) const LARGEST_GIT_FILE: u64 = 1024 * 1024;

/// Checks the content of a file that Git itself reads.
pub(super) fn git_file(file: GitFile, content: &[u8]) -> Result<(), GitError> {
    match git_file_fault(file, content) {
        Some(reason) => Err(GitError::Malformed {
            kind: ObjectKind::Blob,
            reason,
        }),
        None => Ok(()),
    }
}

/// Why Git should not read a file, as a sentence about it.
pub(super) fn git_file_fault(file: GitFile, content: &[u8]) -> Option<&'static str> {
    match file {
        _ if content.len() as u64 > LARGEST_GIT_FILE => Some("it is larger than 1 MiB"),
        GitFile::Modules => modules::fault(content),
        GitFile::Attributes => attributes::fault(content),
    }
}

/// Checks the place of a tree: the folders above it, and the length of their path.
pub(super) fn nesting(folders: usize, path: usize, tree: &Tree) -> Result<(), GitError> {
    let longest = tree.entries.iter().map(|entry| entry.name.len()).max();
    if folders > names::MOST_FOLDERS {
        return Err(faulty("it is in more than 1024 folders"));
    }
    match path + longest.unwrap_or_default() > names::LONGEST_PATH {
        true => Err(faulty("a path in it is longer than 4096 bytes")),
        false => Ok(()),
    }
}

/// Parses a tree whose entries are sorted, unique, and valid file names.
pub(super) fn tree(content: &[u8]) -> Result<Tree, GitError> {
    let mut check = TreeCheck::default();
    check.push(content, &mut Vec::new())?;
    check.finish()?;
    Tree::parse(content)
}

/// An object that an entry of a tree names.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedObject {
    pub sha: Sha,
    pub kind: ObjectKind,
    pub name_length: u16,
    /// Which file it is that Git itself reads, if any.
    pub git_file: Option<GitFile>,
}

/// Checks a tree that arrives in pieces of any size. Holds two entries at most.
#[derive(Default)]
pub(super) struct TreeCheck {
    last: Option<TreeEntry>,
    /// The lengths of all beginnings of the last name that are names of files, the last included.
    /// A folder with such a name may follow: it sorts as if its name ended in a slash.
    files: Vec<usize>,
    /// An entry that is incomplete.
    partial: Vec<u8>,
}

impl TreeCheck {
    /// Takes the next bytes, and adds the objects that their entries name.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        named: &mut Vec<NamedObject>,
    ) -> Result<(), GitError> {
        let mut rest = bytes;
        if !self.partial.is_empty() {
            let before = self.partial.len();
            let more = rest.len().min(LONGEST_ENTRY - before);
            self.partial.extend_from_slice(&rest[..more]);
            let Some(length) = entry_length(&self.partial)? else {
                return Ok(());
            };
            let entry = std::mem::take(&mut self.partial);
            self.entry(&entry[..length], named)?;
            rest = &rest[length - before..];
        }
        while let Some(length) = entry_length(rest)? {
            let (entry, after) = rest.split_at(length);
            self.entry(entry, named)?;
            rest = after;
        }
        self.partial.extend_from_slice(rest);
        Ok(())
    }

    /// Checks that the last entry is complete.
    pub(super) fn finish(&self) -> Result<(), GitError> {
        match self.partial.is_empty() {
            true => Ok(()),
            false => Err(faulty("an entry is truncated")),
        }
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        let last = self.last.as_ref().map_or(0, |last| last.name.capacity());
        self.partial.capacity() + last + self.files.capacity() * size_of::<usize>()
    }

    fn entry(&mut self, bytes: &[u8], named: &mut Vec<NamedObject>) -> Result<(), GitError> {
        for entry in tree::entries(bytes) {
            let entry = entry?;
            if let Some(reason) = names::fault(entry.mode, entry.name) {
                return Err(faulty(reason));
            }
            if entry.sha == NOTHING {
                return Err(faulty("an entry has an all-zero object name"));
            }
            self.follow(entry)?;
            named.extend(entry.mode.kind().map(|kind| NamedObject {
                sha: entry.sha,
                kind,
                name_length: entry.name.len() as u16,
                git_file: GitFile::of(entry.mode, entry.name),
            }));
        }
        Ok(())
    }

    /// Compares an entry with those before it.
    fn follow(&mut self, entry: Borrowed<'_>) -> Result<(), GitError> {
        let mut name = Vec::new();
        if let Some(last) = self.last.take() {
            while let Some(length) = self.files.last()
                && !entry.name.starts_with(&last.name[..*length])
            {
                self.files.pop();
            }
            let twice = self.files.last() == Some(&entry.name.len());
            if twice || last.name == entry.name {
                return Err(faulty("two entries have the same name"));
            }
            if last.borrowed().order(&entry).is_gt() {
                return Err(faulty("its entries are not sorted"));
            }
            name = last.name;
        }
        if entry.mode != Mode::Tree {
            self.files.push(entry.name.len());
        }
        name.clear();
        name.extend_from_slice(entry.name);
        let Borrowed { mode, sha, .. } = entry;
        self.last = Some(TreeEntry { mode, name, sha });
        Ok(())
    }
}

/// The length of the first entry; None if it is incomplete.
fn entry_length(bytes: &[u8]) -> Result<Option<usize>, GitError> {
    let head = &bytes[..bytes.len().min(LONGEST_HEAD)];
    match head.iter().position(|byte| *byte == 0) {
        Some(end) => Ok(Some(end + 1 + Sha::BYTES).filter(|length| *length <= bytes.len())),
        None if head.len() == LONGEST_HEAD => Err(faulty("the name of an entry is too long")),
        None => Ok(None),
    }
}

fn faulty(reason: &'static str) -> GitError {
    let kind = ObjectKind::Tree;
    GitError::Malformed { kind, reason }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn verdict(entries: &[(&str, &str)]) -> Result<Tree, String> {
        let mut content = Vec::new();
        for (mode, name) in entries {
            content.extend(format!("{mode} {name}\0").bytes());
            content.extend(Sha::EMPTY_TREE.as_bytes());
        }
        tree(&content).map_err(|error| error.to_string())
    }

    const EMPTY: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    #[test]
    fn the_people_and_parents_of_a_commit_are_limited() {
        let check = |person: &str, parents: usize| {
            let parents = format!("parent {EMPTY}\n").repeat(parents);
            let text =
                format!("tree {EMPTY}\n{parents}author {person}\ncommitter C <c@d> 2 +0000\n");
            commit(text.as_bytes()).map(|_| ())
        };
        let person = |length: usize| {
            format!(
                "{} <a@b> 1 +0000",
                "a".repeat(length - " <a@b> 1 +0000".len())
            )
        };
        check(&person(LONGEST_LINE), MOST_PARENTS).unwrap();
        assert!(check(&person(LONGEST_LINE + 1), 1).is_err());
        assert!(check(&person(20), MOST_PARENTS + 1).is_err());
    }

    #[test]
    fn the_lines_of_a_tag_are_limited() {
        let check = |name: usize, tagger: usize| {
            let (name, tagger) = ("n".repeat(name), "t".repeat(tagger));
            let text = format!("object {EMPTY}\ntype tree\ntag {name}\ntagger {tagger}\n");
            tag(text.as_bytes()).map(|_| ())
        };
        check(LONGEST_LINE, LONGEST_LINE).unwrap();
        assert!(check(LONGEST_LINE + 1, 1).is_err());
        assert!(check(1, LONGEST_LINE + 1).is_err());
    }

    #[test]
    fn a_tree_is_in_order_with_each_name_once() {
        assert!(verdict(&[]).is_ok());
        assert!(verdict(&[("100664", "a.b"), ("40000", "a"), ("100644", "a0")]).is_ok());
        for (entries, reason) in [
            (&[("100644", "b"), ("100644", "a")][..], "not sorted"),
            (&[("40000", "a"), ("100644", "a.b")], "not sorted"),
            (&[("100644", "a"), ("100644", "a")], "same name"),
            (
                &[("100644", "a"), ("100644", "a.b"), ("40000", "a")],
                "same name",
            ),
            (&[("40000", ".GIT")], "`.git`"),
            (&[("100644", "..")], "`..`"),
        ] {
            let message = verdict(entries).unwrap_err();
            assert!(message.contains(reason), "{entries:?}: {message}");
        }
        let nothing = [&b"100644 a\0"[..], &[0; Sha::BYTES]].concat();
        assert!(tree(&nothing).is_err());
        for (length, valid) in [(LONGEST_HEAD - 8, true), (LONGEST_HEAD - 7, false)] {
            assert_eq!(verdict(&[("100644", &"n".repeat(length))]).is_ok(), valid);
        }
    }

    /// All verdicts are those of a check that compares every pair of entries.
    #[test]
    fn pieces_of_any_size_get_the_verdict_of_the_whole() {
        let names = ["a", "a-", "a-b", "a.b", "a0", "b"];
        let mut random = StdRng::seed_from_u64(1);
        let mut valid = 0;
        for _ in 0..20_000 {
            let entries = (0..random.random_range(0..6)).map(|_| TreeEntry {
                mode: [Mode::File, Mode::Tree][random.random_range(0..2)],
                name: names[random.random_range(0..names.len())].into(),
                sha: Sha::EMPTY_TREE,
            });
            let mut entries: Vec<TreeEntry> = entries.collect();
            if random.random_bool(0.8) {
                entries.sort_by(|one, other| one.sort_key().cmp(other.sort_key()));
            }
            let unique: HashSet<&[u8]> = entries.iter().map(|entry| &entry.name[..]).collect();
            let expected = unique.len() == entries.len()
                && entries.is_sorted_by(|one, next| one.sort_key().lt(next.sort_key()));
            let mut content = Vec::new();
            for entry in &entries {
                content.extend(format!("{} ", entry.mode.octal()).bytes());
                content.extend([&entry.name[..], b"\0", entry.sha.as_bytes()].concat());
            }
            for length in [1, 7, 28, 1000] {
                let mut check = TreeCheck::default();
                let mut named = Vec::new();
                let pushed = content
                    .chunks(length)
                    .try_for_each(|piece| check.push(piece, &mut named));
                let verdict = pushed.and_then(|()| check.finish());
                assert_eq!(verdict.is_ok(), expected, "{entries:?}: {verdict:?}");
                assert!(!expected || named.len() == entries.len());
            }
            valid += usize::from(expected && entries.len() > 2);
        }
        assert!(valid > 1000, "{valid}");
    }

    #[test]
    fn a_long_tree_is_checked_in_the_memory_of_a_few_entries() {
        let mut check = TreeCheck::default();
        for number in 0..100_000 {
            let mut entry = format!("100644 {number:06}-\0").into_bytes();
            entry.extend(Sha::EMPTY_TREE.as_bytes());
            check.push(&entry, &mut Vec::new()).unwrap();
        }
        assert!(check.memory() < 1024, "{}", check.memory());
        let mut endless = TreeCheck::default();
        let pushed = (0..1000).try_for_each(|_| endless.push(&[b'7'; 100], &mut Vec::new()));
        assert!(pushed.unwrap_err().to_string().contains("too long"));
        assert!(endless.memory() < 4 * LONGEST_ENTRY, "{}", endless.memory());
    }
}
