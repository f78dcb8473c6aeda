//! Compares queries of the commit graph with `git merge-base` and `git rev-list`.

use std::collections::BTreeSet;

use git::ancestry::{is_ancestor, merge_base};
use git::walk::new_commits;
use git::{GitError, Sha};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::database::{Db, seed, sha, trial_factor, with_repository};
use crate::support::git::Git;
use crate::support::history;

async fn check_pairs(git: &Git, db: &Db, pairs: usize) {
    let commits = git.lines(&["rev-list", "--all"]);
    let mut random = StdRng::seed_from_u64(seed());
    let mut bases = 0;
    for _ in 0..pairs {
        let a = commits.choose(&mut random).unwrap();
        let b = commits.choose(&mut random).unwrap();
        let (_, base) = git.attempt(&["merge-base", a, b]);
        let ours = merge_base(db.reads(), db.repository_id, sha(a), sha(b))
            .await
            .unwrap();
        assert_eq!(
            ours.map_or(String::new(), |sha| sha.to_string()),
            base,
            "{a} {b}"
        );
        let (within, _) = git.attempt(&["merge-base", "--is-ancestor", a, b]);
        let ours = is_ancestor(db.reads(), db.repository_id, sha(a), sha(b))
            .await
            .unwrap();
        assert_eq!(ours, within, "{a} {b}");
        bases += usize::from(!base.is_empty() && &base != a && &base != b);
    }
    assert!(
        bases * 30 > pairs,
        "only {bases} of {pairs} pairs have a nontrivial merge base"
    );
}

#[tokio::test]
async fn ancestors_and_merge_bases_of_a_tangled_history_equal_gits() {
    for round in 0..trial_factor() as u64 {
        let git = history::tangled(seed() + round, 200);
        with_repository(async |db| {
            db.import(git.path()).await.unwrap();
            check_pairs(&git, db, 100).await;
        })
        .await;
    }
}

#[tokio::test]
async fn ancestors_and_merge_bases_of_long_branches_equal_gits() {
    for round in 0..trial_factor() as u64 {
        let git = history::braided(seed() + round, 300);
        with_repository(async |db| {
            db.import(git.path()).await.unwrap();
            check_pairs(&git, db, 100).await;
        })
        .await;
    }
}

#[tokio::test]
async fn new_commits_are_not_reachable_from_known_commits() {
    let git = history::tangled(seed() + 50, 200);
    with_repository(async |db| {
        db.import(git.path()).await.unwrap();
        let commits = git.lines(&["rev-list", "--all"]);
        let mut random = StdRng::seed_from_u64(seed());
        for _ in 0..60 {
            let new = commits.choose(&mut random).unwrap();
            let count = random.random_range(0..3);
            let known: Vec<&String> = commits.sample(&mut random, count).collect();
            // `rev-list new --not known` lists too many commits if dates are skewed, as they
            // are here.
            let reached = |name: &str| -> BTreeSet<Sha> {
                let lines = git.lines(&["rev-list", name]);
                lines.iter().map(|line| sha(line)).collect()
            };
            let mut expected = reached(new);
            for name in &known {
                let below = reached(name);
                expected.retain(|commit| !below.contains(commit));
            }
            let known: Vec<Sha> = known.iter().map(|name| sha(name)).collect();
            let found = new_commits(db.reads(), db.repository_id, &known, sha(new), 1000)
                .await
                .unwrap();
            assert!(found.complete);
            let names: BTreeSet<Sha> = found.commits.iter().map(|commit| commit.sha).collect();
            assert_eq!(names, expected);
            assert_eq!(names.len(), found.commits.len());
        }
    })
    .await;
}

#[tokio::test]
async fn a_walk_that_reaches_its_limit_is_incomplete() {
    let git = history::tangled(60, 50);
    with_repository(async |db| {
        db.import(git.path()).await.unwrap();
        let tip = sha(&git.text(&["rev-parse", "c50"]));
        let all = git.lines(&["rev-list", "c50"]).len();
        let walk = async |limit| {
            let found = new_commits(db.reads(), db.repository_id, &[], tip, limit)
                .await
                .unwrap();
            (found.commits.len(), found.complete)
        };
        assert_eq!(walk(10).await, (10, false));
        assert_eq!(walk(all).await, (all, true));
        assert_eq!(walk(all + 10).await, (all, true));
    })
    .await;
}

#[tokio::test]
async fn the_error_for_a_missing_commit_names_it() {
    with_repository(async |db| {
        let missing = sha("1234567890123456789012345678901234567890");
        let result = is_ancestor(db.reads(), db.repository_id, missing, missing).await;
        assert!(matches!(result, Err(GitError::Missing(name)) if name == missing));
    })
    .await;
}
