//! Compares the tables with sets: the table of a commit reaches exactly what a walk over
//! its parents finds.

use std::collections::{BTreeMap, BTreeSet};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;

#[derive(Clone)]
struct TestCommit {
    position: ChainPosition,
    root: Option<NodeAddress>,
    /// Itself and all its ancestors.
    below: BTreeSet<ChainPosition>,
}

/// Assigns chains at random, to cover all kinds of digits.
fn grow(random: &mut StdRng, pages: &mut Pages, count: usize) -> Vec<TestCommit> {
    let mut commits: Vec<TestCommit> = Vec::new();
    let mut tips: BTreeMap<i64, i64> = BTreeMap::new();
    for id in 1..=count {
        let parents: Vec<TestCommit> = (0..random.random_range(0..=3))
            .filter_map(|_| commits.get(random.random_range(0..=commits.len())))
            .cloned()
            .collect();
        let free = parents
            .iter()
            .find(|one| tips[&one.position.chain] == one.position.position);
        let position = match free {
            Some(parent) => ChainPosition {
                chain: parent.position.chain,
                position: parent.position.position + 1,
            },
            None => ChainPosition {
                chain: (0..)
                    .map(|_| random.random_range(0..1 << 32))
                    .find(|chain| !tips.contains_key(chain))
                    .unwrap(),
                position: 0,
            },
        };
        tips.insert(position.chain, position.position);
        let mut below: BTreeSet<ChainPosition> =
            parents.iter().flat_map(|one| one.below.clone()).collect();
        below.insert(position);
        let id = i64::try_from(id).unwrap();
        let mut builder = TableBuilder::new(pages, id);
        parents.iter().for_each(|parent| builder.merge(parent.root));
        parents
            .iter()
            .for_each(|parent| builder.put(parent.position));
        let (root, page) = builder.finish().unwrap();
        let decoded = TablePage::decode(id, &page.encode(id)).unwrap();
        assert_eq!(decoded, page);
        pages.insert(id, decoded);
        commits.push(TestCommit {
            position,
            root,
            below,
        });
    }
    commits
}

fn contains(pages: &Pages, new: &TestCommit, old: ChainPosition) -> bool {
    let table = position(pages, new.root, old.chain).unwrap();
    let own = (new.position.chain == old.chain).then_some(new.position.position);
    table
        .max(own)
        .is_some_and(|reached| reached >= old.position)
}

#[test]
fn a_table_reaches_what_a_walk_reaches() {
    for seed in 0..20 {
        let mut pages = Pages::default();
        let commits = grow(&mut StdRng::seed_from_u64(seed), &mut pages, 100);
        for new in &commits {
            for old in &commits {
                let walked = new.below.contains(&old.position);
                assert_eq!(contains(&pages, new, old.position), walked, "{seed}");
            }
        }
    }
}

#[test]
fn what_tables_do_not_share_holds_every_best_common_ancestor() {
    for seed in 0..20 {
        let mut pages = Pages::default();
        let commits = grow(&mut StdRng::seed_from_u64(seed), &mut pages, 80);
        let by_position: BTreeMap<ChainPosition, &TestCommit> =
            commits.iter().map(|one| (one.position, one)).collect();
        for one in &commits {
            for other in &commits {
                let both: BTreeSet<&ChainPosition> = one.below.intersection(&other.below).collect();
                let common_positions = common(&pages, one.root, other.root).unwrap();
                assert!(
                    common_positions
                        .iter()
                        .all(|position| both.contains(position))
                );
                let beaten = |position: &ChainPosition| {
                    both.iter().any(|other| {
                        **other != *position && by_position[*other].below.contains(position)
                    })
                };
                for best in both.iter().filter(|position| !beaten(position)) {
                    let own = [one, other]
                        .iter()
                        .any(|end| end.position.chain == best.chain);
                    assert!(own || common_positions.contains(best), "{seed} {best:?}");
                }
            }
        }
    }
}

#[test]
fn what_was_not_read_is_named_and_bytes_of_something_else_are_refused() {
    let pages = Pages::default();
    let root = NodeAddress::new(7, 0);
    let unread = NotYet::Unread(BTreeSet::from([7]));
    assert_eq!(position(&pages, root, 1), Err(unread));
    let mut pages = Pages::default();
    pages.insert(7, TablePage::default());
    assert_eq!(position(&pages, root, 1), Err(NotYet::Damaged));
    assert_eq!(TablePage::decode(7, &[1, 1]), None);
    assert_eq!(TablePage::decode(7, &[1, 1, 0, 0x80]), None);
    assert_eq!(TablePage::decode(7, &[1, 1, 0, 9, 0]), None);
}
