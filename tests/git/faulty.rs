//! Objects that `git fsck --strict` finds fault with, or that are too large to be
//! shown. None is imported, and the refusal names the object: whatever is stored can
//! be compared, exported, and restored from a backup.

use crate::database::{Db, with_repository};
use crate::support::git::Git;

/// Writes an object as it is.
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
    let refusal = db.import(git.path()).await.unwrap_err().to_string();
    for word in words {
        assert!(refusal.contains(word), "{word} is not in: {refusal}");
    }
}

#[tokio::test]
async fn a_tag_that_lies_about_its_object_is_refused_by_name() {
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
async fn a_tree_that_lies_about_its_entries_is_refused_by_name() {
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
            // What stands at the same path in a parent, or was just read, is no excuse.
            &[("40000", "x", &blob)],
            &[("100644", "a", &blob), ("40000", "b", &blob)],
            &[("40000", "a", &inner), ("100644", "b", &inner)],
        ] {
            let lying = tree(&git, entries);
            let commit = commit(&git, &lying, &[&parent], "Two");
            refused(db, &git, "refs/heads/main", &commit, &[&lying, "is faulty"]).await;
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
                &[&faulty, "is faulty"],
            )
            .await;
        }
        let commit = commit(&git, &blob, &[], "Four");
        refused(
            db,
            &git,
            "refs/heads/main",
            &commit,
            &[&commit, "is faulty"],
        )
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_commit_or_a_tag_that_is_too_large_to_be_shown_is_refused_by_name() {
    with_repository(async |db| {
        let git = Git::bare();
        let tree = tree(&git, &[]);
        let large = "a".repeat(1024 * 1024);
        let commit = commit(&git, &tree, &[], &large);
        let words = [&*commit, "more than the 1048576"];
        refused(db, &git, "refs/heads/main", &commit, &words).await;
        let git = Git::bare();
        let blob = write(&git, "blob", large.as_bytes());
        let content = format!("object {blob}\ntype blob\ntag v1\n\n{large}\n");
        let tag = write(&git, "tag", content.as_bytes());
        let words = [&*tag, "more than the 1048576"];
        refused(db, &git, "refs/tags/v1", &tag, &words).await;
        git.run(&["update-ref", "-d", "refs/tags/v1"]);
        git.run(&["update-ref", "refs/tags/v2", &blob]);
        db.import(git.path()).await.unwrap();
    })
    .await;
}
