//! `forgewright repo export`: the exported repository passes `git fsck` and has the imported
//! content.

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
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {arguments:?}: {stderr}");
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}

fn printed(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8(both).unwrap()
}

#[test]
fn an_exported_repository_has_the_imported_content() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("world.yaml"), WORLD).unwrap();
    let loaded = run(at, &["world", "load", "world.yaml"]);
    assert!(loaded.status.success(), "{}", printed(&loaded));
    let exported = run(at, &["repo", "export", "Alice/Notes", "notes.git"]);
    assert_eq!(printed(&exported), "Wrote 9 objects to notes.git.\n");
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
fn an_exported_repository_is_readable_only_by_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("world.yaml"), WORLD).unwrap();
    run(at, &["world", "load", "world.yaml"]);
    std::fs::create_dir(at.join("there.git")).unwrap();
    for name in ["new.git", "there.git"] {
        let exported = run(at, &["repo", "export", "alice/notes", name]);
        assert!(exported.status.success(), "{}", printed(&exported));
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
fn a_failed_export_prints_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let no_database = run(at, &["repo", "export", "alice/notes", "out"]);
    assert!(!no_database.status.success());
    assert!(
        printed(&no_database).contains("there is no database at"),
        "{}",
        printed(&no_database)
    );
    std::fs::write(at.join("world.yaml"), WORLD).unwrap();
    run(at, &["world", "load", "world.yaml"]);
    for name in ["alice/nothing", "nobody/notes", "notes"] {
        let absent = run(at, &["repo", "export", name, "out"]);
        assert!(!absent.status.success());
        assert!(
            printed(&absent).contains("there is no repository"),
            "{}",
            printed(&absent)
        );
    }
    let full = run(at, &["repo", "export", "alice/notes", "."]);
    assert!(!full.status.success());
    assert_eq!(
        printed(&full),
        "forgewright: . is not empty; name an empty or new folder\n"
    );
    let empty = run(at, &["repo", "export", "alice/empty", "empty.git"]);
    assert_eq!(printed(&empty), "Wrote 0 objects to empty.git.\n");
    assert_eq!(git(&at.join("empty.git"), &["for-each-ref"]), "");
}
