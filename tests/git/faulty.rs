//! Objects that fail `git fsck --strict`, or that are too large for the API. The import rejects
//! them and names the object. So every stored object can be compared, exported and restored
//! from a backup.

use crate::database::{Db, with_repository};
use crate::support::git::Git;

/// Writes an object without any validation.
fn write(git: &Git, kind: &str, content: &[u8]) -> String {
    let arguments = ["hash-object", "-t", kind, "-w", "--stdin", "--literally"];
    let name = git.feed(&arguments, content);
    String::from_utf8(name).unwrap().trim_end().to_owned()
}

fn tree(git: &Git, entries: &[(&str, &str, &str)]) -> String {
    let mut content = Vec::new();
    for (mode, name, sha) in entries {
        content.extend(format!("{mode} {name}\0").bytes());
        content.extend(hex::decode(sha).unwrap());
    }
    write(git, "tree", &content)
}

fn commit(git: &Git, tree: &str, parents: &[&str], message: &str) -> String {
    let parents: String = parents
        .iter()
        .map(|sha| format!("parent {sha}\n"))
        .collect();
    let people = "author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n";
    let content = format!("tree {tree}\n{parents}{people}\n{message}\n");
    write(git, "commit", content.as_bytes())
}

async fn refused(db: &Db, git: &Git, reference: &str, target: &str, words: &[&str]) {
    git.run(&["update-ref", "--no-deref", reference, target]);
    let error = db.import(git.path()).await.unwrap_err().to_string();
    for word in words {
        assert!(error.contains(word), "{word} is not in: {error}");
    }
}

#[tokio::test]
async fn a_tag_with_the_wrong_object_type_is_rejected_by_name() {
    with_repository(async |db| {
        for (claimed, actual) in [("blob", "commit"), ("tree", "commit"), ("commit", "blob")] {
            let git = Git::bare();
            let blob = write(&git, "blob", b"1\n");
            let tree = tree(&git, &[("100644", "f", &blob)]);
            let commit = commit(&git, &tree, &[], "One");
            let target = if actual == "commit" { &commit } else { &blob };
            let people = "tagger A <a@b> 1 +0000";
            let content = format!("object {target}\ntype {claimed}\ntag v1\n{people}\n\nv1\n");
            let tag = write(&git, "tag", content.as_bytes());
            refused(db, &git, "refs/tags/v1", &tag, &[&tag, target, claimed]).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_tree_with_invalid_entries_is_rejected_by_name() {
    with_repository(async |db| {
        let git = Git::bare();
        let blob = write(&git, "blob", b"1\n");
        let inner = tree(&git, &[("100644", "f", &blob)]);
        let whole = tree(&git, &[("100644", "x", &blob)]);
        let parent = commit(&git, &whole, &[], "One");
        for entries in [
            &[("40000", "d", &*blob)][..],
            &[("100644", "d", &inner)],
            &[("120000", "d", &inner)],
            // The same path in a parent, or an object that was just read, must not hide the error.
            &[("40000", "x", &blob)],
            &[("100644", "a", &blob), ("40000", "b", &blob)],
            &[("40000", "a", &inner), ("100644", "b", &inner)],
        ] {
            let lying = tree(&git, entries);
            let commit = commit(&git, &lying, &[&parent], "Two");
            refused(
                db,
                &git,
                "refs/heads/main",
                &commit,
                &[&lying, "is invalid"],
            )
            .await;
        }
        for faulty in [
            &[("100644", "b", &*blob), ("100644", "a", &blob)][..],
            &[("100644", "a", &blob), ("100644", "a", &blob)],
            &[("100644", ".git", &blob)],
        ] {
            let faulty = tree(&git, faulty);
            let commit = commit(&git, &faulty, &[], "Three");
            refused(
                db,
                &git,
                "refs/heads/main",
                &commit,
                &[&faulty, "is invalid"],
            )
            .await;
        }
        let commit = commit(&git, &blob, &[], "Four");
        refused(
            db,
            &git,
            "refs/heads/main",
            &commit,
            &[&commit, "is invalid"],
        )
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_commit_or_a_tag_that_is_too_large_is_rejected_by_name() {
    with_repository(async |db| {
        let git = Git::bare();
        let tree = tree(&git, &[]);
        let large = "a".repeat(1024 * 1024);
        let commit = commit(&git, &tree, &[], &large);
        let words = [&*commit, "the limit is 1048576"];
        refused(db, &git, "refs/heads/main", &commit, &words).await;
        let git = Git::bare();
        let blob = write(&git, "blob", large.as_bytes());
        let content = format!("object {blob}\ntype blob\ntag v1\n\n{large}\n");
        let tag = write(&git, "tag", content.as_bytes());
        let words = [&*tag, "the limit is 1048576"];
        refused(db, &git, "refs/tags/v1", &tag, &words).await;
        git.run(&["update-ref", "-d", "refs/tags/v1"]);
        git.run(&["update-ref", "refs/tags/v2", &blob]);
        db.import(git.path()).await.unwrap();
    })
    .await;
}
