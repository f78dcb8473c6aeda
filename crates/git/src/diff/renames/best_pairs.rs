//! Compares all remaining pairs of a deleted and an added file by content.

use super::{LEAST, base_name};
use crate::diff::File;
use crate::diff::contents::FileContents;

/// The number of best sources kept for each target.
const CANDIDATES: usize = 4;

/// The limit of the total comparison cost; half a second of work. Beyond it, no pair is
/// compared.
const MOST_EFFORT: usize = 200_000_000;

/// A deleted and an added file, with their similarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RenamePair {
    pub(super) score: i32,
    pub(super) same_name: bool,
    pub(super) source: usize,
    pub(super) target: usize,
}

impl RenamePair {
    fn is_better_than(&self, other: &Self) -> bool {
        (self.score, self.same_name) > (other.score, other.same_name)
    }
}

/// The pairs that are similar enough, best first. Keeps only a few sources per target, so a
/// target may get none if all of them are taken.
pub(super) fn best_pairs(old: &[File], new: &[File], contents: &FileContents) -> Vec<RenamePair> {
    let mut pairs = Vec::new();
    let mut budget = MOST_EFFORT;
    for (target, new) in new.iter().enumerate() {
        let mut best: Vec<RenamePair> = Vec::with_capacity(CANDIDATES);
        for (source, old) in old.iter().enumerate() {
            let comparable = contents.comparable(old, new, LEAST)
                && spend(&mut budget, contents.effort(old, new));
            let pair = RenamePair {
                score: if comparable {
                    contents.score(old, new)
                } else {
                    0
                },
                same_name: base_name(old) == base_name(new),
                source,
                target,
            };
            keep_best(&mut best, pair);
        }
        pairs.extend(best);
    }
    pairs.retain(|pair| pair.score >= LEAST);
    pairs.sort_by_key(|pair| std::cmp::Reverse((pair.score, pair.same_name)));
    pairs
}

fn spend(budget: &mut usize, effort: usize) -> bool {
    let affordable = *budget >= effort;
    *budget -= effort.min(*budget);
    affordable
}

/// Keeps a pair if there is room, or replaces the worst one if it is better.
fn keep_best(best: &mut Vec<RenamePair>, pair: RenamePair) {
    if best.len() < CANDIDATES {
        best.push(pair);
        return;
    }
    let mut worst = 0;
    for at in 1..best.len() {
        if best[worst].is_better_than(&best[at]) {
            worst = at;
        }
    }
    if pair.is_better_than(&best[worst]) {
        best[worst] = pair;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_for_renames_have_a_budget() {
        let mut budget = MOST_EFFORT;
        assert!(spend(&mut budget, MOST_EFFORT - 1));
        assert!(!spend(&mut budget, 2));
        assert!(!spend(&mut budget, 1), "what was too much is spent");
    }
}
