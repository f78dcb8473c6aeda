//! Pushes of many objects, which are stored in short transactions before the references move.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use forge::webhooks::Dispatcher;
use git::pack::{PackLimits, receive};
use git::uploads::GitUpload;
use poem::http::Method;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::json;

use super::{Folder, GitServer};

/// Commits and further files of a large push.
const COMMITS: usize = 700;
const FILES: usize = 6000;

/// The most objects that one transaction of a push may store.
const MOST: i64 = 3000;

/// A folder with more objects than a push stores in one transaction.
fn large(server: &GitServer) -> Folder {
    let folder = server.folder();
    folder.git(&["init", "-q", "-b", "main", "."]);
    let mut script = String::new();
    for number in 0..COMMITS {
        let date = 1_700_000_000 + number;
        script += "commit refs/heads/main\n";
        script += &format!("committer Tess Ter <tess@example.com> {date} +0000\ndata 2\nx\n");
        script += &format!("M 100644 inline edited/{number}.txt\ndata 5\n{number:05}\n");
        if number == 0 {
            for file in 0..FILES {
                let (name, text) = (file % 100, format!("file {file:05}\n"));
                script += &format!("M 100644 inline many/{name}/{file}.txt\n");
                script += &format!("data {}\n{text}\n", text.len());
            }
        }
    }
    let script = script.as_bytes();
    let output = crate::support::git::run_in(folder.path(), &["fast-import", "--quiet"], script);
    assert!(output.status.success(), "{output:?}");
    folder
}

fn start(folder: &Folder, url: &str, refspec: &str) -> Child {
    Command::new("git")
        .args(["push", "-q", url, refspec])
        .current_dir(folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn packed(folder: &Folder) -> Vec<u8> {
    let pack = ["pack-objects", "--all", "--stdout", "-q"];
    crate::support::git::run_in(folder.path(), &pack, b"").stdout
}

impl GitServer {
    /// Stores a pack as a push does, without moving a reference.
    async fn stage(&self, repository: i64, pack: &[u8]) -> GitUpload {
        let app = &self.server.app;
        let transaction = app.db.begin().await.unwrap();
        let (entropy, now) = (&*app.entropy, app.clock.now().0);
        let upload = app.uploads.begin(&transaction, entropy, repository, now);
        let upload = upload.await.unwrap().unwrap();
        transaction.commit().await.unwrap();
        let reads = app.db.reads();
        let pack = receive(pack, PackLimits::default(), reads, repository).await;
        let pack = pack.unwrap().connected(reads, repository).await.unwrap();
        let writer = pack.writer(reads, repository, Some(upload.id())).await;
        let mut writer = writer.unwrap();
        while let Some(batch) = writer.next().await.unwrap() {
            let transaction = app.db.begin().await.unwrap();
            upload.renew(&transaction, now).await.unwrap();
            writer.write(&transaction, batch).await.unwrap();
            transaction.commit().await.unwrap();
        }
        upload
    }

    async fn sweep(&self) {
        let dispatcher = Dispatcher::new(Arc::clone(&self.server.app));
        while dispatcher.sweep_uploads().await.unwrap() {}
    }

    async fn number(&self, sql: &str) -> i64 {
        let transaction = self.server.app.db.begin().await.unwrap();
        let statement = Statement::from_string(transaction.get_database_backend(), sql);
        let row = transaction.query_one_raw(statement).await.unwrap().unwrap();
        let number = row.try_get_by_index(0).unwrap();
        transaction.rollback().await.unwrap();
        number
    }

    /// The most objects that one transaction stored while a push runs.
    async fn largest_step(&self, mut pushing: Child) -> i64 {
        let count = "SELECT CAST(COUNT(*) AS BIGINT) FROM git_object";
        let (mut largest, mut last) = (0, self.number(count).await);
        // SQLite gives the writer to those who wait for it in order.
        while pushing.try_wait().unwrap().is_none() {
            let now = self.number(count).await;
            largest = largest.max(now - last);
            last = now;
        }
        assert!(pushing.wait().unwrap().success());
        if self.server.app.db.reads().get_database_backend() == DbBackend::Postgres {
            let sql = "SELECT MAX(number) FROM
                (SELECT COUNT(*) AS number FROM git_object GROUP BY xmin::TEXT) AS stored";
            return self.number(sql).await;
        }
        largest
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_writers_get_their_turn_while_many_objects_are_stored() {
    let server = GitServer::start().await;
    let origin = large(&server);
    let url = server.url(Some("alice-classic"), "acme/blank.git");
    let largest = server.largest_step(start(&origin, &url, "main")).await;
    assert!(largest <= MOST, "one transaction stored {largest} objects");
    let clone = server.folder();
    clone.git(&["clone", "-q", "--mirror", &url, "."]);
    clone.fsck();
    assert_eq!(clone.objects(), origin.objects());
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_pushes_of_the_same_objects_both_succeed() {
    let server = GitServer::start().await;
    let origin = large(&server);
    let url = server.url(Some("alice-classic"), "acme/widgets.git");
    let branches = ["main:refs/heads/one", "main:refs/heads/two"];
    let pushing = branches.map(|branch| start(&origin, &url, branch));
    for push in pushing {
        let output = push.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
    }
    let tip = Some(origin.git(&["rev-parse", "main"]));
    for branch in ["heads/one", "heads/two"] {
        assert_eq!(server.tip("acme/widgets", branch).await, tip);
    }
    let clone = server.folder();
    clone.git(&["clone", "-q", "--mirror", &url, "."]);
    clone.fsck();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_push_of_many_objects_leaves_nothing() {
    let server = GitServer::start().await;
    let origin = large(&server);
    let before = server.rows().await;
    let conflicting = server.url(Some("alice-classic"), "acme/gadgets.git");
    let stderr = origin.refused(&["push", &conflicting, "main:refs/heads/main/nested"]);
    assert!(stderr.contains("remote rejected"), "{stderr}");
    server.sweep().await;
    assert_eq!(server.rows().await, before);
    let archived = server.url(Some("alice-classic"), "acme/old.git");
    origin.refused(&["push", "--force", &archived, "main"]);
    assert_eq!(server.rows().await, before, "no object was stored");
    let token = server.url(Some("alice-no-workflow"), "acme/blank.git");
    origin.git(&["checkout", "-q", "main"]);
    origin.commit(".github/workflows/ci.yml", "on: push\n");
    let stderr = origin.refused(&["push", &token, "main"]);
    assert!(stderr.contains("workflow"), "{stderr}");
    assert_ne!(server.rows().await, before, "they are deleted later");
    assert_eq!(server.tip("acme/blank", "heads/main").await, None);
    server.sweep().await;
    assert_eq!(server.rows().await, before);
    let url = server.url(Some("alice-classic"), "acme/blank.git");
    origin.git(&["push", "-q", &url, "main"]);
    let clone = server.folder();
    clone.git(&["clone", "-q", "--mirror", &url, "."]);
    clone.fsck();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operations_do_not_see_an_unfinished_push_and_may_store_the_same_objects() {
    let server = GitServer::start().await;
    let origin = large(&server);
    let [blob, tree, commit] = ["main:edited/0.txt", "main^{tree}", "main"]
        .map(|object| origin.git(&["rev-parse", object]));
    let upload = server.stage(2002, &packed(&origin)).await;
    let api = "/repos/acme/gadgets/git";
    let token = "alice-classic";
    for path in ["blobs", "trees", "commits"]
        .iter()
        .zip([&blob, &tree, &commit])
    {
        let path = format!("{api}/{}/{}", path.0, path.1);
        assert_eq!(server.server.get(&path, token).await.0, 404, "{path}");
    }
    let entry = json!({"path": "a", "mode": "100644", "type": "blob", "sha": blob});
    let reference = json!({"ref": "refs/heads/hidden", "sha": commit});
    let child = json!({"message": "x", "tree": tree});
    let post = async |path: &str, body| {
        let path = format!("{api}/{path}");
        server.server.send(Method::POST, &path, token, body).await
    };
    assert_eq!(post("trees", json!({"tree": [entry]})).await.0, 422);
    assert_eq!(post("refs", reference).await.0, 422);
    assert_eq!(post("commits", child).await.0, 422);
    let (status, stored) = post("blobs", json!({"content": "00000"})).await;
    assert_eq!((status, stored["sha"].as_str()), (201, Some(&*blob)));
    assert_eq!(post("trees", json!({"tree": [entry]})).await.0, 201);
    drop(upload);
    server.sweep().await;
    let (status, body) = server
        .server
        .get(&format!("{api}/blobs/{blob}"), token)
        .await;
    assert_eq!((status, body["size"].as_i64()), (200, Some(5)));
    let (status, _) = server
        .server
        .get(&format!("{api}/commits/{commit}"), token)
        .await;
    assert_eq!(status, 404);
    server.stop().await;
}
