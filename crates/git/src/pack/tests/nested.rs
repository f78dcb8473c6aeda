//! Folders in folders, and files that Git itself reads.

use super::made::{PackBuilder, copied};
use super::{PackLimits, received, refusal};
use crate::names::MOST_FOLDERS;
use crate::pack::entry;
use crate::pack::modules::GitFileCheck;
use crate::{LARGEST_TREE, Sha};
use storage::entities::git_object::ObjectKind;

fn tree(mode: &str, name: &str, sha: Sha) -> Vec<u8> {
    let head = format!("{mode} {name}\0");
    [head.as_bytes(), sha.as_bytes()].concat()
}

/// Trees with so many folders in each other, the outermost first.
fn chain(folders: usize) -> Vec<Vec<u8>> {
    let mut trees = vec![tree("100644", "f", Sha::of(ObjectKind::Blob, b""))];
    for _ in 0..folders {
        let last = trees.last().map(|tree| Sha::of(ObjectKind::Tree, tree));
        trees.push(tree("40000", "d", last.unwrap_or(Sha::EMPTY_TREE)));
    }
    trees.reverse();
    trees
}

#[test]
fn folders_nest_to_a_limit() {
    for (folders, valid) in [(MOST_FOLDERS, true), (MOST_FOLDERS + 1, false)] {
        let mut pack = PackBuilder::default();
        for tree in chain(folders) {
            pack.object(ObjectKind::Tree, &tree);
        }
        let pack = pack.finish();
        assert_eq!(received(&pack, PackLimits::default()).is_ok(), valid);
    }
    let mut endless = PackBuilder::default();
    for tree in chain(50_000) {
        endless.object(ObjectKind::Tree, &tree);
    }
    let message = refusal(&endless.finish());
    assert!(message.contains("nested deeper than 1024"), "{message}");
}

#[test]
fn folders_of_deltas_count() {
    // Each tree is a delta of the one below it, which it names.
    let trees = chain(MOST_FOLDERS + 1);
    let mut pack = PackBuilder::default();
    let mut last = pack.object(ObjectKind::Tree, &trees[trees.len() - 1]);
    for at in (0..trees.len() - 1).rev() {
        let back = pack.next_offset() - last;
        let base = trees[at + 1].len();
        last = pack.offset_delta(back, &copied(base, 1, 0, &trees[at]));
    }
    let message = refusal(&pack.finish());
    assert!(message.contains("nested deeper than 1024"), "{message}");
}

#[test]
fn a_tree_has_a_limited_size() {
    for (size, reason) in [
        (LARGEST_TREE, "shorter than declared"),
        (LARGEST_TREE + 1, "too large"),
    ] {
        let mut head = Vec::new();
        entry::write(&mut head, ObjectKind::Tree, size, b"");
        let mut pack = PackBuilder::default();
        pack.add(&head, b"");
        let message = refusal(&pack.finish());
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn modules_are_read_as_git_does() {
    let option = "[submodule \"a\"]\nurl = -u./payload\n";
    assert_eq!(verdict("100644", "modules", option), Ok(()));
    let message = verdict("100644", ".gitmodules", option).unwrap_err();
    assert!(message.contains("unsafe address"), "{message}");
    assert!(verdict("100644", "GITMOD~1", option).is_err());
    let usual = "[submodule \"a\"]\nurl = https://example.com/a\n";
    assert_eq!(verdict("100644", ".gitmodules", usual), Ok(()));
    let message = verdict("120000", ".gitmodules", usual).unwrap_err();
    assert!(message.contains("symbolic link"), "{message}");
    let message = verdict("160000", ".gitmodules", usual).unwrap_err();
    assert!(message.contains("not a file"), "{message}");
    let long = usual.repeat(25_000);
    let message = verdict("100644", ".gitmodules", &long).unwrap_err();
    assert!(message.contains("the limit is 1048576"), "{message}");
}

#[test]
fn attributes_are_read_as_git_does() {
    let long = format!("* text\n{}\n", "a ".repeat(1024));
    assert_eq!(verdict("100644", ".gitattributes", "* text\n"), Ok(()));
    assert_eq!(verdict("100644", "attributes", &long), Ok(()));
    assert_eq!(verdict("120000", ".gitattributes", &long), Ok(()));
    for name in [".gitattributes", "GITATT~1"] {
        let message = verdict("100644", name, &long).unwrap_err();
        assert!(message.contains("line of 2048 bytes"), "{message}");
    }
}

/// The verdict on a pack with a tree of one file.
fn verdict(mode: &str, name: &str, text: &str) -> Result<(), String> {
    let mut pack = PackBuilder::default();
    let blob = Sha::of(ObjectKind::Blob, text.as_bytes());
    pack.object(ObjectKind::Tree, &tree(mode, name, blob));
    pack.object(ObjectKind::Blob, text.as_bytes());
    let received = received(&pack.finish(), PackLimits::default());
    let checked = received.and_then(|pack| GitFileCheck::of(&pack).run(&pack, u64::MAX));
    checked.map_err(|error| error.to_string())
}
