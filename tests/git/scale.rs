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

async fn timed(what: &str, question: impl Future<Output = bool>) -> Duration {
    let start = Instant::now();
    let answer = question.await;
    let elapsed = start.elapsed();
    println!("{what}: {answer} in {elapsed:.1?}");
    elapsed
}

async fn contains(db: &Db, git: &Git, old: &str, new: &str) -> bool {
    let (old, new) = (
        sha(&git.text(&["rev-parse", old])),
        sha(&git.text(&["rev-parse", new])),
    );
    is_ancestor(db.reads(), db.repository_id, old, new)
        .await
        .unwrap()
}

async fn based_on(db: &Db, git: &Git, one: &str, other: &str) -> bool {
    let (a, b) = (
        sha(&git.text(&["rev-parse", one])),
        sha(&git.text(&["rev-parse", other])),
    );
    let base = merge_base(db.reads(), db.repository_id, a, b)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(base, sha(&git.text(&["merge-base", one, other])));
    base == a || base == b
}

#[tokio::test]
async fn the_far_ends_of_a_line_are_leapt_to() {
    let git = linear(commits());
    on_each(async |db| {
        timed_import(&git, db, "a line").await;
        let down = timed("a line, root in tip", contains(db, &git, "root", "main")).await;
        timed("a line, tip in root", contains(db, &git, "main", "root")).await;
        timed(
            "a line, merge base of its ends",
            based_on(db, &git, "root", "main"),
        )
        .await;
        assert!(down < Duration::from_secs(1), "{down:?}");
    })
    .await;
}

#[tokio::test]
async fn a_bushy_history_is_walked_within_bounds() {
    let git = bushy(commits());
    on_each(async |db| {
        timed_import(&git, db, "a bush").await;
        timed(
            "a bush, root in tip",
            contains(db, &git, "main~100", "main"),
        )
        .await;
        timed(
            "a bush, first branch in tip",
            contains(db, &git, "side", "main"),
        )
        .await;
        timed(
            "a bush, a stranger in tip",
            contains(db, &git, "aside", "main"),
        )
        .await;
        timed(
            "a bush, a branch in the next merge",
            contains(db, &git, "main^2", "main"),
        )
        .await;
        timed(
            "a bush, base of a far branch",
            based_on(db, &git, "aside", "main"),
        )
        .await;
        timed(
            "a bush, base of a near branch",
            based_on(db, &git, "main~3", "main^2"),
        )
        .await;
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
