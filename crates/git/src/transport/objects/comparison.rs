//! Finds the entries of a tree that its bases do not have.

use std::cmp::Ordering;
use std::iter::Peekable;

use super::trees::TreeJob;
use crate::store::ObjectContents;
use crate::tree::{Borrowed, Mode, entries};
use crate::{GitError, Sha};

/// The results of comparisons.
#[derive(Default)]
pub(super) struct TreeDifferences {
    pub(super) trees: Vec<Sha>,
    pub(super) blobs: Vec<Sha>,
    pub(super) deeper: Vec<TreeJob>,
}

impl TreeDifferences {
    /// Compares trees with their bases. Trees that were not loaded count as empty.
    pub(super) fn of(
        jobs: &[TreeJob],
        loaded: &ObjectContents,
        blobs: bool,
    ) -> Result<Self, GitError> {
        let mut differences = Self::default();
        for job in jobs {
            differences.trees.push(job.tree);
            if let Some(tree) = loaded.get(&job.tree) {
                let bases = job.bases.iter().filter_map(|base| loaded.get(base));
                let bases: Vec<&[u8]> = bases.map(|base| &base[..]).collect();
                differences.compare(tree, &bases, blobs)?;
            }
        }
        Ok(differences)
    }

    fn compare(&mut self, tree: &[u8], bases: &[&[u8]], blobs: bool) -> Result<(), GitError> {
        let mut fresh = differences(tree, bases)?;
        remove_moved(&mut fresh, bases)?;
        for (entry, bases) in fresh {
            match entry.mode {
                Mode::Submodule => {}
                Mode::Tree => self.deeper.push(TreeJob::new(entry.sha, bases)),
                _ if blobs => self.blobs.push(entry.sha),
                _ => {}
            }
        }
        Ok(())
    }
}

/// The entries that no base has with the same name, each with the trees of that name. Both
/// sides are in Git's order; an entry out of order counts as new.
fn differences<'a>(
    tree: &'a [u8],
    bases: &[&[u8]],
) -> Result<Vec<(Borrowed<'a>, Vec<Sha>)>, GitError> {
    let mut bases: Vec<_> = bases.iter().map(|base| entries(base).peekable()).collect();
    let mut fresh = Vec::new();
    for entry in entries(tree) {
        let entry = entry?;
        let mut trees = Vec::new();
        let mut unchanged = false;
        for base in &mut bases {
            if let Some(other) = at_name(base, &entry)? {
                unchanged |= other.sha == entry.sha;
                if other.mode == Mode::Tree && entry.mode == Mode::Tree {
                    trees.push(other.sha);
                }
            }
        }
        if !unchanged {
            fresh.push((entry, trees));
        }
    }
    Ok(fresh)
}

/// The entry of a base with the same name as another entry.
fn at_name<'a>(
    base: &mut Peekable<impl Iterator<Item = Result<Borrowed<'a>, GitError>>>,
    entry: &Borrowed<'_>,
) -> Result<Option<Borrowed<'a>>, GitError> {
    loop {
        let order = match base.peek() {
            Some(Ok(other)) => other.order(entry),
            Some(Err(_)) => Ordering::Less,
            None => Ordering::Greater,
        };
        match order {
            Ordering::Less => drop(base.next().transpose()?),
            Ordering::Equal => return base.next().transpose(),
            Ordering::Greater => return Ok(None),
        }
    }
}

/// Removes entries that a base has under another name.
fn remove_moved(
    fresh: &mut Vec<(Borrowed<'_>, Vec<Sha>)>,
    bases: &[&[u8]],
) -> Result<(), GitError> {
    if fresh.is_empty() || bases.is_empty() {
        return Ok(());
    }
    let mut names: Vec<Sha> = fresh.iter().map(|(entry, _)| entry.sha).collect();
    names.sort_unstable();
    let mut moved = Vec::new();
    for base in bases {
        for other in entries(base) {
            let sha = other?.sha;
            if names.binary_search(&sha).is_ok() {
                moved.push(sha);
            }
        }
    }
    if !moved.is_empty() {
        moved.sort_unstable();
        fresh.retain(|(entry, _)| moved.binary_search(&entry.sha).is_err());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use super::*;
    use crate::tree::{Tree, TreeEntry};

    fn sha(digit: u8) -> Sha {
        Sha::from_bytes([digit; Sha::BYTES])
    }

    fn tree(entries: &[(&str, Mode, u8)]) -> Arc<Vec<u8>> {
        let entries = entries.iter().map(|(name, mode, digit)| TreeEntry {
            mode: *mode,
            name: name.as_bytes().to_vec(),
            sha: sha(*digit),
        });
        let entries = entries.collect();
        Arc::new(Tree { entries }.write().content)
    }

    fn compare(new: &Arc<Vec<u8>>, bases: &[&Arc<Vec<u8>>]) -> TreeDifferences {
        let mut loaded: ObjectContents = HashMap::from([(sha(100), Arc::clone(new))]);
        let mut names = Vec::new();
        for (digit, base) in (101..).zip(bases) {
            loaded.insert(sha(digit), Arc::clone(base));
            names.push(sha(digit));
        }
        let jobs = [TreeJob::new(sha(100), names)];
        TreeDifferences::of(&jobs, &loaded, true).unwrap()
    }

    #[test]
    fn only_what_no_base_has_is_found() {
        use Mode::{File, Submodule, Tree};
        let new = tree(&[
            ("a", File, 1),
            ("a.b", File, 2),
            ("b", Tree, 3),
            ("c", File, 4),
            ("d", Submodule, 5),
            ("moved", File, 6),
        ]);
        let base = tree(&[
            ("a", Tree, 7),
            ("a.b", File, 2),
            ("b", Tree, 8),
            ("was", File, 6),
        ]);
        let other = tree(&[("b", Tree, 9), ("c", File, 4)]);
        let diff = compare(&new, &[&base, &other]);
        assert_eq!((diff.trees, diff.blobs), (vec![sha(100)], vec![sha(1)]));
        let [job] = &diff.deeper[..] else {
            panic!("not one folder");
        };
        assert_eq!((job.tree, &job.bases[..]), (sha(3), &[sha(8), sha(9)][..]));
        let whole = compare(&new, &[]);
        let mut blobs = whole.blobs;
        blobs.sort_unstable();
        assert_eq!(blobs, [sha(1), sha(2), sha(4), sha(6)]);
        assert!(compare(&new, &[&new]).blobs.is_empty());
    }
}
