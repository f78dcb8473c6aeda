//! What has changed is seen by the very next request, although answers are kept:
//! on the server that changed it, on another server, and when it was changed by
//! the command line beside a running server. All of it while readers hammer, so
//! that answers are always being kept and thrown away. And nothing is answered
//! that could still be undone.
//!
//! Everything runs on SQLite, and on PostgreSQL too when TEST_DATABASE_URL names a
//! server.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

#[path = "coherence/known.rs"]
mod known;
mod private_database;
#[path = "coherence/round_trips.rs"]
mod round_trips;

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use forgewright::app::{App, Settings};
use forgewright::clock::SystemClock;
use forgewright::database::{Database, Options, footprint};
use forgewright::entities::{collaborator, installation_repository, setting, token};
use forgewright::entropy::SystemEntropy;
use forgewright::tokens::{self, Which};
use forgewright::web;
use forgewright::world::load::{Loader, Source};
use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem::{Endpoint, Request, Response};
use private_database::on_each;
use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, QueryFilter, Set};
use serde_json::{Value, json};
use tokio::task::JoinSet;

const READERS: usize = 32;

/// How often each change is made.
const TIMES: i64 = 20;

const WORLD: &str = "
users: [{id: 1001, login: alice}, {id: 1002, login: bob}, {id: 1003, login: carol}]
organizations: [{id: 1004, login: acme, base_permission: read, members: [{login: bob, role: member}]}]
repositories:
  - id: 2001
    full_name: acme/widgets
    visibility: private
    collaborators: [{login: alice, permission: write}]
    git:
      commits:
        - {id: c0, message: Zero, files: {a: zero}}
        - {id: c1, message: One, files: {a: one}}
      refs: {refs/heads/main: c0, refs/heads/topic: c1}
    pulls:
      - number: 1
        title: One
        author: alice
        base: main
        head: topic
        comments: [{id: 5001, author: alice, path: a, line: 1, side: RIGHT, body: Before}]
apps: [{id: 6001, slug: ci, owner: acme, permissions: {contents: read, metadata: read}}]
installations: [{id: 7001, app: ci, account: acme, repository_selection: selected, repositories: [widgets]}]
tokens:
  - {kind: classic, user: alice, scopes: [repo], value: alice}
  - {kind: classic, user: bob, scopes: [repo], value: bobby}
  - {kind: classic, user: carol, scopes: [repo], value: carol}
  - {kind: installation, app: ci, account: acme, expires_in: 3600, value: ci-token}
";

const REF: &str = "/repos/acme/widgets/git/ref/heads/prize";
const COMMENTS: &str = "/repos/acme/widgets/pulls/1/comments";
const REPOSITORY: &str = "/repos/acme/widgets";

struct Server {
    app: Arc<App>,
    router: BoxEndpoint<'static, Response>,
}

impl Server {
    async fn start(url: &str) -> Self {
        let db = Database::connect(url, Options::default()).await.unwrap();
        let (clock, entropy) = (Arc::new(SystemClock), Arc::new(SystemEntropy));
        let app = App::new(db, clock, entropy, Settings::default());
        Self {
            router: web::router(&app),
            app,
        }
    }

    async fn ask(&self, method: Method, path: &str, token: &str, body: Value) -> (u16, Value) {
        let request = Request::builder()
            .method(method)
            .uri_str(format!("http://forge.test{path}"))
            .header("Authorization", format!("Bearer {token}"))
            .body(body.to_string());
        let mut response = self.router.get_response(request).await;
        let text = response.take_body().into_string().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        (response.status().as_u16(), body)
    }

    async fn get(&self, path: &str, token: &str) -> (u16, Value) {
        self.ask(Method::GET, path, token, Value::Null).await
    }
}

/// Two servers on one database, and readers on both of them who never stop.
struct Scene {
    servers: Arc<[Server; 2]>,
    readers: JoinSet<()>,
    over: Arc<AtomicBool>,
    read: Arc<AtomicU64>,
}

impl Scene {
    async fn open(url: &str) -> Self {
        let mut scene = Self::without_readers(url).await;
        for reader in 0..READERS {
            scene.hammer(reader);
        }
        scene
    }

    async fn without_readers(url: &str) -> Self {
        Database::migrate(url).await.unwrap();
        let servers = Arc::new([Server::start(url).await, Server::start(url).await]);
        let loader = Loader::new(&servers[0].app.db, &SystemClock, &SystemEntropy);
        let world = Source::inline("coherence.yaml", WORLD);
        if let Err(error) = loader.load(&world).await {
            panic!("{error}");
        }
        let (over, read) = (Arc::new(AtomicBool::new(false)), Arc::default());
        Self {
            servers,
            readers: JoinSet::new(),
            over,
            read,
        }
    }

    fn hammer(&mut self, reader: usize) {
        let (servers, over, read) = (self.servers.clone(), self.over.clone(), self.read.clone());
        let path = [REF, COMMENTS, REPOSITORY, "/installation/repositories"][reader % 4];
        let token = ["alice", "bobby", "carol", "ci-token"][reader / 4 % 4];
        self.readers.spawn(async move {
            while !over.load(Ordering::Relaxed) {
                servers[reader / 16].get(path, token).await;
                read.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
        });
    }

    async fn close(mut self) {
        self.over.store(true, Ordering::Relaxed);
        while self.readers.join_next().await.is_some() {}
        for server in &*self.servers {
            server.app.db.close().await.unwrap();
        }
    }

    /// What both servers say, each asked for the first time since a change.
    async fn both(&self, path: &str, token: &str) -> [(u16, Value); 2] {
        [
            self.servers[0].get(path, token).await,
            self.servers[1].get(path, token).await,
        ]
    }

    async fn statuses(&self, path: &str, token: &str) -> [u16; 2] {
        self.both(path, token).await.map(|(status, _)| status)
    }
}

async fn on_a_scene(check: impl AsyncFn(&Scene)) {
    on_each(async |url| {
        let scene = Scene::open(url).await;
        check(&scene).await;
        assert!(scene.read.load(Ordering::Relaxed) > 0);
        scene.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_moved_reference_is_seen_by_the_next_request() {
    on_a_scene(async |scene| {
        let mut shas = Vec::new();
        for name in ["main", "topic"] {
            let path = format!("/repos/acme/widgets/git/ref/heads/{name}");
            let (_, found) = scene.servers[0].get(&path, "alice").await;
            shas.push(found["object"]["sha"].as_str().unwrap().to_owned());
        }
        let body = json!({"ref": "refs/heads/prize", "sha": shas[0]});
        let refs = "/repos/acme/widgets/git/refs";
        let (status, _) = scene.servers[0]
            .ask(Method::POST, refs, "alice", body)
            .await;
        assert_eq!(status, 201);
        let path = format!("{refs}/heads/prize");
        for time in 1..=usize::try_from(TIMES).unwrap() {
            let sha = &shas[time % 2];
            let body = json!({"sha": sha, "force": true});
            let writer = &scene.servers[time % 2];
            let (status, _) = writer.ask(Method::PATCH, &path, "alice", body).await;
            assert_eq!(status, 200);
            for (status, found) in scene.both(REF, "bobby").await {
                assert_eq!(status, 200);
                assert_eq!(found["object"]["sha"].as_str(), Some(sha.as_str()));
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edited_comment_is_seen_by_the_next_request() {
    on_a_scene(async |scene| {
        for time in 0..TIMES {
            let text = format!("Edit {time}");
            let path = "/repos/acme/widgets/pulls/comments/5001";
            let body = json!({"body": text});
            let (status, _) = scene.servers[0]
                .ask(Method::PATCH, path, "alice", body)
                .await;
            assert_eq!(status, 200);
            for (_, found) in scene.both(COMMENTS, "alice").await {
                assert_eq!(found[0]["body"], text);
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_role_is_seen_by_the_next_request() {
    on_a_scene(async |scene| {
        for _ in 0..TIMES {
            assert_eq!(scene.statuses(REPOSITORY, "carol").await, [404, 404]);
            let db = &scene.servers[0].app.db;
            let transaction = db.begin().await.unwrap();
            let role = collaborator::ActiveModel {
                repository_id: Set(2001),
                user_id: Set(1003),
                permission: Set(collaborator::Permission::Read),
            };
            role.insert(&transaction).await.unwrap();
            transaction.commit().await.unwrap();
            assert_eq!(scene.statuses(REPOSITORY, "carol").await, [200, 200]);
            let transaction = db.begin().await.unwrap();
            collaborator::Entity::delete_by_id((2001, 1003))
                .exec(&transaction)
                .await
                .unwrap();
            transaction.commit().await.unwrap();
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repository_taken_off_an_installation_is_gone_for_the_next_request() {
    on_a_scene(async |scene| {
        for _ in 0..TIMES {
            assert_eq!(scene.statuses(REPOSITORY, "ci-token").await, [200, 200]);
            let db = &scene.servers[1].app.db;
            let transaction = db.begin().await.unwrap();
            installation_repository::Entity::delete_by_id((7001, 2001))
                .exec(&transaction)
                .await
                .unwrap();
            transaction.commit().await.unwrap();
            assert_eq!(scene.statuses(REPOSITORY, "ci-token").await, [404, 404]);
            let transaction = db.begin().await.unwrap();
            let back = installation_repository::ActiveModel {
                installation_id: Set(7001),
                repository_id: Set(2001),
            };
            back.insert(&transaction).await.unwrap();
            transaction.commit().await.unwrap();
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_token_is_refused_to_the_next_request() {
    on_a_scene(async |scene| {
        for token in ["alice", "bobby", "carol", "ci-token"] {
            let [before, _] = scene.statuses("/rate_limit", token).await;
            assert_ne!(before, 401, "{token}");
            let app = &scene.servers[0].app;
            assert!(tokens::revoke(app, Which::Value(token)).await.unwrap());
            for path in [REF, COMMENTS, REPOSITORY, "/installation/repositories"] {
                assert_eq!(scene.statuses(path, token).await, [401, 401], "{token}");
            }
        }
    })
    .await;
}

/// The command line is another process, with nothing in common but the file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_revoked_on_the_command_line_is_refused_to_the_next_request() {
    on_each(async |url| {
        let scene = Scene::open(url).await;
        for (token, user) in [("alice", 1001), ("bobby", 1002), ("carol", 1003)] {
            assert_ne!(scene.statuses(REPOSITORY, token).await, [401, 401]);
            let row = token::Entity::find()
                .filter(token::COLUMN.user_id.eq(user))
                .one(scene.servers[0].app.db.reads())
                .await
                .unwrap();
            let mut revoke = Command::new(env!("CARGO_BIN_EXE_forgewright"));
            let id = row.unwrap().id.to_string();
            revoke.args(["token", "revoke", &id, "--database-url", url]);
            let ran = tokio::task::spawn_blocking(move || revoke.output());
            let ran = ran.await.unwrap().unwrap();
            assert!(ran.status.success(), "{ran:?}");
            assert_eq!(scene.statuses(REPOSITORY, token).await, [401, 401]);
        }
        scene.close().await;
    })
    .await;
}

/// Makes a setting, and nothing else.
async fn set(db: &Database, name: String) {
    let transaction = db.begin().await.unwrap();
    let row = setting::ActiveModel {
        key: Set(name),
        value: Set(String::new()),
    };
    setting::Entity::insert(row)
        .exec(&transaction)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
}

/// How many settings have this name: none or one.
async fn count(on: &impl ConnectionTrait, name: &str) -> usize {
    let rows = setting::Entity::find().filter(setting::COLUMN.key.eq(name));
    rows.all(on).await.unwrap().len()
}

/// Writers of one batch see each other before anybody else does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_answers_from_a_change_that_could_still_be_lost() {
    on_each(async |url| {
        Database::migrate(url).await.unwrap();
        let db = Database::connect(url, Options::default()).await.unwrap();
        let mut seen = 0;
        for time in 0..200 {
            let name = format!("setting {time}");
            let writers: Vec<_> = (0..4)
                .map(|writer| {
                    let (db, name) = (db.clone(), format!("{name} of {writer}"));
                    tokio::spawn(async move { set(&db, name).await })
                })
                .collect();
            let sought = format!("{name} of 3");
            let ((), _) = footprint::of(async {
                let transaction = db.begin().await.unwrap();
                let within = count(&transaction, &sought).await;
                drop(transaction);
                db.settle().await.unwrap();
                seen += within;
                assert!(count(db.reads(), &sought).await >= within, "time {time}");
            })
            .await;
            for writer in writers {
                writer.await.unwrap();
            }
        }
        assert!(seen > 0, "nobody ever came late enough to see anything");
        db.close().await.unwrap();
    })
    .await;
}
