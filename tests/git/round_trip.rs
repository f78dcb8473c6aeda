//! Importing and exporting a repository preserves everything.

use std::collections::BTreeMap;

use git::export::export;
use git::store::{PackedObject, heads, load, load_many, store_packed};
use git::{GitError, Sha};
use sea_orm::{EntityTrait, PaginatorTrait};
use storage::entities::{git_commit, git_object, git_ref};

use crate::database::{Db, seed, sha, trial_factor, with_repository};
use crate::support::git::{Git, run_in};
use crate::support::history;

/// The references of a repository, from `git`.
fn refs_of(git: &Git) -> BTreeMap<String, (String, String)> {
    let format = "--format=%(refname) %(objectname) %(objecttype)";
    let lines = git.lines(&["for-each-ref", format]).into_iter();
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            (
                words[0].to_owned(),
                (words[1].to_owned(), words[2].to_owned()),
            )
        })
        .collect()
}

async fn stored_refs(db: &Db) -> BTreeMap<String, (String, String)> {
    let rows = git_ref::Entity::find().all(db.reads()).await.unwrap();
    let rows = rows.into_iter();
    rows.map(|row| (row.name, (row.sha, row.kind.keyword().to_owned())))
        .collect()
}

/// The name, kind and size of all reachable objects.
fn objects_of(git: &Git) -> BTreeMap<String, String> {
    let reached = git.run(&["rev-list", "--objects", "--all", "--no-object-names"]);
    let described = git.feed(&["cat-file", "--batch-check"], &reached);
    let described = String::from_utf8(described).unwrap();
    let lines = described.lines();
    lines
        .map(|line| line.split_once(' ').unwrap())
        .map(|(name, rest)| (name.to_owned(), rest.to_owned()))
        .collect()
}

async fn check_equal(git: &Git, db: &Db) {
    assert_eq!(refs_of(git), stored_refs(db).await);
    let expected = objects_of(git);
    let names: Vec<Sha> = expected.keys().map(|name| sha(name)).collect();
    let count = git_object::Entity::find().count(db.reads()).await.unwrap();
    assert_eq!(count, names.len() as u64);
    let known = heads(db.reads(), db.repository_id, &names).await.unwrap();
    for (name, described) in &expected {
        let head = known[&sha(name)];
        assert_eq!(
            &format!("{} {}", head.kind.keyword(), head.size),
            described,
            "{name}"
        );
    }
    let loaded = load_many(db.reads(), db.repository_id, &names)
        .await
        .unwrap();
    for (name, object) in loaded {
        assert_eq!(object.sha(), name);
    }
}

#[tokio::test]
async fn an_imported_repository_equals_gits() {
    for round in 0..trial_factor() as u64 {
        let git = history::random(seed() + round, 60);
        with_repository(async |db| {
            let imported = db.import(git.path()).await.unwrap();
            check_equal(&git, db).await;
            assert_eq!(imported.default_branch.as_deref(), Some("main"));
            assert_eq!(imported.skipped_refs, []);
            let commits = git.text(&["rev-list", "--all", "--count"]);
            assert_eq!(imported.new_commits.to_string(), commits);
            let nodes = git_commit::Entity::find().count(db.reads()).await.unwrap();
            assert_eq!(nodes.to_string(), commits);
        })
        .await;
    }
}

#[tokio::test]
async fn importing_again_adds_only_what_is_new() {
    with_repository(async |db| {
        let git = history::random(seed() + 100, 30);
        db.import(git.path()).await.unwrap();
        let again = db.import(git.path()).await.unwrap();
        assert_eq!((again.new_objects, again.new_commits), (0, 0));
        assert_eq!((again.new_refs.len(), again.moved_refs.len()), (0, 0));

        let blob = git.feed(&["hash-object", "-w", "--stdin"], b"brand new\n");
        let blob = String::from_utf8(blob).unwrap();
        let entry = format!("100644 blob {}\tnew.txt\n", blob.trim());
        let tree = String::from_utf8(git.feed(&["mktree"], entry.as_bytes())).unwrap();
        let new = git.text(&[
            "commit-tree",
            "-p",
            "main",
            "-p",
            "topic/1",
            "-m",
            "New",
            tree.trim(),
        ]);
        let old = git.text(&["rev-parse", "main"]);
        git.run(&["update-ref", "refs/heads/main", &new]);
        git.run(&["update-ref", "refs/heads/fresh", "topic/1"]);
        let third = db.import(git.path()).await.unwrap();
        assert_eq!((third.new_objects, third.new_commits), (3, 1));
        assert_eq!(third.new_refs, ["refs/heads/fresh"]);
        let moved: Vec<_> = third
            .moved_refs
            .iter()
            .map(|moved| &moved.name[..])
            .collect();
        assert_eq!(moved, ["refs/heads/main", "refs/remotes/origin/HEAD"]);
        assert_eq!(
            (third.moved_refs[0].old, third.moved_refs[0].new),
            (sha(&old), sha(&new))
        );
        check_equal(&git, db).await;
    })
    .await;
}

#[tokio::test]
async fn an_exported_repository_passes_fsck_and_can_be_cloned() {
    with_repository(async |db| {
        let git = history::random(seed() + 200, 60);
        db.import(git.path()).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.git");
        let mut reported = 0;
        export(
            db.reads(),
            db.repository_id,
            "main",
            target.clone(),
            &mut |progress| {
                reported = progress.commits_done;
            },
        )
        .await
        .unwrap();
        let commits = git.text(&["rev-list", "--all", "--count"]);
        assert_eq!(reported.to_string(), commits);
        let fsck = run_in(
            &target,
            &["fsck", "--full", "--strict", "--no-dangling"],
            b"",
        );
        let stderr = String::from_utf8_lossy(&fsck.stderr).into_owned();
        assert!(fsck.status.success(), "{stderr}");
        let list = ["for-each-ref", "--format=%(refname) %(objectname)"];
        assert_eq!(run_in(&target, &list, b"").stdout, git.run(&list));
        let all = ["rev-list", "--objects", "--all"];
        assert_eq!(run_in(&target, &all, b"").stdout, git.run(&all));
        let clone = run_in(folder.path(), &["clone", "-q", "out.git", "clone"], b"");
        assert!(
            clone.status.success(),
            "{}",
            String::from_utf8_lossy(&clone.stderr)
        );
        let head = run_in(&folder.path().join("clone"), &["rev-parse", "HEAD"], b"").stdout;
        assert_eq!(head, git.run(&["rev-parse", "main"]));
        let again = export(db.reads(), db.repository_id, "main", target, &mut |_| {}).await;
        assert!(matches!(again, Err(GitError::Repository(_))));
    })
    .await;
}

#[tokio::test]
async fn an_empty_repository_is_imported_and_exported() {
    with_repository(async |db| {
        let git = Git::bare();
        git.run(&["symbolic-ref", "HEAD", "refs/heads/trunk"]);
        let imported = db.import(git.path()).await.unwrap();
        assert_eq!(imported.default_branch.as_deref(), Some("trunk"));
        assert_eq!((imported.new_objects, imported.new_refs.len()), (0, 0));
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.git");
        export(
            db.reads(),
            db.repository_id,
            "trunk",
            target.clone(),
            &mut |_| {},
        )
        .await
        .unwrap();
        let head = run_in(&target, &["symbolic-ref", "HEAD"], b"").stdout;
        assert_eq!(head, b"refs/heads/trunk\n");
    })
    .await;
}

#[tokio::test]
async fn a_folder_with_a_checkout_is_imported() {
    with_repository(async |db| {
        let git = history::random(seed() + 300, 5);
        let folder = tempfile::tempdir().unwrap();
        let from = git.path().display().to_string();
        run_in(folder.path(), &["clone", "-q", "-n", &from, "copy"], b"");
        let imported = db.import(folder.path().join("copy")).await.unwrap();
        assert_eq!(imported.default_branch.as_deref(), Some("main"));
        assert!(
            imported
                .new_refs
                .contains(&"refs/remotes/origin/main".to_owned())
        );
    })
    .await;
}

#[tokio::test]
async fn a_failed_import_has_the_reason() {
    with_repository(async |db| {
        let folder = tempfile::tempdir().unwrap();
        let error = async |name: &str| {
            let imported = db.import(folder.path().join(name)).await;
            imported.unwrap_err().to_string()
        };
        assert!(error("nowhere").await.contains("there is no such folder"));
        std::fs::create_dir(folder.path().join("plain")).unwrap();
        assert!(error("plain").await.contains("not a Git repository"));
        let sha256 = ["init", "-q", "--bare", "--object-format=sha256", "long.git"];
        assert!(run_in(folder.path(), &sha256, b"").status.success());
        assert!(error("long.git").await.contains("SHA-256"));
        let git = history::random(seed() + 400, 10);
        let from = format!("file://{}", git.path().display());
        let shallow = ["clone", "-q", "--bare", "--depth=1", &from, "shallow.git"];
        assert!(run_in(folder.path(), &shallow, b"").status.success());
        assert!(error("shallow.git").await.contains("shallow"));
        let count = git_object::Entity::find().count(db.reads()).await.unwrap();
        assert_eq!(count, 0);
    })
    .await;
}

#[tokio::test]
async fn a_missing_object_fails_the_import_and_rolls_it_back() {
    with_repository(async |db| {
        let git = Git::bare();
        let blob = "1234567890123456789012345678901234567890";
        let entry = format!("100644 blob {blob}\tlost\n");
        let tree = git.feed(&["mktree", "--missing"], entry.as_bytes());
        let tree = String::from_utf8(tree).unwrap();
        let commit = git.text(&["commit-tree", "-m", "Lost", tree.trim()]);
        git.run(&["update-ref", "refs/heads/main", &commit]);
        let error = db.import(git.path()).await.unwrap_err().to_string();
        assert!(error.contains(blob), "{error}");
        assert_eq!(
            git_object::Entity::find().count(db.reads()).await.unwrap(),
            0
        );
    })
    .await;
}

#[tokio::test]
async fn damaged_content_is_an_error_and_not_a_panic() {
    with_repository(async |db| {
        let name = sha("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        for (size, compressed) in [(5, vec![1, 2, 3]), (0, vec![]), (1 << 40, vec![0; 9])] {
            let transaction = db.begin().await;
            let damaged = PackedObject {
                sha: name,
                kind: git_object::ObjectKind::Blob,
                size,
                base: None,
                compressed,
            };
            store_packed(&transaction, db.repository_id, vec![damaged])
                .await
                .unwrap();
            let loaded = load(&transaction, db.repository_id, name).await;
            assert!(matches!(loaded, Err(GitError::Damaged(_))), "{loaded:?}");
        }
    })
    .await;
}
