//! `forgewright repo export`, as a person runs it: what comes out is a repository
//! that `git` finds no fault with, and has what went in.

use std::path::Path;
use std::process::Output;

use crate::support::git::run_in;
use crate::support::process::forgewright;

const WORLD: &str = "
users: [{login: alice}]
repositories:
  - full_name: alice/notes
    default_branch: trunk
    git:
      commits:
        - {id: one, message: One, date: 2026-01-02T03:04:05Z, files: {a/b.txt: one}}
        - {id: two, message: Two, date: 2026-01-02T03:04:06Z, files: {a/b.txt: two}}
      tags: [{name: v1, target: one, message: First, date: 2026-01-02T03:04:07Z}]
      refs: {refs/heads/trunk: two, refs/heads/old: one, refs/tags/v1: v1}
  - {full_name: alice/empty}
";

fn run(folder: &Path, arguments: &[&str]) -> Output {
    forgewright(folder).args(arguments).output().unwrap()
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = run_in(folder, arguments, b"");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}

fn told(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8(both).unwrap()
}

#[test]
fn a_repository_comes_out_as_it_went_in() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("world.yaml"), WORLD).unwrap();
    let loaded = run(at, &["world", "load", "world.yaml"]);
    assert!(loaded.status.success(), "{}", told(&loaded));
    let exported = run(at, &["repo", "export", "Alice/Notes", "notes.git"]);
    assert_eq!(told(&exported), "Wrote 9 objects to notes.git.\n");
    let notes = at.join("notes.git");
    git(&notes, &["fsck", "--strict", "--full"]);
    let refs = git(
        &notes,
        &["for-each-ref", "--format=%(refname) %(objecttype)"],
    );
    assert_eq!(
        refs,
        "refs/heads/old commit\nrefs/heads/trunk commit\nrefs/tags/v1 tag"
    );
    git(at, &["clone", "-q", "notes.git", "clone"]);
    let clone = at.join("clone");
    assert_eq!(git(&clone, &["log", "--format=%s"]), "Two\nOne");
    assert_eq!(
        std::fs::read_to_string(clone.join("a/b.txt")).unwrap(),
        "two"
    );
}

#[test]
fn what_is_exported_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("world.yaml"), WORLD).unwrap();
    run(at, &["world", "load", "world.yaml"]);
    std::fs::create_dir(at.join("there.git")).unwrap();
    for name in ["new.git", "there.git"] {
        let exported = run(at, &["repo", "export", "alice/notes", name]);
        assert!(exported.status.success(), "{}", told(&exported));
        let mut pending: Vec<_> = std::fs::read_dir(at.join(name)).unwrap().collect();
        while let Some(entry) = pending.pop() {
            let path = entry.unwrap().path();
            let mode = path.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{}: {mode:o}", path.display());
            if path.is_dir() {
                pending.extend(std::fs::read_dir(path).unwrap());
            }
        }
    }
}

#[test]
fn what_cannot_be_exported_is_said_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let nowhere = run(at, &["repo", "export", "alice/notes", "out"]);
    assert!(!nowhere.status.success());
    assert!(
        told(&nowhere).contains("there is no database at"),
        "{}",
        told(&nowhere)
    );
    std::fs::write(at.join("world.yaml"), WORLD).unwrap();
    run(at, &["world", "load", "world.yaml"]);
    for name in ["alice/nothing", "nobody/notes", "notes"] {
        let absent = run(at, &["repo", "export", name, "out"]);
        assert!(!absent.status.success());
        assert!(
            told(&absent).contains("there is no repository"),
            "{}",
            told(&absent)
        );
    }
    let full = run(at, &["repo", "export", "alice/notes", "."]);
    assert!(!full.status.success());
    assert_eq!(told(&full), "forgewright: . is not empty\n");
    let empty = run(at, &["repo", "export", "alice/empty", "empty.git"]);
    assert_eq!(told(&empty), "Wrote 0 objects to empty.git.\n");
    assert_eq!(git(&at.join("empty.git"), &["for-each-ref"]), "");
}
