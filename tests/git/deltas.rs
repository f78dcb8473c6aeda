//! Objects that arrive as deltas are stored as deltas, and can be read, sent and exported like
//! any other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use git::export::export;
use git::store::{load, load_many};
use git::{GitError, Sha};
use sea_orm::{ConnectionTrait, EntityTrait};
use storage::entities::git_object;

use crate::database::{Db, seed, sha, with_repository};
use crate::packs::{check_stored, edits, names_of, packed, pushed, sent};
use crate::support::git::{Git, run_in};
use crate::support::history;

/// The maximum length of a delta chain.
const LONGEST_CHAIN: usize = 30;

async fn rows(db: &Db) -> Vec<git_object::Model> {
    git_object::Entity::find().all(db.reads()).await.unwrap()
}

fn longest_chain(rows: &[git_object::Model]) -> usize {
    let bases: HashMap<&str, Option<&str>> = rows
        .iter()
        .map(|row| (&row.sha[..], row.base_sha.as_deref()))
        .collect();
    let length = |row: &git_object::Model| {
        let first = row.base_sha.as_deref();
        std::iter::successors(first, |base| bases[base]).count()
    };
    rows.iter().map(length).max().unwrap_or(0)
}

#[tokio::test]
async fn deltas_are_stored_in_short_chains() {
    let git = Git::bare();
    edits(&git, 0, 100);
    let pack = packed(&git, &["--depth=200", "--window=200"], "main\n");
    with_repository(async |db| {
        pushed(db, &pack).await.unwrap();
        let rows = rows(db).await;
        let longest = longest_chain(&rows);
        assert!((10..=LONGEST_CHAIN).contains(&longest), "{longest}");
        let bytes: usize = rows.iter().map(|row| row.content.len()).sum();
        assert!(bytes < 3 * pack.len(), "{bytes} for {}", pack.len());
        check_stored(db, &names_of(&git, &["main"])).await;
    })
    .await;
}

#[tokio::test]
async fn chains_do_not_grow_with_each_push() {
    let git = Git::bare();
    with_repository(async |db| {
        for round in 0..4 {
            edits(&git, round * 20, round * 20 + 20);
            // A client would not send objects that are already stored.
            let all = packed(&git, &["--depth=200", "--window=200"], "main\n");
            pushed(db, &all).await.unwrap();
        }
        let longest = longest_chain(&rows(db).await);
        assert!(longest <= LONGEST_CHAIN, "{longest}");
        check_stored(db, &names_of(&git, &["main"])).await;
    })
    .await;
}

#[tokio::test]
async fn a_delta_is_sent_as_a_full_object_if_its_base_is_not_sent() {
    let git = Git::bare();
    edits(&git, 0, 20);
    git.run(&["repack", "-a", "-d", "-q"]);
    with_repository(async |db| {
        db.import(git.path()).await.unwrap();
        let all: Vec<Sha> = names_of(&git, &["main"]).into_iter().collect();
        let whole = sent(db, all.clone()).await.unwrap();
        for name in &all {
            let pack = sent(db, vec![*name]).await.unwrap();
            let target = Git::bare();
            target.feed(&["unpack-objects", "-q"], &pack);
            let found = target.text(&["cat-file", "-t", &name.to_string()]);
            assert!(["commit", "tree", "blob"].contains(&&found[..]));
        }
        let objects = load_many(db.reads(), db.repository_id, &all).await.unwrap();
        let bytes: usize = objects.values().map(|object| object.content.len()).sum();
        assert!(whole.len() * 10 < bytes, "no deltas were sent");
    })
    .await;
}

#[tokio::test]
async fn an_import_skips_unreachable_objects() {
    let git = history::random(seed() + 900, 40);
    edits(&git, 0, 30);
    git.run(&["repack", "-a", "-d", "-q"]);
    let middle = git.text(&["rev-parse", "main~10"]);
    // Objects in two packs, loose objects, and unreachable objects, including bases of deltas.
    let revisions = format!("{middle}\n");
    let pack = git.path().join("objects/pack/pack");
    let pack = pack.display().to_string();
    git.feed(
        &["pack-objects", "--revs", "-q", &pack],
        revisions.as_bytes(),
    );
    git.run(&["update-ref", "refs/heads/main", &middle]);
    git.feed(&["hash-object", "-w", "--stdin"], b"nothing names this\n");
    let tree = git.text(&["rev-parse", "main^{tree}"]);
    let loose = git.text(&["commit-tree", "-p", "main", "-m", "Loose", &tree]);
    git.run(&["update-ref", "refs/heads/loose", &loose]);
    let lost = git.text(&["commit-tree", "-p", &loose, "-m", "Lost", &tree]);
    with_repository(async |db| {
        let imported = db.import(git.path()).await.unwrap();
        let names = names_of(&git, &["--all"]);
        assert_eq!(imported.new_objects, names.len() as u64);
        check_stored(db, &names).await;
        let commits = git.text(&["rev-list", "--all", "--count"]);
        assert_eq!(imported.new_commits.to_string(), commits);
        let deltas = rows(db)
            .await
            .iter()
            .filter(|row| row.base_sha.is_some())
            .count();
        assert!(deltas > 10, "only {deltas} deltas came from the packs");
        let unreachable = load(db.reads(), db.repository_id, sha(&lost))
            .await
            .unwrap();
        assert_eq!(unreachable, None);
        check_exported(&git, db).await;
    })
    .await;
}

async fn check_exported(git: &Git, db: &Db) {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.git");
    export(
        db.reads(),
        db.repository_id,
        "main",
        target.clone(),
        &mut |_| {},
    )
    .await
    .unwrap();
    let fsck = run_in(&target, &["fsck", "--full", "--strict"], b"");
    assert!(
        fsck.status.success(),
        "{}",
        String::from_utf8_lossy(&fsck.stderr)
    );
    let all = ["rev-list", "--objects", "--all"];
    assert_eq!(run_in(&target, &all, b"").stdout, git.run(&all));
}

#[tokio::test]
async fn a_damaged_chain_is_an_error_and_not_a_panic() {
    let git = Git::bare();
    edits(&git, 0, 10);
    git.run(&["repack", "-a", "-d", "-q"]);
    with_repository(async |db| {
        db.import(git.path()).await.unwrap();
        let rows: BTreeMap<String, Option<String>> = rows(db)
            .await
            .into_iter()
            .map(|row| (row.sha, row.base_sha))
            .collect();
        let delta = rows
            .iter()
            .find_map(|(sha, base)| Some((sha, base.as_ref()?)));
        let (name, base) = delta.unwrap();
        for damage in [
            format!(
                "UPDATE git_object SET base_sha = '{}' WHERE sha = '{name}'",
                "f".repeat(40)
            ),
            format!("UPDATE git_object SET base_sha = '{name}' WHERE sha = '{base}'"),
            format!("UPDATE git_object SET base_sha = NULL WHERE sha = '{name}'"),
            format!("UPDATE git_object SET size = size + 1 WHERE sha = '{base}'"),
        ] {
            let transaction = db.begin().await;
            transaction.execute_unprepared(&damage).await.unwrap();
            let loaded = load(&transaction, db.repository_id, sha(name)).await;
            assert!(
                matches!(loaded, Err(GitError::Damaged(_))),
                "{damage}: {loaded:?}"
            );
            transaction.rollback().await.unwrap();
        }
        let names: BTreeSet<Sha> = rows.keys().map(|name| sha(name)).collect();
        check_stored(db, &names).await;
    })
    .await;
}
