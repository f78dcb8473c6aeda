//! A server that describes repositories to do harm.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod support;

use std::path::Path;

use forgewright_import::{AnswerStore, Api, Import, ImportError, ImportLimits, WorldWriter};
use serde_json::{Value, json};
use support::{Server, Silent, TOKEN, client};

/// A world that nobody reads: no import of this file comes to its end.
struct Nowhere;

impl WorldWriter for Nowhere {
    fn open(&mut self, _: &'static str) {}

    fn item(&mut self, _: &Value) -> Result<(), String> {
        Ok(())
    }

    fn close(&mut self) {}
}

async fn run(folder: &Path, origin: &str) -> Result<(), ImportError> {
    let (client, _) = client(origin);
    let store = AnswerStore::open(folder, origin)?;
    let generation = store.generation();
    let api = Api { client, store };
    let import = Import {
        api: &api,
        folder,
        generation,
        limits: ImportLimits::default(),
        progress: &Silent,
    };
    let names = ["acme/gadgets".parse().unwrap()];
    import.run(&names, &[], &mut Nowhere).await?;
    Ok(())
}

fn repository(full_name: &str, clone_url: &str) -> Value {
    json!({
        "id": 1, "name": "gadgets", "full_name": full_name, "private": false,
        "owner": {"id": 2, "login": "acme", "type": "User"}, "clone_url": clone_url,
    })
}

/// The files below a folder, and their contents together.
fn files(folder: &Path, found: &mut Vec<String>, text: &mut Vec<u8>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => files(&path, found, text),
            path => {
                found.push(path.display().to_string());
                text.extend(std::fs::read(path).unwrap());
            }
        }
    }
}

#[tokio::test]
async fn a_repository_comes_only_from_the_server_itself() {
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    let command = format!("ext::sh -c touch% {}", victim.display());
    for clone_url in [
        command.as_str(),
        "file:///etc",
        "/etc",
        "../../x",
        "ssh://127.0.0.1/x",
        "git://127.0.0.1/x",
        "http://127.0.0.1:1/acme/gadgets.git",
        "https://evil.example/acme/gadgets.git",
        "--upload-pack=touch",
    ] {
        let answer = repository("acme/gadgets", clone_url);
        let server = Server::with(move |_, target| {
            (target == "/repos/acme/gadgets").then(|| answer.clone())
        });
        let folder = tempfile::tempdir().unwrap();
        let error = run(folder.path(), &server.origin)
            .await
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains("not an address of the server"),
            "{clone_url}: {error}"
        );
        assert!(!victim.exists());
        assert_eq!(server.targets(), ["/repos/acme/gadgets"]);
    }
}

#[tokio::test]
async fn a_name_does_not_leave_the_folder() {
    for full_name in ["../../x", "acme/..", "/etc/passwd", "acme/a/b", "acme"] {
        let server = Server::with(move |origin, target| {
            let answer = repository(full_name, &format!("{origin}/acme/gadgets.git"));
            (target == "/repos/acme/gadgets").then_some(answer)
        });
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("world");
        let error = run(&folder, &server.origin)
            .await
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains("is not a repository"),
            "{full_name}: {error}"
        );
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
    }
}

#[tokio::test]
async fn a_failed_clone_leaves_neither_a_mirror_nor_the_token() {
    let server = Server::with(|origin, target| {
        let answer = repository("acme/gadgets", &format!("{origin}/acme/gadgets.git"));
        (target == "/repos/acme/gadgets").then_some(answer)
    });
    let folder = tempfile::tempdir().unwrap();
    let error = run(folder.path(), &server.origin)
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.starts_with("git: ") && !error.contains(TOKEN),
        "{error}"
    );
    let credential = server.requests.lock().unwrap().iter().any(|request| {
        request.target.starts_with("/acme/gadgets.git/")
            && request.head.contains("authorization: basic")
    });
    assert!(credential, "git does not send the token");
    let (mut names, mut text) = (Vec::new(), Vec::new());
    files(folder.path(), &mut names, &mut text);
    assert!(
        names.iter().all(|name| !name.contains(".git/")),
        "{names:?}"
    );
    assert!(
        !text
            .windows(TOKEN.len())
            .any(|bytes| bytes == TOKEN.as_bytes())
    );
}
