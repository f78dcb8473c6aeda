//! Compares diffs, patches, histories by path and their lengths with the output of `git diff`,
//! `git format-patch` and `git rev-list`.

use git::ancestry::count_reached;
use git::diff::{changes, diff_text, joined};
use git::log::{LogFilter, log};
use git::patch::{SeriesPosition, mail};
use git::store::load_commit;

use crate::database::{Db, seed, sha, with_repository};
use crate::support::git::Git;
use crate::support::history;

const SINGLE: SeriesPosition = SeriesPosition {
    number: 1,
    total: 1,
};

/// The commits with one parent.
fn simple_commits(git: &Git) -> Vec<String> {
    git.lines(&["rev-list", "--all", "--max-parents=1", "--min-parents=1"])
}

#[tokio::test]
async fn the_text_of_a_diff_equals_gits() {
    let git = history::random(seed() + 800, 80);
    with_repository(async |db| {
        db.import(git.path()).await.unwrap();
        let mut checked = 0;
        for commit in simple_commits(&git) {
            let (ours, _) = texts(db, &commit).await;
            let parent = format!("{commit}^");
            let theirs = git.run(&["diff", "--no-color", "-M", "--abbrev=7", &parent, &commit]);
            let shown = String::from_utf8_lossy(&theirs);
            assert!(
                ours == theirs,
                "{shown}\n{}",
                String::from_utf8_lossy(&ours)
            );
            checked += 1;
        }
        assert!(checked > 20, "only {checked}");
    })
    .await;
}

/// The diff of a commit, and the commit as a mail-formatted patch.
async fn texts(db: &Db, commit: &str) -> (Vec<u8>, Vec<u8>) {
    let (id, sha) = (db.repository_id, sha(commit));
    let commit = load_commit(db.reads(), id, sha).await.unwrap();
    let parent = load_commit(db.reads(), id, commit.parents[0])
        .await
        .unwrap();
    let changed = changes(db.reads(), id, parent.tree, commit.tree).await;
    let files = diff_text(db.reads(), id, &changed.unwrap().unwrap()).await;
    let files = files.unwrap().unwrap();
    (joined(&files), mail(sha, &commit, &files, SINGLE))
}

/// The patch equals Git's up to the diff, except that Git folds long subjects.
#[tokio::test]
async fn a_mail_formatted_patch_equals_gits() {
    let git = history::random(seed() + 801, 80);
    with_repository(async |db| {
        db.import(git.path()).await.unwrap();
        let mut checked = 0;
        for commit in simple_commits(&git) {
            let (_, ours) = texts(db, &commit).await;
            let theirs = git.run(&[
                "format-patch",
                "-1",
                "--stdout",
                "--no-signature",
                "--no-binary",
                "-M",
                "--abbrev=7",
                "--no-encode-email-headers",
                &commit,
            ]);
            let (ours, theirs) = (head(&ours), head(&theirs));
            if theirs.contains(" | Bin") || ours.contains("=?UTF-8?") {
                continue;
            }
            assert_eq!(ours, theirs);
            checked += 1;
        }
        assert!(checked > 10, "only {checked}");
    })
    .await;
}

fn head(mail: &[u8]) -> String {
    let text = String::from_utf8_lossy(mail).into_owned();
    let end = text.find("\ndiff --git ").unwrap_or(text.len());
    text[..end].to_owned()
}

#[tokio::test]
async fn the_list_and_the_length_of_a_history_equal_gits() {
    let git = history::random(seed() + 802, 120);
    with_repository(async |db| {
        db.import(git.path()).await.unwrap();
        let id = db.repository_id;
        let tip = git.text(&["rev-parse", "main"]);
        let count: i64 = git.text(&["rev-list", "--count", "main"]).parse().unwrap();
        let ours = count_reached(db.reads(), id, sha(&tip)).await.unwrap();
        assert_eq!(ours, count);
        let all = git.lines(&["rev-list", "main"]);
        let page = log(db.reads(), id, sha(&tip), LogFilter::default(), 0, 1000);
        let page = page.await.unwrap();
        assert!(!page.more);
        let found: Vec<String> = page.commits.iter().map(ToString::to_string).collect();
        assert_eq!(found, all);
        for path in ["README.md", "src", "src/lib.rs", "dir/file", "nowhere"] {
            let theirs = git.text(&["rev-list", "main", "--", path]);
            let theirs: Vec<&str> = theirs.lines().collect();
            let filter = LogFilter {
                path: Some(path),
                ..LogFilter::default()
            };
            let page = log(db.reads(), id, sha(&tip), filter, 0, 1000)
                .await
                .unwrap();
            let found: Vec<String> = page.commits.iter().map(ToString::to_string).collect();
            assert_eq!(found, theirs, "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_lengths_of_tangled_histories_equal_gits() {
    let git = history::tangled(seed() + 803, 200);
    with_repository(async |db| {
        db.import(git.path()).await.unwrap();
        for commit in git.lines(&["rev-list", "--all"]) {
            let count: i64 = git.text(&["rev-list", "--count", &commit]).parse().unwrap();
            let ours = count_reached(db.reads(), db.repository_id, sha(&commit));
            assert_eq!(ours.await.unwrap(), count, "{commit}");
        }
    })
    .await;
}
