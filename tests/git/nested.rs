//! Folders in folders: each walk of trees is bounded in depth, whatever is stored.

use git::build::{Edit, TreeChanges, edit_entries, edit_tree};
use git::diff::{changes, entry_at};
use git::merge::{Merge, Merger};
use git::objects::Object;
use git::store::store_objects;
use git::tree::{Mode, Tree, TreeEntry};
use git::tree_listing::{ListingLimit, list};
use git::{GitError, Sha};

use crate::database::{Db, with_repository};
use crate::support::git::Git;

/// Deeper than any stack could follow.
const ENDLESS: usize = 20_000;

async fn store(db: &Db, objects: &[Object]) {
    let transaction = db.begin().await;
    store_objects(&transaction, db.repository_id, objects)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
}

/// A file in so many folders, stored.
async fn nested(db: &Db, folders: usize, text: &str) -> Sha {
    let file = Object::blob(text.into());
    let (mut mode, mut sha) = (Mode::File, file.sha());
    let mut objects = vec![file];
    for _ in 0..=folders {
        let name = b"d".to_vec();
        let entries = vec![TreeEntry { mode, name, sha }];
        let tree = Tree { entries }.write();
        (mode, sha) = (Mode::Tree, tree.sha());
        objects.push(tree);
    }
    store(db, &objects).await;
    sha
}

#[tokio::test]
async fn stored_trees_of_any_depth_are_walked_in_bounded_steps() {
    with_repository(async |db| {
        let (reads, id) = (db.reads(), db.repository_id);
        let base = nested(db, ENDLESS, "base").await;
        let ours = nested(db, ENDLESS, "ours").await;
        let theirs = nested(db, ENDLESS, "theirs").await;
        assert_eq!(changes(reads, id, base, ours).await.unwrap(), None);
        let mut merger = Merger::new(reads, id);
        let merged = merger.merge(base, ours, theirs).await.unwrap();
        assert_eq!(merged, Merge::TooLarge);
        let limit = ListingLimit {
            entries: 100_000,
            bytes: 1 << 20,
            overhead: 100,
        };
        let listing = list(reads, id, base, true, limit).await.unwrap();
        assert!(listing.truncated && listing.entries.len() < 2000);
    })
    .await;
}

#[tokio::test]
async fn files_deep_below_are_merged() {
    with_repository(async |db| {
        let (reads, id) = (db.reads(), db.repository_id);
        let base = nested(db, 1000, "base").await;
        let edited = async |path: &str, text: &str| {
            let changes = TreeChanges {
                set: [(path.to_owned(), text.as_bytes().to_vec())].into(),
                delete: Vec::new(),
            };
            let built = edit_tree(reads, id, Some(base), &changes).await.unwrap();
            store(db, &built.objects).await;
            built.tree
        };
        let deep = "d/".repeat(999);
        let (one, other) = (format!("{deep}one"), format!("{deep}x/y/other"));
        let (ours, theirs) = (edited(&one, "1").await, edited(&other, "2").await);
        let mut merger = Merger::new(reads, id);
        let Merge::Tree(merged) = merger.merge(base, ours, theirs).await.unwrap() else {
            panic!("not merged");
        };
        store(db, &merger.into_objects()).await;
        for (path, text) in [(&one, "1"), (&other, "2"), (&"d/".repeat(1000), "base")] {
            let path = match text {
                "base" => format!("{path}d"),
                _ => path.clone(),
            };
            let entry = entry_at(reads, id, merged, &path).await.unwrap().unwrap();
            assert_eq!(entry.sha, Object::blob(text.into()).sha());
        }
    })
    .await;
}

/// What neither side has as `.gitmodules` can become that by a merge.
#[tokio::test]
async fn a_merge_conflicts_when_git_refuses_what_it_reads() {
    with_repository(async |db| {
        let (reads, id) = (db.reads(), db.repository_id);
        let lines = |first: &str, last: &str| {
            let middle = "[submodule \"a\"]\n\tpath = a\n# 1\n# 2\n# 3\n";
            format!("{first}\n{middle}{last}\n")
        };
        let tree = async |path: &str, text: String| {
            let changes = TreeChanges {
                set: [(path.to_owned(), text.into_bytes())].into(),
                delete: Vec::new(),
            };
            let built = edit_tree(reads, id, None, &changes).await.unwrap();
            store(db, &built.objects).await;
            built.tree
        };
        let (usual, option) = ("\turl = ../a", "\turl = -a");
        let merged = async |base: Sha, ours: Sha, theirs: Sha| {
            let mut merger = Merger::new(reads, id);
            merger.merge(base, ours, theirs).await.unwrap()
        };
        let base = tree("modules", lines("", usual)).await;
        let renamed = tree(".gitmodules", lines("", usual)).await;
        for (last, is_safe) in [("\turl = ../b", true), (option, false)] {
            let edited = tree("modules", lines("", last)).await;
            for (ours, theirs) in [(renamed, edited), (edited, renamed)] {
                let merge = merged(base, ours, theirs).await;
                assert_eq!(matches!(merge, Merge::Tree(_)), is_safe, "{merge:?}");
                assert_eq!(merge == Merge::Conflict, !is_safe);
            }
        }
        // Git does not read what follows a syntax error.
        let base = tree(".gitmodules", lines("!", usual)).await;
        let hidden = tree(".gitmodules", lines("!", option)).await;
        let corrected = tree(".gitmodules", lines("# ", usual)).await;
        assert_eq!(merged(base, hidden, corrected).await, Merge::Conflict);
        assert_eq!(merged(base, base, hidden).await, Merge::Tree(hidden));
    })
    .await;
}

#[tokio::test]
async fn a_path_has_a_limited_number_of_folders() {
    with_repository(async |db| {
        let edit = async |path: String| {
            let entry = Some((Mode::File, Object::blob(Vec::new()).sha()));
            let edits = [Edit { path, entry }];
            edit_entries(db.reads(), db.repository_id, None, &edits, &[]).await
        };
        let built = edit(format!("{}f", "d/".repeat(1024))).await.unwrap();
        assert_eq!(built.objects.len(), 1025);
        for path in ["d/".repeat(1025), "d/".repeat(15_000), "d".repeat(4096)] {
            let refused = edit(format!("{path}f")).await;
            assert!(matches!(refused, Err(GitError::Path { .. })), "{refused:?}");
        }
        // Many paths that share nothing.
        let edits = (0..500).map(|number| Edit {
            path: format!("{number}/{}f", "directory/".repeat(400)),
            entry: Some((Mode::File, Sha::EMPTY_TREE)),
        });
        let edits: Vec<Edit> = edits.collect();
        let refused = edit_entries(db.reads(), db.repository_id, None, &edits, &[]).await;
        assert!(matches!(refused, Err(GitError::Path { .. })), "{refused:?}");
    })
    .await;
}

#[tokio::test]
async fn an_import_checks_the_folders_and_the_names() {
    for (mode, name, folders) in [
        ("100644", "f", 1030),
        ("100644", ".git ", 1),
        ("120000", ".gitmodules", 1),
        ("160000", ".gitattributes", 1),
    ] {
        let git = Git::bare();
        let written = |arguments: &[&str], content: &[u8]| {
            let name = String::from_utf8(git.feed(arguments, content)).unwrap();
            name.trim().to_owned()
        };
        let mut object = written(&["hash-object", "-w", "--stdin"], b"text\n");
        let mut head = format!("{mode} {name}");
        for _ in 0..folders {
            let name = hex(&object);
            let tree = [format!("{head}\0").as_bytes(), &name].concat();
            let write = ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"];
            object = written(&write, &tree);
            head = "40000 d".to_owned();
        }
        let commit = git.text(&["commit-tree", "-m", "x", &object]);
        git.text(&["update-ref", "refs/heads/main", &commit]);
        with_repository(async |db| {
            let error = db.import(git.path()).await.unwrap_err();
            assert!(error.to_string().contains("is invalid"), "{error}");
        })
        .await;
    }
}

fn hex(name: &str) -> Vec<u8> {
    let digits = name.as_bytes().chunks(2);
    let bytes = digits.map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16));
    bytes.map(Result::unwrap).collect()
}
