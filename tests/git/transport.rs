//! Git over HTTP: `git` against a listening server, and requests that no client would send.

mod access;
mod bounded;
mod crash;
mod fetching;
mod hostile;
mod pulls;
mod pushing;
mod refused;
mod shallow;
mod uploads;

use std::path::{Path, PathBuf};
use std::process::Output;

use forgewright::web;
use forgewright::web::server::ConnectionLimits;
use sea_orm::{ConnectionTrait, Statement};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::support::database::PrivateDatabase;
use crate::support::git::run_in;
use crate::support::server::Server;

const WORLD: &str = r##"
users:
  - {id: 1001, login: alice}
  - {id: 1002, login: bob}
  - {id: 1003, login: mallory}
organizations:
  - id: 1004
    login: acme
    base_permission: read
    members:
      - {login: alice, role: admin}
      - {login: bob, role: member}
repositories:
  - id: 2001
    full_name: acme/widgets
    visibility: private
    git:
      commits:
        - {id: first, message: Begin, author: alice, date: 2026-02-16T11:00:00Z, files: {README.md: "# Widgets\n"}}
      refs: {refs/heads/main: first}
  - id: 2002
    full_name: acme/gadgets
    visibility: public
    git:
      commits:
        - {id: first, message: Begin, author: alice, date: 2026-02-16T11:20:00Z, files: {README.md: "# Gadgets\n", "src/lib.rs": "pub fn one() {}\n", "docs/a/b/c.md": "deep\n"}}
        - {id: second, parents: [first], message: More, author: bob, date: 2026-03-10T09:20:00Z, files: {README.md: "# Gadgets\nmore\n"}}
        - {id: aside, parents: [first], message: Aside, author: bob, date: 2026-03-10T10:20:00Z, files: {NOTES.md: "aside\n"}}
      tags:
        - {name: v1.0, target: first, message: The first release, author: alice, date: 2026-03-02T10:00:00Z}
      refs:
        refs/heads/main: second
        refs/heads/aside: aside
        refs/tags/v1.0: v1.0
    pulls:
      - {id: 8001, number: 1, title: Aside, author: bob, base: main, head: aside}
  - {id: 2003, full_name: acme/empty, visibility: public}
  - {id: 2005, full_name: acme/blank, visibility: private}
  - id: 2004
    full_name: acme/old
    visibility: public
    archived: true
    git:
      commits:
        - {id: first, message: Begin, author: alice, date: 2026-02-16T11:20:00Z, files: {README.md: "# Old\n"}}
      refs: {refs/heads/main: first}
  - {id: 2006, full_name: acme/off, visibility: public, disabled: true}
apps:
  - {id: 6001, slug: ci-bot, name: CI Bot, owner: acme, client_id: Iv23ciBot, permissions: {contents: write, metadata: read}}
installations:
  - {id: 7001, app: ci-bot, account: acme, repository_selection: all}
tokens:
  - {kind: classic, user: alice, scopes: [repo, workflow], value: alice-classic}
  - {kind: classic, user: alice, scopes: [repo], value: alice-no-workflow}
  - {kind: classic, user: bob, scopes: [repo, workflow], value: bob-classic}
  - {kind: classic, user: mallory, scopes: [repo, workflow], value: mallory-classic}
  - {kind: fine_grained, user: alice, owner: acme, repositories: all, permissions: {contents: read, metadata: read}, value: alice-reads}
  - {kind: fine_grained, user: alice, owner: acme, repositories: all, permissions: {metadata: read}, value: alice-metadata}
  - {kind: installation, app: ci-bot, account: acme, expires_in: 3600, value: ci-bot-token}
"##;

/// A listening server with its own database.
pub struct GitServer {
    server: Server,
    address: String,
    database: PrivateDatabase,
}

impl GitServer {
    pub async fn start() -> Self {
        let database = PrivateDatabase::migrated().await;
        let server = Server::start(&database.url()).await;
        server.load("world.yaml", WORLD).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let limits = ConnectionLimits::for_clients(100, 1.0);
        let router = web::router(&server.app);
        tokio::spawn(web::server::serve(
            listener,
            router,
            limits,
            server.app.settings.memory.clone(),
            std::future::pending(),
        ));
        Self {
            server,
            address,
            database,
        }
    }

    /// The URL of a repository, with a token.
    pub fn url(&self, token: Option<&str>, repository: &str) -> String {
        let credential = token.map_or(String::new(), |token| format!("x-access-token:{token}@"));
        format!("http://{credential}{}/{repository}", self.address)
    }

    pub fn folder(&self) -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// A clone, with a token that may push.
    pub fn clone_of(&self, repository: &str) -> Folder {
        let folder = self.folder();
        let url = self.url(Some("alice-classic"), &format!("{repository}.git"));
        folder.git(&["clone", "-q", &url, "."]);
        folder
    }

    /// The SHA of a reference, from the API.
    pub async fn tip(&self, repository: &str, name: &str) -> Option<String> {
        let path = format!("/repos/{repository}/git/ref/{name}");
        let (status, body) = self.server.get(&path, "alice-classic").await;
        match status {
            200 => Some(body["object"]["sha"].as_str().unwrap().to_owned()),
            _ => None,
        }
    }

    /// The number of rows in each table that a push may write to.
    pub async fn rows(&self) -> Vec<(String, i64)> {
        let tables = [
            "git_object",
            "git_commit",
            "git_commit_parent",
            "git_reach",
            "git_ref",
            "repository_push",
        ];
        let mut counts = Vec::new();
        for table in tables {
            let db = self.server.app.db.reads();
            let sql = format!("SELECT CAST(COUNT(*) AS BIGINT) FROM {table}");
            let statement = Statement::from_string(db.get_database_backend(), sql);
            let row = db.query_one_raw(statement).await.unwrap().unwrap();
            counts.push((table.to_owned(), row.try_get_by_index(0).unwrap()));
        }
        counts
    }

    pub async fn stop(self) {
        self.server.stop().await;
        drop(self.database);
    }
}

/// A folder in which `git` runs.
pub struct Folder(TempDir);

impl Folder {
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub fn attempt(&self, arguments: &[&str]) -> Output {
        run_in(self.path(), arguments, b"")
    }

    /// Runs a command that must succeed; returns its output.
    #[track_caller]
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.attempt(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {errors}");
        String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()
    }

    /// Runs a command that must fail; returns its error output.
    #[track_caller]
    pub fn refused(&self, arguments: &[&str]) -> String {
        let output = self.attempt(arguments);
        assert!(!output.status.success(), "git {arguments:?} succeeded");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Commits a change of a file; returns the SHA.
    pub fn commit(&self, file: &str, content: &str) -> String {
        let path = self.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", &format!("Change {file}")]);
        self.git(&["rev-parse", "HEAD"])
    }

    #[track_caller]
    pub fn fsck(&self) {
        self.git(&["fsck", "--strict", "--full"]);
    }

    /// Every reachable object.
    pub fn objects(&self) -> Vec<String> {
        let listed = self.git(&["rev-list", "--objects", "--all", "--no-object-names"]);
        let mut listed: Vec<String> = listed.lines().map(str::to_owned).collect();
        listed.sort();
        listed
    }
}

/// A history with merges, folders, removed files and tags.
pub fn history(folder: &Folder, commits: usize) {
    folder.git(&["init", "-q", "-b", "main", "."]);
    for number in 0..commits {
        folder.commit(
            &format!("src/{}/file.txt", number % 5),
            &format!("{number}\n"),
        );
        match number % 7 {
            3 => {
                folder.git(&["checkout", "-q", "-b", &format!("side{number}"), "HEAD~1"]);
                folder.commit(&format!("side/{number}.txt"), "aside\n");
                folder.git(&["checkout", "-q", "main"]);
                folder.git(&["merge", "-q", "--no-edit", &format!("side{number}")]);
            }
            5 => {
                folder.git(&["tag", "-a", &format!("v{number}"), "-m", "A release"]);
            }
            _ => {}
        }
    }
}
