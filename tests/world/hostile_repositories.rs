//! Hostile repositories on disk, with pipes that block or links to other files. The server
//! refuses each before it opens any of its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::Setup;
use super::histories::{commit, on_disk};

/// A load that takes longer waits forever.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A world with a repository of one commit.
struct Disk {
    outer: tempfile::TempDir,
}

impl Disk {
    fn new() -> Self {
        let outer = tempfile::tempdir().unwrap();
        fs::create_dir(outer.path().join("worlds")).unwrap();
        let disk = Self { outer };
        let repository = git2::Repository::init_bare(disk.repository()).unwrap();
        commit(&repository, "main", "1");
        disk
    }

    fn repository(&self) -> PathBuf {
        self.outer.path().join("r.git")
    }

    async fn setup(&self) -> Setup {
        let database = self.outer.path().join("test.db");
        Setup::new(&format!("sqlite://{}", database.display())).await
    }

    /// The error of the load.
    async fn load_error(&self) -> String {
        let setup = self.setup().await;
        let source = on_disk(&self.outer.path().join("worlds"), "");
        let loading = tokio::time::timeout(TIMEOUT, setup.try_load(&source)).await;
        loading.unwrap().unwrap_err().to_string()
    }
}

fn create_pipe(path: &Path) {
    if path.exists() {
        fs::remove_file(path).unwrap();
    }
    let status = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(status.success());
}

#[tokio::test]
async fn a_pipe_instead_of_a_file_is_refused_and_never_opened() {
    for name in [
        "packed-refs",
        "HEAD",
        "config",
        "shallow",
        "refs/heads/pipe",
        "objects/info/alternates",
        "objects/pack/pack-1.idx",
    ] {
        let disk = Disk::new();
        create_pipe(&disk.repository().join(name));
        let error = disk.load_error().await;
        let expected = format!("{name} is a pipe or a device; only files and folders are read");
        assert!(error.ends_with(&expected), "{error}");
    }
}

#[tokio::test]
async fn a_link_in_a_repository_is_refused() {
    for name in ["refs/heads/link", "packed-refs", "objects/aa"] {
        let disk = Disk::new();
        std::os::unix::fs::symlink("/etc/passwd", disk.repository().join(name)).unwrap();
        let error = disk.load_error().await;
        let expected = format!("{name} is a link; only files and folders are read");
        assert!(error.ends_with(&expected), "{error}");
    }
}

#[tokio::test]
async fn the_objects_of_another_repository_are_not_read() {
    let disk = Disk::new();
    let private = disk.outer.path().join("private.git");
    let other = git2::Repository::init_bare(&private).unwrap();
    let hidden = commit(&other, "main", "hidden");
    let alternates = disk.repository().join("objects/info/alternates");
    fs::create_dir_all(alternates.parent().unwrap()).unwrap();
    let objects = private.join("objects");
    fs::write(alternates, format!("{}\n", objects.display())).unwrap();
    fs::write(disk.repository().join("refs/heads/main"), hidden + "\n").unwrap();
    let error = disk.load_error().await;
    assert!(error.contains("objects/info/alternates"), "{error}");
}

#[tokio::test]
async fn included_configuration_is_not_read() {
    for section in ["[include]", "[core] [INCLUDE]", "[includeIf \"gitdir:/\"]"] {
        let disk = Disk::new();
        let secret = disk.outer.path().join("secret");
        fs::write(&secret, "[very\nsecret = words").unwrap();
        let path = disk.repository().join("config");
        let config = fs::read_to_string(&path).unwrap();
        let config = format!("{config}{section}\n\tpath = {}\n", secret.display());
        fs::write(&path, config).unwrap();
        let error = disk.load_error().await;
        assert!(error.contains("includes other files"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn git_data_in_another_folder_is_not_read() {
    let disk = Disk::new();
    let moved = disk.outer.path().join("moved.git");
    fs::rename(disk.repository(), &moved).unwrap();
    fs::create_dir(disk.repository()).unwrap();
    let link = format!("gitdir: {}\n", moved.display());
    fs::write(disk.repository().join(".git"), link).unwrap();
    let error = disk.load_error().await;
    assert!(error.contains("its Git data is elsewhere"), "{error}");

    let disk = Disk::new();
    let moved = disk.outer.path().join("moved.git");
    git2::Repository::init_bare(&moved).unwrap();
    let link = format!("{}\n", moved.display());
    fs::write(disk.repository().join("commondir"), link).unwrap();
    let error = disk.load_error().await;
    assert!(error.contains("its Git data is elsewhere"), "{error}");
}

#[tokio::test]
async fn an_include_in_a_comment_is_ignored() {
    let disk = Disk::new();
    let path = disk.repository().join("config");
    let config = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{config}# [include] path = x\n")).unwrap();
    let source = on_disk(&disk.outer.path().join("worlds"), "");
    disk.setup().await.try_load(&source).await.unwrap();
}
