//! Objects of an unfinished push are invisible, and nothing that others store meanwhile is deleted
//! with them.

use std::collections::BTreeSet;
use std::sync::Arc;

use forgewright::doctor::examine;
use git::export::export;
use git::graph::{self, NewCommit, add_commits};
use git::log::by_prefix;
use git::objects::Commit;
use git::pack::{PackLimits, PackWriter, receive};
use git::store::{CompressedContent, heads, load, load_many, store_objects};
use git::uploads::{GitUpload, Uploads, abandon, abandoned, sweep};
use git::{GitError, Sha};
use sea_orm::{EntityTrait, PaginatorTrait};
use storage::entities::{git_commit, git_object, git_upload};
use storage::entropy::SeededEntropy;

use crate::database::{Db, NOW, seed, with_repository};
use crate::packs::{check_stored, edits, names_of, packed, pushed};
use crate::support::git::Git;
use crate::support::history;

/// More seconds than a process is silent unless it died.
const LATER: i64 = NOW + 1000;

fn process(number: u64) -> (Arc<Uploads>, SeededEntropy) {
    (Uploads::new(Arc::default()), SeededEntropy::new(number))
}

async fn begin(db: &Db, (uploads, entropy): &(Arc<Uploads>, SeededEntropy)) -> Option<GitUpload> {
    let transaction = db.begin().await;
    let upload = uploads.begin(&transaction, entropy, db.repository_id, NOW);
    let upload = upload.await.unwrap();
    transaction.commit().await.unwrap();
    upload
}

async fn writer(db: &Db, upload: &GitUpload, pack: &[u8]) -> PackWriter {
    let (reads, id) = (db.reads(), db.repository_id);
    let pack = receive(pack, PackLimits::default(), reads, id).await;
    let pack = pack.unwrap().connected(reads, id).await.unwrap();
    pack.writer(reads, id, Some(upload.id())).await.unwrap()
}

/// Stores the next batch; false after the last.
async fn step(db: &Db, upload: &GitUpload, writer: &mut PackWriter) -> bool {
    let Some(batch) = writer.next().await.unwrap() else {
        return false;
    };
    let transaction = db.begin().await;
    upload.renew(&transaction, NOW).await.unwrap();
    writer.write(&transaction, batch).await.unwrap();
    transaction.commit().await.unwrap();
    true
}

async fn finish(db: &Db, upload: GitUpload) {
    let transaction = db.begin().await;
    upload.finish(&transaction).await.unwrap();
    transaction.commit().await.unwrap();
}

async fn candidates(db: &Db, uploads: &Uploads, now: i64) -> Vec<git_upload::Model> {
    abandoned(db.reads(), uploads, now).await.unwrap()
}

/// One batch; false if nothing is left.
async fn sweep_once(db: &Db, uploads: &Uploads, now: i64) -> bool {
    let Some(row) = candidates(db, uploads, now).await.pop() else {
        return false;
    };
    let transaction = db.begin().await;
    assert!(abandon(&transaction, &row).await.unwrap());
    transaction.commit().await.unwrap();
    let transaction = db.begin().await;
    let more = sweep(&transaction, &row).await.unwrap();
    transaction.commit().await.unwrap();
    more
}

async fn sweep_all(db: &Db, uploads: &Uploads, now: i64) {
    while sweep_once(db, uploads, now).await {}
}

async fn rows(db: &Db) -> (u64, u64) {
    let objects = git_object::Entity::find().count(db.reads()).await.unwrap();
    let commits = git_commit::Entity::find().count(db.reads()).await.unwrap();
    (objects, commits)
}

async fn check_healthy(db: &Db) {
    let report = examine(db.reads(), true).await.unwrap();
    assert_eq!(report.findings, []);
}

async fn check_invisible(db: &Db, names: &BTreeSet<Sha>) {
    let (reads, id) = (db.reads(), db.repository_id);
    let all: Vec<Sha> = names.iter().copied().collect();
    assert!(heads(reads, id, &all).await.unwrap().is_empty());
    assert!(load_many(reads, id, &all).await.unwrap().is_empty());
    assert!(graph::find_many(reads, id, &all).await.unwrap().is_empty());
    for name in &all[..5] {
        assert!(load(reads, id, *name).await.unwrap().is_none());
        assert!(graph::find(reads, id, *name).await.unwrap().is_none());
        let bytes = CompressedContent::loading_bytes(reads, id, *name).await;
        assert!(matches!(bytes, Err(GitError::Missing(_))));
    }
    for name in &all {
        let found = by_prefix(reads, id, &name.to_string()[..20]).await;
        assert_eq!(found.unwrap(), None);
    }
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().to_owned();
    export(reads, id, "main", to, &mut |_| {}).await.unwrap();
    let exported = crate::support::git::run_in(folder.path(), &["count-objects", "-v"], b"");
    let exported = String::from_utf8(exported.stdout).unwrap();
    assert!(exported.contains("in-pack: 0"), "{exported}");
}

/// A history with merges and chains of deltas, of several batches.
fn large() -> Git {
    let git = history::random(seed() + 9100, 400);
    git.run(&["update-ref", "refs/heads/merges", "main"]);
    edits(&git, 0, 40);
    git
}

/// Commits that reach about half of it.
fn half(git: &Git) -> [String; 2] {
    let merges = git.lines(&["rev-list", "--topo-order", "merges"]);
    let edited = git.text(&["rev-parse", "main~15"]);
    [merges[merges.len() / 2].clone(), edited]
}

#[tokio::test]
async fn an_upload_is_invisible_until_it_is_finished() {
    let git = large();
    let (pack, names) = (packed(&git, &["--all"], ""), names_of(&git, &["--all"]));
    with_repository(async |db| {
        let process = process(1);
        let upload = begin(db, &process).await.unwrap();
        assert!(begin(db, &process).await.is_none(), "two at a time");
        let mut writer = writer(db, &upload, &pack).await;
        let mut batches = 0;
        while step(db, &upload, &mut writer).await {
            batches += 1;
            check_healthy(db).await;
        }
        assert!(batches > 3, "the pack is stored in {batches} batches");
        check_invisible(db, &names).await;
        assert!(candidates(db, &process.0, LATER).await.is_empty());
        finish(db, upload).await;
        check_stored(db, &names).await;
        check_healthy(db).await;
        let again = pushed(db, &pack).await.unwrap();
        assert_eq!((again.new_objects, again.new_commits), (0, 0));
        assert!(begin(db, &process).await.is_some(), "the first has ended");
    })
    .await;
}

#[tokio::test]
async fn an_abandoned_upload_is_deleted_and_cannot_be_continued() {
    let git = large();
    let pack = packed(&git, &["--all"], "");
    with_repository(async |db| {
        let (one, other) = (process(1), process(2));
        let upload = begin(db, &one).await.unwrap();
        let mut writer = writer(db, &upload, &pack).await;
        while step(db, &upload, &mut writer).await {}
        assert!(candidates(db, &other.0, NOW + 5).await.is_empty());
        assert!(sweep_once(db, &other.0, LATER).await, "one batch is enough");
        let transaction = db.begin().await;
        upload.renew(&transaction, LATER).await.unwrap_err();
        upload.finish(&transaction).await.unwrap_err();
        transaction.rollback().await.unwrap();
        assert!(begin(db, &other).await.is_none(), "it is not deleted yet");
        drop(upload);
        // The push has ended, so its own process need not wait.
        while sweep_once(db, &one.0, NOW).await {
            check_healthy(db).await;
        }
        assert_eq!(rows(db).await, (0, 0));
        assert!(begin(db, &other).await.is_some());
    })
    .await;
}

#[tokio::test]
async fn an_upload_that_was_continued_is_not_abandoned() {
    with_repository(async |db| {
        let (one, other) = (process(1), process(2));
        let upload = begin(db, &one).await.unwrap();
        let seen = candidates(db, &other.0, LATER).await.pop().unwrap();
        let transaction = db.begin().await;
        upload.renew(&transaction, LATER).await.unwrap();
        transaction.commit().await.unwrap();
        let transaction = db.begin().await;
        assert!(!abandon(&transaction, &seen).await.unwrap());
        transaction.rollback().await.unwrap();
        finish(db, upload).await;
    })
    .await;
}

/// What others store of an upload is complete, whatever becomes of the upload, and when.
#[tokio::test]
async fn objects_that_others_store_meanwhile_survive_the_upload() {
    let git = large();
    // Other bases and depths, so that a mixture would be noticed.
    let other = ["--no-reuse-delta", "--window=3", "--depth=5"];
    let part = half(&git);
    let kept = names_of(&git, &part.each_ref().map(String::as_str));
    let part = packed(&git, &other, &part.join("\n"));
    let pack = packed(&git, &["--window=50", "--all"], "");
    let names = names_of(&git, &["--all"]);
    for (steps, swept) in [(1, 0), (2, 1), (4, 2), (usize::MAX, 0), (usize::MAX, 2)] {
        with_repository(async |db| {
            let process = process(1);
            let upload = begin(db, &process).await.unwrap();
            let mut writer = writer(db, &upload, &pack).await;
            let mut taken = 0;
            while taken < steps && step(db, &upload, &mut writer).await {
                taken += 1;
            }
            drop(upload);
            for _ in 0..swept {
                sweep_once(db, &process.0, NOW).await;
            }
            pushed(db, &part).await.unwrap();
            check_healthy(db).await;
            sweep_all(db, &process.0, NOW).await;
            check_stored(db, &kept).await;
            check_healthy(db).await;
            pushed(db, &pack).await.unwrap();
            check_stored(db, &names).await;
            check_healthy(db).await;
        })
        .await;
    }
}

#[tokio::test]
async fn an_upload_is_complete_although_others_store_a_part_of_it() {
    let git = large();
    let part = packed(&git, &["--window=3"], &half(&git).join("\n"));
    let pack = packed(&git, &["--window=50", "--all"], "");
    let names = names_of(&git, &["--all"]);
    for steps in [1, 3, 5, usize::MAX] {
        with_repository(async |db| {
            let process = process(1);
            let upload = begin(db, &process).await.unwrap();
            let mut writer = writer(db, &upload, &pack).await;
            let mut taken = 0;
            while taken < steps && step(db, &upload, &mut writer).await {
                taken += 1;
            }
            pushed(db, &part).await.unwrap();
            check_healthy(db).await;
            while step(db, &upload, &mut writer).await {}
            finish(db, upload).await;
            check_stored(db, &names).await;
            check_healthy(db).await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_single_commit_is_taken_from_an_upload_with_its_node() {
    let git = Git::bare();
    let tip = edits(&git, 0, 3);
    let pack = packed(&git, &[], &format!("{tip}\n"));
    with_repository(async |db| {
        let process = process(1);
        let upload = begin(db, &process).await.unwrap();
        let mut writer = writer(db, &upload, &pack).await;
        while step(db, &upload, &mut writer).await {}
        // An operation cannot build on a commit that is invisible.
        let transaction = db.begin().await;
        let commit = Commit {
            tree: Sha::EMPTY_TREE,
            parents: vec![crate::database::sha(&tip)],
            ..Commit::parse(&git.feed(&["cat-file", "commit", &tip], b"")).unwrap()
        };
        let object = commit.write();
        let node = NewCommit::new(object.sha(), &commit);
        store_objects(&transaction, db.repository_id, &[object])
            .await
            .unwrap();
        let added = add_commits(&transaction, db.repository_id, &[node]).await;
        assert!(matches!(added, Err(GitError::Missing(_))), "{added:?}");
        transaction.rollback().await.unwrap();
        drop(upload);
        sweep_all(db, &process.0, NOW).await;
        assert_eq!(rows(db).await, (0, 0));
    })
    .await;
}

#[tokio::test]
async fn a_restoration_ends_uploads_and_what_was_taken_from_them() {
    let git = large();
    let part = packed(&git, &["--window=3"], &half(&git).join("\n"));
    let pack = packed(&git, &["--window=50", "--all"], "");
    let names = names_of(&git, &["--all"]);
    with_repository(async |db| {
        let process = process(1);
        let upload = begin(db, &process).await.unwrap();
        let mut writer = writer(db, &upload, &pack).await;
        while step(db, &upload, &mut writer).await {}
        db.database().make_snapshot("during").await.unwrap();
        pushed(db, &part).await.unwrap();
        drop(upload);
        sweep_all(db, &process.0, NOW).await;
        // Ids of commits are assigned again after each restoration.
        for _ in 0..2 {
            let restoration = db.database().prepare_restoration("during").await;
            restoration.unwrap().apply().await.unwrap();
            check_invisible(db, &names).await;
            check_healthy(db).await;
            sweep_all(db, &process.0, NOW).await;
            assert_eq!(rows(db).await, (0, 0));
            pushed(db, &part).await.unwrap();
            check_healthy(db).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_copy_of_the_database_assigns_no_number_of_an_upload_again() {
    let git = large();
    let pack = packed(&git, &["--all"], "");
    let names = names_of(&git, &["--all"]);
    with_repository(async |db| {
        let process = process(1);
        let upload = begin(db, &process).await.unwrap();
        let mut writer = writer(db, &upload, &pack).await;
        while step(db, &upload, &mut writer).await {}
        finish(db, upload).await;
        let folder = tempfile::tempdir().unwrap();
        let copy = db.copied_to(folder.path()).await;
        let upload = begin(&copy, &process).await.unwrap();
        check_stored(&copy, &names).await;
        drop(upload);
        sweep_all(&copy, &process.0, NOW).await;
        check_stored(&copy, &names).await;
        check_healthy(&copy).await;
    })
    .await;
}
