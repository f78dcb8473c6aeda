//! Compares diffs with `git diff --no-color -M`, hunk by hunk.

use git::Sha;
use git::diff::{
    ContentKind, FileChange, FileDiff, FileStatus, changes, diff_path, file_diff, follow,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use crate::database::{Db, seed, sha, trial_factor, with_repository};
use crate::support::git::Git;
use crate::support::history;

/// The status, old path and new path, as in `git diff --raw`.
#[derive(Debug, PartialEq, Eq)]
struct Raw {
    status: String,
    paths: Vec<Vec<u8>>,
}

fn raw_of(git: &Git, old: &str, new: &str) -> Vec<Raw> {
    let output = git.run(&["diff", "--raw", "-z", "--no-abbrev", "-M", old, new]);
    let mut words = output.split(|byte| *byte == 0).map(<[u8]>::to_vec);
    let mut found = Vec::new();
    while let Some(head) = words.next().filter(|head| !head.is_empty()) {
        let head = String::from_utf8(head).unwrap();
        let status = head.rsplit(' ').next().unwrap().to_owned();
        let count = if status.starts_with('R') { 2 } else { 1 };
        let paths = words.by_ref().take(count).collect();
        found.push(Raw { status, paths });
    }
    found
}

fn raw(change: &FileChange) -> Raw {
    let status = match change.status {
        FileStatus::Added => "A".to_owned(),
        FileStatus::Deleted => "D".to_owned(),
        FileStatus::Modified => "M".to_owned(),
        FileStatus::TypeChanged => "T".to_owned(),
        FileStatus::Renamed { similarity } => format!("R{similarity:03}"),
    };
    let mut paths = vec![change.path().to_vec()];
    if matches!(change.status, FileStatus::Renamed { .. }) {
        paths.insert(0, change.old.as_ref().unwrap().path.clone());
    }
    Raw { status, paths }
}

/// The hunks of each file, and whether Git treats it as binary.
fn patches_of(git: &Git, old: &str, new: &str) -> Vec<(Vec<u8>, bool)> {
    let output = git.run(&["diff", "--no-color", "-M", old, new]);
    let mut found: Vec<(Vec<u8>, bool)> = Vec::new();
    let mut in_hunks = false;
    for line in output.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"diff --git ") {
            found.push((Vec::new(), false));
            in_hunks = false;
            continue;
        }
        let (hunks, binary) = found.last_mut().unwrap();
        in_hunks = in_hunks || line.starts_with(b"@@ ");
        if in_hunks {
            hunks.extend(line);
        } else if line.starts_with(b"Binary files ") {
            *binary = true;
        }
    }
    found
}

fn text(diff: &FileDiff) -> Vec<u8> {
    let hunks = diff.hunks.iter();
    let texts = hunks.map(|hunk| [&hunk.text(usize::MAX)[..], b"\n"].concat());
    texts.collect::<Vec<_>>().concat()
}

async fn tree(git: &Git, commit: &str) -> Sha {
    sha(&git.text(&["rev-parse", &format!("{commit}^{{tree}}")]))
}

async fn check_pair(git: &Git, db: &Db, a: &str, b: &str, statuses: &mut String) {
    let (old, new) = (tree(git, a).await, tree(git, b).await);
    let ours = changes(db.reads(), db.repository_id, old, new)
        .await
        .unwrap()
        .unwrap();
    let theirs = raw_of(git, a, b);
    assert_eq!(ours.iter().map(raw).collect::<Vec<_>>(), theirs, "{a} {b}");
    let mut patches = patches_of(git, a, b).into_iter();
    for change in &ours {
        let diff = file_diff(db.reads(), db.repository_id, change)
            .await
            .unwrap();
        let (mut hunks, mut binary) = patches.next().unwrap();
        if diff.status == FileStatus::TypeChanged {
            let (more, also) = patches.next().unwrap();
            hunks.extend(more);
            binary = binary || also;
        }
        if binary {
            assert_eq!(diff.content, ContentKind::Binary, "{a} {b} {}", diff.path());
        } else {
            let (ours, theirs) = (text(&diff), hunks);
            let shown = String::from_utf8_lossy(&theirs).into_owned();
            assert!(
                ours == theirs,
                "{a} {b} {}\n{shown}\n{}",
                diff.path(),
                String::from_utf8_lossy(&ours)
            );
        }
        if let Ok(path) = std::str::from_utf8(change.path()) {
            let alone = diff_path(db.reads(), db.repository_id, old, new, path)
                .await
                .unwrap();
            assert_eq!(alone.as_ref(), Some(&diff), "{a} {b} {path}");
        }
    }
    assert_eq!(patches.next(), None);
    statuses.extend(theirs.iter().map(|raw| raw.status.chars().next().unwrap()));
}

#[tokio::test]
async fn diffs_equal_gits() {
    for round in 0..trial_factor() as u64 {
        let git = history::random(seed() + 500 + round, 80);
        with_repository(async |db| {
            db.import(git.path()).await.unwrap();
            let commits = git.lines(&["rev-list", "--all"]);
            let mut random = StdRng::seed_from_u64(seed() + round);
            let mut statuses = String::new();
            for commit in commits.sample(&mut random, 40) {
                let parent = format!("{commit}^");
                if git.attempt(&["rev-parse", "-q", "--verify", &parent]).0 {
                    check_pair(&git, db, &parent, commit, &mut statuses).await;
                }
                let other = commits.choose(&mut random).unwrap();
                check_pair(&git, db, other, commit, &mut statuses).await;
            }
            for status in "ADMTR".chars() {
                assert!(statuses.contains(status), "no {status} among {statuses}");
            }
        })
        .await;
    }
}

#[tokio::test]
async fn an_unchanged_path_has_no_diff() {
    let git = history::random(seed() + 600, 10);
    with_repository(async |db| {
        db.import(git.path()).await.unwrap();
        let tree = tree(&git, "main").await;
        for path in ["", "nowhere", "no/where", "src", "src/"] {
            let diff = diff_path(db.reads(), db.repository_id, tree, tree, path)
                .await
                .unwrap();
            assert_eq!(diff, None, "{path}");
        }
        let files =
            String::from_utf8_lossy(&git.run(&["ls-tree", "-r", "-z", "--name-only", "main"]))
                .into_owned();
        for path in files.split('\0') {
            let diff = diff_path(db.reads(), db.repository_id, tree, tree, path)
                .await
                .unwrap();
            assert_eq!(diff, None, "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_followed_line_has_the_same_text_and_a_lost_one_is_removed() {
    let git = history::random(seed() + 700, 80);
    with_repository(async |db| {
        db.import(git.path()).await.unwrap();
        let (mut kept, mut lost) = (0, 0);
        for commit in git.lines(&["rev-list", "--all", "--max-parents=1", "--min-parents=1"]) {
            let (old, new) = (
                tree(&git, &format!("{commit}^")).await,
                tree(&git, &commit).await,
            );
            for change in changes(db.reads(), db.repository_id, old, new)
                .await
                .unwrap()
                .unwrap()
            {
                let diff = file_diff(db.reads(), db.repository_id, &change)
                    .await
                    .unwrap();
                let (Some(old), Some(new)) = (&change.old, &change.new) else {
                    continue;
                };
                if diff.hunks.is_empty() || !old.mode.is_regular() || !new.mode.is_regular() {
                    continue;
                }
                let lines = |sha: Sha| git.run(&["cat-file", "blob", &sha.to_string()]);
                let (before, after) = (lines(old.sha), lines(new.sha));
                let before: Vec<&[u8]> = before.split_inclusive(|byte| *byte == b'\n').collect();
                let after: Vec<&[u8]> = after.split_inclusive(|byte| *byte == b'\n').collect();
                for (number, line) in (1..).zip(before) {
                    match follow(db.reads(), db.repository_id, old.sha, new.sha, number)
                        .await
                        .unwrap()
                    {
                        Some(now) => {
                            assert_eq!(after[now as usize - 1], line);
                            kept += 1;
                        }
                        None => lost += 1,
                    }
                }
            }
        }
        assert!(kept > 100 && lost > 10, "{kept} kept, {lost} lost");
    })
    .await;
}
