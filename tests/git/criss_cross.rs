//! Compares merges of branches that have merged each other with `git merge-tree`.

use std::collections::BTreeMap;

use git::merge::{Merge, Merger};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::database::{seed, sha, trial_factor, with_repository};
use crate::support::git::Git;

/// Two branches that merge each other repeatedly, so that they have several merge bases. The
/// commits replace, insert and remove lines, and add, delete and move files.
fn criss_crossed(seed: u64) -> Git {
    let mut random = StdRng::seed_from_u64(seed);
    let git = Git::bare();
    let mut writer = CrissCross::default();
    let start: Files = (0..3)
        .map(|file| {
            let lines = (0..9).map(|line| format!("file {file} line {line}"));
            (format!("files/{file}"), lines.collect())
        })
        .collect();
    let base = writer.commit("main", &[], &start);
    let mut tips = [(base, start.clone()), (base, start)];
    for _ in 0..random.random_range(1..4) {
        for (tip, branch) in tips.iter_mut().zip(["main", "topic"]) {
            for _ in 0..random.random_range(1..3) {
                change(&mut random, &mut tip.1);
                tip.0 = writer.commit(branch, &[tip.0], &tip.1);
            }
        }
        let old = tips.clone();
        for (this, branch) in ["main", "topic"].into_iter().enumerate() {
            let (mine, other) = (&old[this], &old[1 - this]);
            let merged = resolved(&mut random, &mine.1, &other.1);
            let parents = [mine.0, other.0];
            tips[this] = (writer.commit(branch, &parents, &merged), merged);
        }
    }
    for (tip, branch) in tips.iter_mut().zip(["main", "topic"]) {
        change(&mut random, &mut tip.1);
        tip.0 = writer.commit(branch, &[tip.0], &tip.1);
    }
    git.feed(&["fast-import", "--quiet", "--force"], &writer.stream);
    git
}

/// Lines by path.
type Files = BTreeMap<String, Vec<String>>;

#[derive(Default)]
struct CrissCross {
    stream: Vec<u8>,
    marks: usize,
}

impl CrissCross {
    fn commit(&mut self, branch: &str, parents: &[usize], files: &Files) -> usize {
        self.marks += 1;
        let (mark, seconds) = (self.marks, 1_700_000_000 + self.marks);
        let mut text = format!("commit refs/heads/{branch}\nmark :{mark}\n");
        text += &format!("committer Tess Ter <tess@example.com> {seconds} +0000\n");
        text += "data 2\nx\n";
        for (parent, word) in parents.iter().zip(["from", "merge"]) {
            text += &format!("{word} :{parent}\n");
        }
        text += "deleteall\n";
        for (path, lines) in files {
            let lines = lines.join("\n") + "\n";
            let length = lines.len();
            text += &format!("M 100644 inline {path}\ndata {length}\n{lines}");
        }
        self.stream.extend(text.bytes());
        mark
    }
}

fn change(random: &mut StdRng, files: &mut Files) {
    let word = format!("new {}", random.random_range(0..1000));
    let paths: Vec<String> = files.keys().cloned().collect();
    let Some(path) = paths.choose(random) else {
        files.insert("again".to_owned(), vec![word]);
        return;
    };
    let mut lines = files.remove(path).unwrap_or_default();
    let at = random.random_range(0..lines.len().max(1));
    match random.random_range(0..14) {
        0 => return,
        1 => {
            files.insert(format!("moved/{word}"), lines);
            return;
        }
        2 => drop(files.insert(word, vec!["another".to_owned()])),
        3 if lines.len() > 4 => drop(lines.remove(at)),
        4 | 5 => lines.insert(at, word),
        _ if at < lines.len() => lines[at] = word,
        _ => lines.push(word),
    }
    files.insert(path.clone(), lines);
}

/// A plausible merge result: each file and line comes from either side.
fn resolved(random: &mut StdRng, ours: &Files, theirs: &Files) -> Files {
    let mut merged = ours.clone();
    for (path, lines) in theirs {
        let Some(mine) = merged.get_mut(path) else {
            if random.random_bool(0.5) {
                merged.insert(path.clone(), lines.clone());
            }
            continue;
        };
        for (mine, other) in mine.iter_mut().zip(lines) {
            if random.random_bool(0.5) {
                mine.clone_from(other);
            }
        }
    }
    merged
}

/// Like Git, the merger merges the merge bases first. If the bases conflict about file names,
/// Git invents new names; here that is a conflict.
#[tokio::test]
async fn merges_after_criss_cross_merges_equal_gits() {
    let (mut clean, mut conflicts, mut extra_conflicts) = (0, 0, 0);
    for round in 0..60 * trial_factor() as u64 {
        let git = criss_crossed(seed() + 2000 + round);
        let [main, topic] = ["main", "topic"].map(|branch| git.text(&["rev-parse", branch]));
        if git.lines(&["merge-base", "--all", &main, &topic]).len() < 2 {
            continue;
        }
        let (found, expected) = git.attempt(&["merge-tree", "--write-tree", &main, &topic]);
        let expected = found.then(|| sha(expected.lines().next().unwrap()));
        let result = std::sync::Mutex::new(None);
        with_repository(async |db| {
            db.import(git.path()).await.unwrap();
            let mut merger = Merger::new(db.reads(), db.repository_id);
            let merged = merger.merge_commits(sha(&main), sha(&topic)).await.unwrap();
            *result.lock().unwrap() = Some(merged);
        })
        .await;
        match (result.into_inner().unwrap().unwrap(), expected) {
            (Merge::Tree(tree), expected) => {
                assert_eq!(Some(tree), expected, "round {round}");
                clean += 1;
            }
            (Merge::Conflict, None) => conflicts += 1,
            (Merge::Conflict, Some(_)) => extra_conflicts += 1,
            (Merge::TooLarge, _) => panic!("round {round} is too large"),
        }
    }
    println!("{clean} clean, {conflicts} conflicts, {extra_conflicts} only here");
    assert!(clean > 5 && conflicts > 5, "{clean} and {conflicts}");
    assert!(extra_conflicts * 10 < clean, "{extra_conflicts} of {clean}");
}
