//! Validates imported and received objects as `git fsck --strict` does, so that every stored
//! object can be shown, compared, exported and restored.
//!
//! Identity lines and old permission bits are not checked: many histories have malformed
//! ones, and they are shown as well as possible.

use std::collections::HashSet;

use crate::entities::git_object::ObjectKind;
use crate::git::tree::Tree;
use crate::git::{GitError, Sha};

/// Git's null object id.
const NOTHING: Sha = Sha::from_bytes([0; Sha::BYTES]);

/// Names that a checkout cannot use.
const RESERVED: [&[u8]; 3] = [b".", b"..", b".git"];

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

/// Parses a tree whose entries are sorted, unique, and valid file names.
pub(super) fn tree(content: &[u8]) -> Result<Tree, GitError> {
    let tree = Tree::parse(content)?;
    let faulty = |reason| GitError::Malformed {
        kind: ObjectKind::Tree,
        reason,
    };
    let mut names = HashSet::new();
    for entry in &tree.entries {
        let reserved = |name: &&[u8]| entry.name.eq_ignore_ascii_case(name);
        if RESERVED.iter().any(reserved) {
            return Err(faulty("an entry is named `.`, `..` or `.git`"));
        }
        if !names.insert(&entry.name) {
            return Err(faulty("two entries have the same name"));
        }
        if entry.sha == NOTHING {
            return Err(faulty("an entry has an all-zero object name"));
        }
    }
    let ordered = tree.entries.is_sorted_by(|one, next| {
        let order = one.sort_key().cmp(next.sort_key());
        order.is_lt()
    });
    match ordered {
        true => Ok(tree),
        false => Err(faulty("its entries are not sorted")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(entries: &[(&str, &str)]) -> Result<Tree, String> {
        let mut content = Vec::new();
        for (mode, name) in entries {
            content.extend(format!("{mode} {name}\0").bytes());
            content.extend(Sha::EMPTY_TREE.as_bytes());
        }
        tree(&content).map_err(|error| error.to_string())
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
    }
}
