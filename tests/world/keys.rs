//! Key files: which paths are allowed, and that no file is ever overwritten.

use std::path::Path;

use sea_orm::EntityTrait;
use storage::entities::app;
use world::load::{WorldSource, check_alone};

use super::Setup;
use crate::support::database::with_database;
use crate::support::tables::dump;

fn with_key(folder: &Path, path: &str) -> WorldSource {
    let file = folder.join("world.yaml");
    let text =
        format!("users: [{{login: a}}]\napps:\n  - {{slug: s, owner: a, generate_key: {path}}}\n");
    std::fs::write(&file, text).unwrap();
    WorldSource::file(&file)
}

#[tokio::test]
async fn a_key_file_is_written_once_with_mode_600_and_reused() {
    let folder = tempfile::tempdir().unwrap();
    let source = with_key(folder.path(), "keys/app.pem");
    let path = folder.path().join("keys/app.pem");
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        if !path.exists() {
            let error = setup.try_load(&source).await.unwrap_err().to_string();
            assert!(
                error.contains("world.yaml:3:39: cannot use the key file `keys/app.pem`"),
                "{error}"
            );
            std::fs::create_dir(folder.path().join("keys")).unwrap();
        }
        setup.try_load(&source).await.unwrap();
        let pem = std::fs::read_to_string(&path).unwrap();
        assert!(pem.starts_with("-----BEGIN RSA PRIVATE KEY-----\n"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let row = app::Entity::find()
            .one(setup.db.reads())
            .await
            .unwrap()
            .unwrap();
        assert!(row.public_key.starts_with("-----BEGIN PUBLIC KEY-----\n"));
        assert_eq!(setup.try_load(&source).await.unwrap().changed, 0);
        let aside = path.with_extension("aside");
        std::fs::rename(&path, &aside).unwrap();
        assert_eq!(setup.try_load(&source).await.unwrap().changed, 0);
        assert!(!path.exists(), "the app has a key and gets no second one");
        std::fs::rename(&aside, &path).unwrap();
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_key_file_outside_the_folder_or_over_another_file_is_refused() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("inner");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("note"), "not a key").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outer.path(), folder.join("out")).unwrap();
        std::os::unix::fs::symlink(outer.path().join("new"), folder.join("link")).unwrap();
    }
    let absolute = outer.path().join("absolute.pem").display().to_string();
    let setup = Setup::new(&format!("sqlite://{}/test.db", outer.path().display())).await;
    let before = dump(&setup.db).await;
    for (path, expected) in [
        ("../escaped.pem", "is outside the folder of the file"),
        ("a/../../escaped.pem", "is outside the folder of the file"),
        (&*absolute, "is outside the folder of the file"),
        ("out/escaped.pem", "is outside the folder of the file"),
        ("link", "is outside the folder of the file"),
        (".", "is outside the folder of the file"),
        ("note", "already exists; expected a private RSA key"),
    ] {
        let source = with_key(&folder, path);
        let error = setup.try_load(&source).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{path}: {error}");
    }
    assert_eq!(dump(&setup.db).await, before);
    let left: Vec<_> = std::fs::read_dir(outer.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| name == "inner" || name.to_string_lossy().starts_with("test.db")),
        "{left:?}"
    );
    assert_eq!(
        std::fs::read_to_string(folder.join("note")).unwrap(),
        "not a key"
    );
}

#[test]
fn a_check_without_a_database_reports_all_errors_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("note"), "not a key").unwrap();
    let text = "\
users: [{login: a}]
repositories:
  - {full_name: a/b, git: {path: nowhere.git}}
  - {full_name: a/c, git: {path: .}}
apps:
  - {slug: s, owner: a, generate_key: note}
  - {slug: t, owner: a, generate_key: fine.pem}
";
    let file = folder.path().join("world.yaml");
    std::fs::write(&file, text).unwrap();
    let found = check_alone(&WorldSource::file(&file))
        .unwrap_err()
        .to_string();
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines.len(), 3, "{found}");
    for (line, (at, error)) in lines.iter().zip([
        (":3:34: ", "there is no such folder"),
        (":4:34: ", "not a Git repository"),
        (":6:39: ", "`note` already exists"),
    ]) {
        assert!(line.contains(at) && line.contains(error), "{line}");
    }
    assert!(!folder.path().join("fine.pem").exists());
}
