//! The server accepts packs of `git`, and `git` accepts packs of the server.

use std::collections::BTreeSet;

use git::pack::{
    ObjectNames, PackError, PackLimits, PackStream, ReceivedPack, StoredPack, receive,
};
use git::store::load_many;
use git::{GitError, Sha};
use sea_orm::{EntityTrait, PaginatorTrait};
use storage::entities::git_object::{self, ObjectKind};

use crate::database::{Db, seed, sha, trial_factor, with_repository};
use crate::support::git::{Git, run_in};
use crate::support::history;

async fn received(db: &Db, pack: &[u8]) -> Result<ReceivedPack, PackError> {
    receive(pack, PackLimits::default(), db.reads(), db.repository_id).await
}

/// Receives, checks and stores a pack, as a push does.
pub async fn pushed(db: &Db, pack: &[u8]) -> Result<StoredPack, PackError> {
    let received = received(db, pack).await?;
    let connected = received.connected(db.reads(), db.repository_id);
    let received = connected.await?;
    let transaction = db.begin().await;
    let stored = received.store(&transaction, db.repository_id).await?;
    transaction.commit().await.unwrap();
    Ok(stored)
}

pub fn packed(git: &Git, options: &[&str], revisions: &str) -> Vec<u8> {
    let pack = ["pack-objects", "--revs", "--stdout", "-q"];
    git.feed(&[&pack, options].concat(), revisions.as_bytes())
}

pub fn names_of(git: &Git, revisions: &[&str]) -> BTreeSet<Sha> {
    let list = ["rev-list", "--objects", "--no-object-names"];
    let lines = git.lines(&[&list, revisions].concat());
    lines.iter().map(|name| sha(name)).collect()
}

pub async fn check_stored(db: &Db, names: &BTreeSet<Sha>) {
    let count = git_object::Entity::find().count(db.reads()).await.unwrap();
    assert_eq!(count, names.len() as u64);
    let all: Vec<Sha> = names.iter().copied().collect();
    let loaded = load_many(db.reads(), db.repository_id, &all).await.unwrap();
    assert_eq!(loaded.len(), names.len());
    for (name, object) in loaded {
        assert_eq!(object.sha(), name);
    }
}

/// Adds commits that each change one line of a long file.
pub fn edits(git: &Git, from: usize, to: usize) -> String {
    let lines = (0..2000).map(|line| format!("line {line} of a long file\n"));
    let lines: Vec<String> = lines.collect();
    let mut script = String::new();
    for number in from..to {
        let mut text = lines.clone();
        for (line, edited) in text.iter_mut().enumerate().take(number + 1) {
            *edited = format!("line {line} was edited\n");
        }
        let text = text.concat();
        let date = 1_700_000_000 + number;
        script += "commit refs/heads/main\n";
        script += &format!("committer Tess Ter <tess@example.com> {date} +0000\ndata 2\nx\n");
        if number == from && from > 0 {
            script += "from refs/heads/main^0\n";
        }
        script += &format!("M 100644 inline long.txt\ndata {}\n{text}\n", text.len());
    }
    git.feed(&["fast-import", "--quiet", "--force"], script.as_bytes());
    git.text(&["rev-parse", "main"])
}

#[tokio::test]
async fn every_object_of_a_pack_of_git_is_stored() {
    let forms: [&[&str]; 3] = [
        &["--delta-base-offset"],
        &["--window=100", "--depth=4000"],
        &["--window=0"],
    ];
    for round in 0..trial_factor() as u64 {
        let git = history::random(seed() + 700 + round, 60);
        edits(&git, 0, 10);
        for form in forms {
            with_repository(async |db| {
                let pack = packed(&git, &[form, &["--all"]].concat(), "");
                let names = names_of(&git, &["--all"]);
                let stored = pushed(db, &pack).await.unwrap();
                let commits = git.text(&["rev-list", "--all", "--count"]);
                assert_eq!(stored.new_commits.to_string(), commits);
                assert_eq!(stored.new_objects, names.len() as u64);
                check_stored(db, &names).await;
                let again = pushed(db, &pack).await.unwrap();
                assert_eq!((again.new_objects, again.new_commits), (0, 0));
                assert_eq!(again.objects, names.len());
            })
            .await;
        }
    }
}

#[tokio::test]
async fn a_thin_pack_is_completed_with_stored_objects() {
    let git = Git::bare();
    let old = edits(&git, 0, 5);
    let first = packed(&git, &[], "main\n");
    let new = edits(&git, 5, 9);
    let thin = packed(&git, &["--thin"], &format!("{new}\n^{old}\n"));
    let whole = packed(&git, &[], &format!("{new}\n^{old}\n"));
    assert!(thin.len() < whole.len(), "the pack is not thin");
    with_repository(async |db| {
        let error = pushed(db, &thin).await.unwrap_err();
        assert!(matches!(error, PackError::Unresolved(_)), "{error}");
        pushed(db, &first).await.unwrap();
        let stored = pushed(db, &thin).await.unwrap();
        assert_eq!(stored.new_commits, 4);
        check_stored(db, &names_of(&git, &["main"])).await;
    })
    .await;
}

#[tokio::test]
async fn a_pack_with_missing_objects_is_rejected() {
    let git = Git::bare();
    let old = edits(&git, 0, 2);
    let new = edits(&git, 2, 4);
    with_repository(async |db| {
        // A commit without its history.
        let pack = packed(&git, &[], &format!("{new}\n^{old}\n"));
        let error = pushed(db, &pack).await.unwrap_err();
        let expected = format!("missing commit {old}");
        assert_eq!(error.to_string(), expected);
        // A commit without its tree.
        let tree = git.text(&["rev-parse", &format!("{new}^{{tree}}")]);
        let root = git.text(&["commit-tree", "-m", "Root", &tree]);
        let alone = git.feed(&["pack-objects", "--stdout", "-q"], root.as_bytes());
        let error = pushed(db, &alone).await.unwrap_err();
        assert_eq!(error.to_string(), format!("missing tree {tree}"));
        assert!(!error.is_internal());
        check_stored(db, &BTreeSet::new()).await;
    })
    .await;
}

#[tokio::test]
async fn an_object_must_have_the_kind_of_its_reference() {
    let git = Git::bare();
    let blob = git.feed(&["hash-object", "-w", "--stdin"], b"no tree\n");
    let blob = String::from_utf8(blob).unwrap().trim().to_owned();
    let identity = "Tess Ter <tess@example.com> 1700000000 +0000";
    let commit = format!("tree {blob}\nauthor {identity}\ncommitter {identity}\n\nx\n");
    let hash = [
        "hash-object",
        "-t",
        "commit",
        "-w",
        "--stdin",
        "--literally",
    ];
    let commit = git.feed(&hash, commit.as_bytes());
    let commit = String::from_utf8(commit).unwrap().trim().to_owned();
    let pack = |names: &str| git.feed(&["pack-objects", "--stdout", "-q"], names.as_bytes());
    with_repository(async |db| {
        let expected = format!("object {blob} is used as a tree, but it is a blob");
        let both = pushed(db, &pack(&format!("{blob}\n{commit}\n"))).await;
        assert_eq!(both.unwrap_err().to_string(), expected);
        pushed(db, &pack(&blob)).await.unwrap();
        let later = pushed(db, &pack(&commit)).await;
        assert_eq!(later.unwrap_err().to_string(), expected);
    })
    .await;
}

pub async fn sent(db: &Db, names: Vec<Sha>) -> Result<Vec<u8>, GitError> {
    let mut stream = PackStream::new(db.repository_id, ObjectNames::new(names));
    let mut pack = Vec::new();
    while let Some(piece) = stream.next(db.reads()).await? {
        pack.extend(piece);
    }
    Ok(pack)
}

#[tokio::test]
async fn git_accepts_a_sent_pack() {
    let git = history::random(seed() + 800, 60);
    edits(&git, 0, 10);
    with_repository(async |db| {
        db.import(git.path()).await.unwrap();
        let names = names_of(&git, &["--all"]);
        let twice = names.iter().chain(&names).copied().collect();
        let pack = sent(db, twice).await.unwrap();
        let target = Git::bare();
        target.feed(&["index-pack", "--stdin", "--strict"], &pack);
        let fsck = run_in(&target.path(), &["fsck", "--full", "--strict"], b"");
        assert!(fsck.status.success());
        let all = [
            "cat-file",
            "--batch-check=%(objectname)",
            "--batch-all-objects",
        ];
        let found: BTreeSet<Sha> = target.lines(&all).iter().map(|name| sha(name)).collect();
        assert_eq!(found, names);
        // The server accepts its own pack.
        assert_eq!(pushed(db, &pack).await.unwrap().objects, names.len());
    })
    .await;
}

#[tokio::test]
async fn a_pack_can_be_empty_but_cannot_have_missing_objects() {
    with_repository(async |db| {
        let empty = sent(db, Vec::new()).await.unwrap();
        assert_eq!(received(db, &empty).await.unwrap().objects(), 0);
        let tree = sent(db, vec![Sha::EMPTY_TREE]).await.unwrap();
        let tree = received(db, &tree).await.unwrap();
        assert_eq!(tree.kind_of(Sha::EMPTY_TREE), Some(ObjectKind::Tree));
        let lost = Sha::from_bytes([7; 20]);
        let error = sent(db, vec![lost]).await.unwrap_err();
        assert!(matches!(error, GitError::Missing(name) if name == lost));
    })
    .await;
}
