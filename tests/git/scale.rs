//! Long histories: how long an import takes, and that questions about the far
//! ends of a history are not answered by reading all of it. Prints what it
//! measured.

use std::time::{Duration, Instant};

use forgewright::git::ancestry::{is_ancestor, merge_base};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::database::{Db, commits, on_each, seed, sha};
use crate::history::push_commit;
use crate::program::Git;

/// One line of history; each commit changes a file of three.
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
    imported_stream(&stream)
}

/// A main line into which every branch of a few commits is merged.
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

fn imported_stream(stream: &[u8]) -> Git {
    let git = Git::bare();
    git.feed(&["fast-import", "--quiet", "--force"], stream);
    git
}

async fn timed_import(git: &Git, db: &Db, what: &str) {
    let start = Instant::now();
    let imported = db.import(git.path()).await.unwrap();
    println!(
        "{what}: {} commits and {} objects imported in {:.1?}; {} kB resident at most",
        imported.new_commits,
        imported.new_objects,
        start.elapsed(),
        peak_memory()
    );
    let start = Instant::now();
    assert_eq!(db.import(git.path()).await.unwrap().new_objects, 0);
    println!("{what}: imported again in {:.1?}", start.elapsed());
}

/// Asks whether a commit contains another, and says how long it took.
async fn contains(db: &Db, git: &Git, [old, new]: [&str; 2]) -> (bool, Duration) {
    let [a, b] = [old, new].map(|name| sha(&git.text(&["rev-parse", name])));
    let start = Instant::now();
    let answer = is_ancestor(db.reads(), db.repository_id, a, b)
        .await
        .unwrap();
    let elapsed = start.elapsed();
    println!("  {old} in {new}: {answer} in {elapsed:.1?}");
    (answer, elapsed)
}

/// Asks for a merge base, which has to be that of Git, and says how long it took.
async fn based(db: &Db, git: &Git, [one, other]: [&str; 2]) -> Duration {
    let [a, b] = [one, other].map(|name| sha(&git.text(&["rev-parse", name])));
    let start = Instant::now();
    let base = merge_base(db.reads(), db.repository_id, a, b)
        .await
        .unwrap();
    let elapsed = start.elapsed();
    assert_eq!(base, Some(sha(&git.text(&["merge-base", one, other]))));
    println!("  merge base of {one} and {other} in {elapsed:.1?}");
    elapsed
}

#[tokio::test]
async fn the_far_ends_of_a_line_are_leapt_to() {
    let git = linear(commits());
    on_each(async |db| {
        timed_import(&git, db, "a line").await;
        let (down, took) = contains(db, &git, ["root", "main"]).await;
        assert!(down && took < Duration::from_secs(1));
        let (up, took) = contains(db, &git, ["main", "root"]).await;
        assert!(!up && took < Duration::from_secs(1));
        let took = based(db, &git, ["root", "main"]).await;
        assert!(took < Duration::from_secs(1));
    })
    .await;
}

#[tokio::test]
async fn a_bushy_history_is_walked_within_bounds() {
    let git = bushy(commits());
    on_each(async |db| {
        timed_import(&git, db, "a bush").await;
        assert!(contains(db, &git, ["root", "main"]).await.0);
        assert!(contains(db, &git, ["side", "main"]).await.0);
        assert!(contains(db, &git, ["main^2", "main"]).await.0);
        assert!(!contains(db, &git, ["aside", "main"]).await.0);
        based(db, &git, ["aside", "main"]).await;
        based(db, &git, ["main~3", "main^2"]).await;
    })
    .await;
}

/// The most memory that this process had, in kilobytes.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("?".to_owned(), |line| {
        line.trim().trim_end_matches(" kB").to_owned()
    })
}
