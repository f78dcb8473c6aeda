//! A change is visible to the very next request although answers are cached: on the
//! server that made it, on another server, and when the command line or plain SQL
//! made it beside running servers.

mod alike;
mod group_commit;
mod raw;
mod servers;
mod trigger;

use std::path::Path;
use std::sync::atomic::Ordering;

use crate::support::database::with_database;
use crate::support::process::forgewright;
use forgewright::entities::{collaborator, installation_repository, token};
use forgewright::tokens::{self, Which};
use poem::http::Method;
use sea_orm::{ActiveModelTrait, EntityTrait, QueryFilter, Set};
use serde_json::json;
use servers::Scene;

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

async fn on_a_scene(check: impl AsyncFn(&Scene)) {
    with_database(async |url| {
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

/// Runs a command of the binary beside the servers.
async fn command(url: &str, arguments: &[&str]) {
    let mut command = forgewright(Path::new(env!("CARGO_MANIFEST_DIR")));
    command.args(arguments).args(["--database-url", url]);
    let running = tokio::task::spawn_blocking(move || command.output());
    let output = running.await.unwrap().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// The command line is another process, with nothing in common but the file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_revoked_on_the_command_line_is_refused_to_the_next_request() {
    with_database(async |url| {
        let scene = Scene::open(url).await;
        for (token, user) in [("alice", 1001), ("bobby", 1002), ("carol", 1003)] {
            assert_ne!(scene.statuses(REPOSITORY, token).await, [401, 401]);
            let row = token::Entity::find()
                .filter(token::COLUMN.user_id.eq(user))
                .one(scene.servers[0].app.db.reads())
                .await
                .unwrap();
            let id = row.unwrap().id.to_string();
            command(url, &["token", "revoke", &id]).await;
            assert_eq!(scene.statuses(REPOSITORY, token).await, [401, 401]);
        }
        scene.close().await;
    })
    .await;
}
