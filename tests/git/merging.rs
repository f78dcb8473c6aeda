//! Compares merges and rebases with `git merge-tree` and `git rebase`: both produce the same
//! trees or both find a conflict.

use git::merge::{Merge, Merger, Onto, Replayed, replay};
use git::store::store_objects;
use git::walk::new_commits;
use git::{Sha, ancestry};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::database::{Db, seed, sha, trial_factor, with_repository};
use crate::support::git::{Git, run_in};
use crate::support::history;

fn tree(git: &Git, commit: &str) -> Sha {
    sha(&git.text(&["rev-parse", &format!("{commit}^{{tree}}")]))
}

/// Git's merge of two commits with this base; None if they conflict.
fn merged_by_git(git: &Git, base: &str, ours: &str, theirs: &str) -> Option<Sha> {
    let base = format!("--merge-base={base}");
    let (clean, printed) = git.attempt(&["merge-tree", "--write-tree", &base, ours, theirs]);
    clean.then(|| sha(printed.lines().next().unwrap()))
}

async fn merged_here(git: &Git, db: &Db, base: &str, ours: &str, theirs: &str) -> Option<Sha> {
    let [base, ours, theirs] = [base, ours, theirs].map(|commit| tree(git, commit));
    let mut merger = Merger::new(db.reads(), db.repository_id);
    let merged = merger.merge(base, ours, theirs).await.unwrap();
    let Merge::Tree(tree) = merged else {
        assert_eq!(merged, Merge::Conflict);
        return None;
    };
    let transaction = db.begin().await;
    let objects = merger.into_objects();
    store_objects(&transaction, db.repository_id, &objects)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    Some(tree)
}

async fn merge_base(db: &Db, one: &str, other: &str) -> Option<String> {
    let base = ancestry::merge_base(db.reads(), db.repository_id, sha(one), sha(other)).await;
    base.unwrap().map(|base| base.to_string())
}

#[tokio::test]
async fn merges_equal_gits() {
    for round in 0..trial_factor() as u64 {
        let git = history::random(seed() + 900 + round, 60);
        with_repository(async |db| {
            db.import(git.path()).await.unwrap();
            let commits = git.lines(&["rev-list", "--all"]);
            let mut random = StdRng::seed_from_u64(seed() + round);
            let (mut clean, mut conflicts) = (0, 0);
            for _ in 0..150 {
                let ours = commits.choose(&mut random).unwrap();
                let theirs = commits.choose(&mut random).unwrap();
                let Some(base) = merge_base(db, ours, theirs).await else {
                    continue;
                };
                let expected = merged_by_git(&git, &base, ours, theirs);
                let merged = merged_here(&git, db, &base, ours, theirs).await;
                assert_eq!(merged, expected, "{base} {ours} {theirs}");
                match merged {
                    Some(_) => clean += 1,
                    None => conflicts += 1,
                }
            }
            assert!(clean > 20 && conflicts > 5, "{clean} and {conflicts}");
        })
        .await;
    }
}

/// The tree, author and subject of the commits that `git rebase` creates.
fn rebased_by_git(git: &Git, onto: &str, branch: &str) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    git.run(&["worktree", "add", "-q", "--detach", path, branch]);
    let arguments = ["rebase", "-q", "--no-reapply-cherry-picks", onto];
    let output = run_in(folder.path(), &arguments, b"");
    let list = [
        "log",
        "--format=%T %an %s",
        "--reverse",
        &format!("{onto}..HEAD"),
    ];
    let commits = run_in(folder.path(), &list, b"").stdout;
    git.run(&["worktree", "remove", "--force", path]);
    let commits = String::from_utf8_lossy(&commits);
    output
        .status
        .success()
        .then(|| commits.lines().map(str::to_owned).collect())
}

async fn rebased_here(git: &Git, db: &Db, onto: &str, branch: &str) -> Option<Vec<String>> {
    let (reads, id) = (db.reads(), db.repository_id);
    let base = merge_base(db, onto, branch).await.unwrap();
    let found = new_commits(reads, id, &[sha(onto)], sha(branch), 1000).await;
    let mut commits = found.unwrap().commits;
    commits.reverse();
    let mut merger = Merger::new(reads, id);
    let place = Onto {
        commit: sha(onto),
        tree: tree(git, onto),
        base_tree: tree(git, &base),
    };
    let committer = b"Tess Ter <tess@example.com> 1700000000 +0000";
    match replay(&mut merger, place, &commits, committer)
        .await
        .unwrap()
    {
        Replayed::Commits(made) => {
            let shown = made.iter().map(|(_, commit)| {
                let message = String::from_utf8_lossy(commit.message.as_deref().unwrap_or(b""));
                let author = String::from_utf8_lossy(&commit.author);
                let author = author.split(" <").next().unwrap();
                let subject = message.lines().next().unwrap_or_default();
                format!("{} {author} {subject}", commit.tree)
            });
            Some(shown.collect())
        }
        Replayed::Conflict => None,
        Replayed::TooLarge => panic!("too large"),
    }
}

/// Two branches that change the same files at different or nearby lines.
fn forked(seed: u64) -> Git {
    let mut random = StdRng::seed_from_u64(seed);
    let git = Git::bare();
    let mut files: Vec<Vec<String>> = (0..4)
        .map(|file| {
            (0..30)
                .map(|line| format!("file {file} line {line}"))
                .collect()
        })
        .collect();
    let mut stream = Vec::new();
    let mut mark = 0;
    let mut commit =
        |branch: &str, from: Option<usize>, files: &[Vec<String>], gone: Option<usize>| {
            mark += 1;
            let message = format!("Commit {mark}\n");
            stream.extend(format!("commit refs/heads/{branch}\nmark :{mark}\n").bytes());
            stream.extend(b"committer Tess Ter <tess@example.com> 1700000000 +0000\n");
            stream.extend(format!("data {}\n{message}", message.len()).bytes());
            if let Some(from) = from {
                stream.extend(format!("from :{from}\n").bytes());
            }
            stream.extend(b"deleteall\n");
            for (number, lines) in files.iter().enumerate() {
                let folder = if gone == Some(number) {
                    "moved"
                } else {
                    "files"
                };
                let text = lines.join("\n") + "\n";
                stream.extend(
                    format!(
                        "M 100644 inline {folder}/{number}\ndata {}\n{text}",
                        text.len()
                    )
                    .bytes(),
                );
            }
            mark
        };
    let base = commit("main", None, &files, None);
    let start = files.clone();
    for branch in ["main", "topic"] {
        files.clone_from(&start);
        let (mut from, mut gone) = (base, None);
        for step in 0..3 {
            let file = random.random_range(0..files.len());
            let line = random.random_range(0..files[file].len());
            match random.random_range(0..4) {
                0 => files[file].insert(line, format!("{branch} {step}")),
                1 => drop(files[file].remove(line)),
                2 if gone.is_none() => gone = Some(file),
                _ => files[file][line] = format!("{branch} {step}"),
            }
            from = commit(branch, Some(from), &files, gone);
        }
    }
    git.feed(&["fast-import", "--quiet", "--force"], &stream);
    git
}

#[tokio::test]
async fn rebases_equal_gits() {
    let (mut clean, mut conflicts) = (0, 0);
    for round in 0..20 * trial_factor() as u64 {
        let git = forked(seed() + 1000 + round);
        let [main, topic] = ["main", "topic"].map(|branch| git.text(&["rev-parse", branch]));
        let found = std::sync::Mutex::new(None);
        with_repository(async |db| {
            db.import(git.path()).await.unwrap();
            let rebased = rebased_here(&git, db, &main, &topic).await;
            *found.lock().unwrap() = Some(rebased);
        })
        .await;
        let rebased = found.into_inner().unwrap().unwrap();
        assert_eq!(
            rebased,
            rebased_by_git(&git, &main, &topic),
            "round {round}"
        );
        match rebased {
            Some(_) => clean += 1,
            None => conflicts += 1,
        }
    }
    assert!(clean > 5 && conflicts > 0, "{clean} and {conflicts}");
}
