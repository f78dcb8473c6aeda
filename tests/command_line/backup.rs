//! The errors of `forgewright backup` for an unusable destination. They name the folder or file
//! and contain no SQLite messages. `tests/reliability` tests backups of a served database.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use crate::support::process::{assert_fails, forgewright};

fn database() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let output = forgewright(folder.path()).arg("migrate").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    folder
}

fn back_up(folder: &Path, to: &str) -> Output {
    forgewright(folder).args(["backup", to]).output().unwrap()
}

#[track_caller]
fn explained(output: &Output, words: &[&str]) {
    assert_fails(output, 1, words);
    let text = String::from_utf8_lossy(&output.stderr);
    for word in ["(code:", "unable to open", "returned from"] {
        assert!(!text.contains(word), "a message of SQLite: {text}");
    }
}

#[test]
fn a_backup_is_readable_only_by_its_owner_and_leaves_no_other_file() {
    let folder = database();
    let output = back_up(folder.path(), "copy.db");
    assert!(output.status.success(), "{output:?}");
    let mode = std::fs::metadata(folder.path().join("copy.db"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!folder.path().join("copy.db.unfinished").exists());
    explained(
        &back_up(folder.path(), "copy.db"),
        &["copy.db already exists"],
    );
}

#[test]
fn the_error_names_a_missing_folder() {
    let folder = database();
    let output = back_up(folder.path(), "none/deeper/copy.db");
    explained(&output, &["the folder none/deeper does not exist"]);
}

#[test]
fn the_error_names_a_folder_that_should_be_a_file_and_vice_versa() {
    let folder = database();
    explained(&back_up(folder.path(), "data"), &["data is a folder"]);
    let within_a_file = back_up(folder.path(), "data/forgewright.db/copy.db");
    explained(&within_a_file, &["data/forgewright.db is not a folder"]);
}

#[test]
fn the_error_names_an_unfinished_backup_and_keeps_it() {
    let folder = database();
    std::fs::write(folder.path().join("copy.db.unfinished"), "half").unwrap();
    let output = back_up(folder.path(), "copy.db");
    explained(
        &output,
        &["copy.db.unfinished is an unfinished backup", "remove it"],
    );
    let left = std::fs::read_to_string(folder.path().join("copy.db.unfinished")).unwrap();
    assert_eq!(left, "half");
}

#[test]
fn a_damaged_backup_is_restored_only_with_accept_damage() {
    let orphan = "PRAGMA foreign_keys = OFF;
        INSERT INTO collaborator (repository_id, user_id, permission) VALUES (7, 8, 'read')";
    assert_restored_only_with_accept_damage(orphan, "collaborator");
}

#[test]
fn a_backup_with_its_own_trigger_is_restored_only_with_accept_damage() {
    let trigger = "CREATE TRIGGER own AFTER INSERT ON token BEGIN DELETE FROM account; END";
    assert_restored_only_with_accept_damage(trigger, "unexpected trigger own");
}

fn assert_restored_only_with_accept_damage(damage: &str, finding: &str) {
    let folder = database();
    assert!(back_up(folder.path(), "copy.db").status.success());
    let copy = rusqlite::Connection::open(folder.path().join("copy.db")).unwrap();
    copy.execute_batch(damage).unwrap();
    drop(copy);
    let restore = |more: &[&str]| {
        forgewright(folder.path())
            .args(["restore", "copy.db", "--data-dir", "new"])
            .args(more)
            .output()
            .unwrap()
    };
    let refused = restore(&[]);
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success(), "{text}");
    assert!(text.contains(finding), "{text}");
    assert!(text.contains("--accept-damage"), "{text}");
    assert!(!folder.path().join("new/forgewright.db").exists());
    let restored = restore(&["--accept-damage"]);
    let text = String::from_utf8_lossy(&restored.stderr).into_owned();
    assert!(restored.status.success(), "{text}");
    assert!(text.contains(finding), "{text}");
    assert!(folder.path().join("new/forgewright.db").exists());
}

/// Not even root can create a file in `/proc`.
#[cfg(target_os = "linux")]
#[test]
fn the_error_names_an_unwritable_folder() {
    let folder = database();
    explained(
        &back_up(folder.path(), "/proc/self/copy.db"),
        &["/proc/self"],
    );
}
