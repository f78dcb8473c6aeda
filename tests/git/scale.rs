//! Long histories: queries about two commits read only a few rows, however long the history.
//! The tests print the times of imports and queries, but assert only the number of rows.

use std::collections::VecDeque;
use std::time::Instant;

use git::ancestry::{is_ancestor, merge_base};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::counting::Counting;
use crate::database::{Db, commits, seed, sha, with_repository};
use crate::support::git::Git;
use crate::support::history::push_commit;

/// Two commits, and the pages of one lookup in a table of 16⁸ chains.
const ROWS_PER_LOOKUP: usize = 2 + 8;

/// The limit for a merge base: two tables, and a few candidates with their tables.
const ROWS_PER_QUERY: usize = 100;

/// The additional limit for each merge base if there are several.
const ROWS_PER_BASE: usize = 2;

/// A linear history. Each commit changes a file, and every second one is tagged.
fn linear(count: usize) -> Git {
    let mut stream = Vec::new();
    for mark in 1..=count {
        let parents: Vec<usize> = (mark > 1).then(|| mark - 1).into_iter().collect();
        push_commit(&mut stream, mark, "A <a@b>", 1_600_000_000 + mark, &parents);
        let content = format!("content {mark}\n");
        let path = format!("dir{}/file{}", mark % 10, mark % 30);
        stream.extend(format!("M 644 inline {path}\ndata {}\n{content}\n", content.len()).bytes());
    }
    stream.extend(format!("reset refs/heads/main\nfrom :{count}\n").bytes());
    stream.extend(b"reset refs/heads/root\nfrom :1\n");
    for mark in (1..=count).step_by(2) {
        stream.extend(format!("reset refs/tags/t{mark}\nfrom :{mark}\n").bytes());
    }
    imported_stream(&stream)
}

/// A main branch that merges many short branches.
fn bushy(count: usize) -> Git {
    let mut random = StdRng::seed_from_u64(seed());
    let mut stream = Vec::new();
    let mut main = vec![1];
    push_commit(&mut stream, 1, "A <a@b>", 1_600_000_000, &[]);
    let mut mark = 1;
    let mut first_side = None;
    while mark < count {
        let lowest = main.len().saturating_sub(20);
        let mut tip = main[random.random_range(lowest..main.len())];
        for _ in 0..random.random_range(1..4) {
            mark += 1;
            push_commit(&mut stream, mark, "A <a@b>", 1_600_000_000 + mark, &[tip]);
            tip = mark;
        }
        first_side.get_or_insert(tip);
        mark += 1;
        push_commit(
            &mut stream,
            mark,
            "A <a@b>",
            1_600_000_000 + mark,
            &[main[main.len() - 1], tip],
        );
        main.push(mark);
    }
    stream.extend(format!("reset refs/heads/main\nfrom :{mark}\n").bytes());
    stream.extend(format!("reset refs/heads/side\nfrom :{}\n", first_side.unwrap()).bytes());
    stream.extend(b"reset refs/heads/root\nfrom :1\n");
    push_commit(&mut stream, mark + 1, "A <a@b>", 1_600_000_000 + mark, &[1]);
    stream.extend(format!("reset refs/heads/aside\nfrom :{}\n", mark + 1).bytes());
    imported_stream(&stream)
}

/// Two trunks that never merge each other. Both merge the same branches at different times, and
/// some branches merge their trunk.
fn two_trunks(count: usize) -> Git {
    let mut random = StdRng::seed_from_u64(seed());
    let mut stream = Vec::new();
    let mut mark = 0;
    let mut commit = |stream: &mut Vec<u8>, parents: &[usize]| {
        mark += 1;
        push_commit(stream, mark, "A <a@b>", 1_600_000_000 + mark, parents);
        mark
    };
    let root = commit(&mut stream, &[]);
    let (mut main, mut next) = (vec![root], root);
    let mut topics = VecDeque::new();
    while main.len() * 4 < count {
        let lowest = main.len().saturating_sub(20);
        let mut topic = commit(
            &mut stream,
            &[main[random.random_range(lowest..main.len())]],
        );
        if random.random_ratio(1, 3) {
            topic = commit(&mut stream, &[topic, main[main.len() - 1]]);
        }
        main.push(commit(&mut stream, &[main[main.len() - 1], topic]));
        topics.push_back(commit(&mut stream, &[root]));
        if topics.len() > 10 {
            let late = topics.pop_front().unwrap();
            next = commit(&mut stream, &[next, late]);
            main.push(commit(&mut stream, &[main[main.len() - 1], late]));
        }
    }
    let topic = *topics.front().unwrap();
    for (name, mark) in [
        ("root", root),
        ("main", main[main.len() - 1]),
        ("next", next),
        ("topic", topic),
    ] {
        stream.extend(format!("reset refs/heads/{name}\nfrom :{mark}\n").bytes());
    }
    imported_stream(&stream)
}

fn imported_stream(stream: &[u8]) -> Git {
    let git = Git::bare();
    git.feed(&["fast-import", "--quiet", "--force"], stream);
    git
}

async fn timed_import(git: &Git, db: &Db, what: &str) {
    let start = Instant::now();
    let imported = db.import(git.path()).await.unwrap();
    println!(
        "{what}: {} commits and {} objects imported in {:.1?}; peak memory {} kB",
        imported.new_commits,
        imported.new_objects,
        start.elapsed(),
        peak_memory()
    );
    let start = Instant::now();
    assert_eq!(db.import(git.path()).await.unwrap().new_objects, 0);
    println!("{what}: imported again in {:.1?}", start.elapsed());
}

/// Checks whether a commit contains another. The result must equal Git's and take few rows.
async fn contains(db: &Db, git: &Git, [old, new]: [&str; 2]) -> usize {
    let [a, b] = [old, new].map(|name| sha(&git.text(&["rev-parse", name])));
    let counting = Counting::new(db.database());
    let start = Instant::now();
    let contained = is_ancestor(&counting, db.repository_id, a, b)
        .await
        .unwrap();
    let (elapsed, rows) = (start.elapsed(), counting.rows());
    let (expected, _) = git.attempt(&["merge-base", "--is-ancestor", old, new]);
    assert_eq!(contained, expected, "{old} {new}");
    println!(
        "  {old} in {new}: {contained}, {rows} rows of {} queries in {elapsed:.1?}",
        counting.queries()
    );
    assert!(rows <= ROWS_PER_LOOKUP, "{rows} rows");
    rows
}

/// Finds a merge base. The result must equal Git's and take few rows.
async fn find_base(db: &Db, git: &Git, [one, other]: [&str; 2]) -> usize {
    let [a, b] = [one, other].map(|name| sha(&git.text(&["rev-parse", name])));
    let counting = Counting::new(db.database());
    let start = Instant::now();
    let base = merge_base(&counting, db.repository_id, a, b).await.unwrap();
    let (elapsed, rows) = (start.elapsed(), counting.rows());
    let (_, expected) = git.attempt(&["merge-base", one, other]);
    assert_eq!(base.map_or(String::new(), |sha| sha.to_string()), expected);
    println!(
        "  merge base of {one} and {other}: {rows} rows of {} queries in {elapsed:.1?}",
        counting.queries()
    );
    let (_, all) = git.attempt(&["merge-base", "--all", one, other]);
    let bases = all.lines().count();
    let allowed = ROWS_PER_QUERY + ROWS_PER_BASE * bases;
    assert!(rows <= allowed, "{rows} rows for {bases} merge bases");
    rows
}

/// Prints the maximum number of rows for random pairs of commits.
async fn random_pairs(db: &Db, git: &Git) {
    let all = git.lines(&["rev-list", "--all"]);
    let mut random = StdRng::seed_from_u64(seed());
    let mut most = (0, 0);
    for _ in 0..20 {
        let pair = [(); 2].map(|()| all[random.random_range(0..all.len())].as_str());
        most.0 = most.0.max(contains(db, git, pair).await);
        most.1 = most.1.max(find_base(db, git, pair).await);
    }
    println!("  at most {} rows and {} for a merge base", most.0, most.1);
}

#[tokio::test]
async fn comparing_the_ends_of_a_linear_history_reads_few_rows() {
    let git = linear(commits());
    with_repository(async |db| {
        timed_import(&git, db, "a linear history").await;
        contains(db, &git, ["root", "main"]).await;
        contains(db, &git, ["main", "root"]).await;
        find_base(db, &git, ["root", "main"]).await;
        random_pairs(db, &git).await;
    })
    .await;
}

#[tokio::test]
async fn comparing_the_ends_of_a_history_with_many_merges_reads_few_rows() {
    let git = bushy(commits());
    with_repository(async |db| {
        timed_import(&git, db, "a history with many merges").await;
        for pair in [
            ["root", "main"],
            ["side", "main"],
            ["main^2", "main"],
            ["aside", "main"],
            ["main", "aside"],
        ] {
            contains(db, &git, pair).await;
        }
        find_base(db, &git, ["aside", "main"]).await;
        find_base(db, &git, ["side", "main^2"]).await;
        find_base(db, &git, ["main~3", "main^2"]).await;
        random_pairs(db, &git).await;
    })
    .await;
}

#[tokio::test]
async fn comparing_two_trunks_that_merge_the_same_branches_reads_few_rows() {
    let git = two_trunks(commits());
    with_repository(async |db| {
        timed_import(&git, db, "two trunks").await;
        for pair in [
            ["main~5", "next"],
            ["next~9", "main"],
            ["root", "next"],
            ["topic", "next"],
            ["topic", "main"],
        ] {
            contains(db, &git, pair).await;
        }
        find_base(db, &git, ["main", "next"]).await;
        random_pairs(db, &git).await;
    })
    .await;
}

/// The peak memory of this process, in kilobytes.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("?".to_owned(), |line| {
        line.trim().trim_end_matches(" kB").to_owned()
    })
}
