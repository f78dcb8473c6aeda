//! Directories: parsing, writing, and entry modes.
//!
//! Writing uses Git's order and canonical modes, so parsing and writing a non-canonical old
//! tree may change its name. Stored trees are never rewritten.

use std::cmp::Ordering;

use super::objects::{Object, split_at};
use super::{GitError, Sha};
use storage::entities::git_object::ObjectKind;

/// The mode of a tree entry. Non-canonical permission bits from old versions map to the
/// nearest mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    File,
    Executable,
    Symlink,
    Tree,
    /// A commit of another repository; its object is not stored here.
    Submodule,
}

impl Mode {
    /// The six octal digits, as in diffs.
    pub fn octal(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Tree => "040000",
            Self::Submodule => "160000",
        }
    }

    /// A regular file, executable or not.
    pub fn is_regular(self) -> bool {
        matches!(self, Self::File | Self::Executable)
    }

    /// The kind of the object that an entry with this mode names; None for a submodule.
    pub fn kind(self) -> Option<ObjectKind> {
        match self {
            Self::File | Self::Executable | Self::Symlink => Some(ObjectKind::Blob),
            Self::Tree => Some(ObjectKind::Tree),
            Self::Submodule => None,
        }
    }

    fn read(digits: &[u8]) -> Option<Self> {
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let bits = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()?;
        match bits & 0o170_000 {
            0o100_000 if bits & 0o100 == 0 => Some(Self::File),
            0o100_000 => Some(Self::Executable),
            0o120_000 => Some(Self::Symlink),
            0o040_000 => Some(Self::Tree),
            0o160_000 => Some(Self::Submodule),
            _ => None,
        }
    }
}

/// An entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    pub mode: Mode,
    pub name: Vec<u8>,
    pub sha: Sha,
}

/// An entry of a tree that is not copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Borrowed<'a> {
    pub(super) mode: Mode,
    pub(super) name: &'a [u8],
    pub(super) sha: Sha,
}

impl Borrowed<'_> {
    /// Git's order: a folder sorts as if its name ended in a slash.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let length = self.name.len().min(other.name.len());
        let (start, other_start) = (&self.name[..length], &other.name[..length]);
        let end = |entry: &Self| match (entry.name.get(length), entry.mode) {
            (Some(byte), _) => *byte,
            (None, Mode::Tree) => b'/',
            (None, _) => 0,
        };
        start
            .cmp(other_start)
            .then_with(|| end(self).cmp(&end(other)))
            .then_with(|| self.name.len().cmp(&other.name.len()))
    }
}

/// The entries of a tree, up to the first that is malformed.
pub(super) fn entries(content: &[u8]) -> impl Iterator<Item = Result<Borrowed<'_>, GitError>> {
    let mut rest = content;
    std::iter::from_fn(move || {
        let first = (!rest.is_empty()).then(|| first_entry(rest))?;
        Some(match first {
            Ok((entry, after)) => {
                rest = after;
                Ok(entry)
            }
            Err(reason) => {
                rest = &[];
                let kind = ObjectKind::Tree;
                Err(GitError::Malformed { kind, reason })
            }
        })
    })
}

fn first_entry(content: &[u8]) -> Result<(Borrowed<'_>, &[u8]), &'static str> {
    let (digits, after) = split_at(content, b' ').ok_or("an entry has no mode")?;
    let (name, after) = split_at(after, 0).ok_or("the name of an entry is not terminated")?;
    let (sha, after) = after.split_first_chunk().ok_or("an entry is truncated")?;
    if name.is_empty() || name.contains(&b'/') {
        return Err("the name of an entry is empty or has a slash");
    }
    let mode = Mode::read(digits).ok_or("an entry has an unknown mode")?;
    let sha = Sha::from_bytes(*sha);
    Ok((Borrowed { mode, name, sha }, after))
}

/// A directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub entries: Vec<TreeEntry>,
}

impl Tree {
    pub fn parse(content: &[u8]) -> Result<Self, GitError> {
        let entries = entries(content).map(|entry| {
            let Borrowed { mode, name, sha } = entry?;
            let name = name.to_vec();
            Ok(TreeEntry { mode, name, sha })
        });
        let entries = entries.collect::<Result<_, GitError>>()?;
        Ok(Self { entries })
    }

    /// Writes the entries in Git's order.
    pub fn write(&self) -> Object {
        let mut entries: Vec<&TreeEntry> = self.entries.iter().collect();
        entries.sort_by(|one, other| one.sort_key().cmp(other.sort_key()));
        let mut content = Vec::new();
        for entry in entries {
            content.extend(entry.mode.octal().trim_start_matches('0').bytes());
            content.push(b' ');
            content.extend(&entry.name);
            content.push(0);
            content.extend(entry.sha.as_bytes());
        }
        Object {
            kind: ObjectKind::Tree,
            content,
        }
    }
}

impl TreeEntry {
    pub(super) fn borrowed(&self) -> Borrowed<'_> {
        Borrowed {
            mode: self.mode,
            name: &self.name,
            sha: self.sha,
        }
    }

    /// Git sorts a directory as if its name ended in a slash.
    pub fn sort_key(&self) -> impl Iterator<Item = &u8> {
        let slash: &[u8] = if self.mode == Mode::Tree { b"/" } else { b"" };
        self.name.iter().chain(slash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mode: Mode, name: &str) -> TreeEntry {
        TreeEntry {
            mode,
            name: name.into(),
            sha: Sha::EMPTY_TREE,
        }
    }

    #[test]
    fn a_directory_is_ordered_as_if_it_ended_in_a_slash() {
        let tree = Tree {
            entries: vec![
                entry(Mode::Tree, "a"),
                entry(Mode::File, "a.b"),
                entry(Mode::File, "a0"),
            ],
        };
        let names: Vec<Vec<u8>> = Tree::parse(&tree.write().content)
            .unwrap()
            .entries
            .into_iter()
            .map(|entry| entry.name)
            .collect();
        assert_eq!(names, [&b"a.b"[..], b"a", b"a0"]);
    }

    #[test]
    fn old_modes_are_read_as_the_nearest_known() {
        assert_eq!(Mode::read(b"100664"), Some(Mode::File));
        assert_eq!(Mode::read(b"100775"), Some(Mode::Executable));
        assert_eq!(Mode::read(b"040000"), Some(Mode::Tree));
        for invalid in [&b"1"[..], b"", b"9", b"+100644", b"77777777777777"] {
            assert_eq!(Mode::read(invalid), None);
        }
    }

    #[test]
    fn a_tree_cut_short_is_an_error_and_no_panic() {
        let content = Tree {
            entries: vec![entry(Mode::File, "name")],
        }
        .write()
        .content;
        for length in 1..content.len() {
            assert!(Tree::parse(&content[..length]).is_err(), "{length}");
        }
    }
}
