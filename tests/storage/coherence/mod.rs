//! Although responses are cached, every change is visible to the next request: on the server that
//! made it, on another server, and if the command line or plain SQL made it while servers run.

mod equivalence;
mod group_commit;
mod raw;
mod servers;
mod trigger;

use std::path::Path;
use std::sync::atomic::Ordering;

use crate::support::database::with_database;
use crate::support::process::forgewright;
use forge::tokens;
use forge::tokens::Which;
use poem::http::Method;
use sea_orm::{ActiveModelTrait, EntityTrait, QueryFilter, Set};
use serde_json::json;
use servers::ServerPair;
use storage::entities::{collaborator, installation_repository, token};

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

async fn with_pair(check: impl AsyncFn(&ServerPair)) {
    with_database(async |url| {
        let pair = ServerPair::open(url).await;
        check(&pair).await;
        assert!(pair.read.load(Ordering::Relaxed) > 0);
        pair.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_moved_reference_is_visible_to_the_next_request() {
    with_pair(async |pair| {
        let mut shas = Vec::new();
        for name in ["main", "topic"] {
            let path = format!("/repos/acme/widgets/git/ref/heads/{name}");
            let (_, found) = pair.servers[0].get(&path, "alice").await;
            shas.push(found["object"]["sha"].as_str().unwrap().to_owned());
        }
        let body = json!({"ref": "refs/heads/prize", "sha": shas[0]});
        let refs = "/repos/acme/widgets/git/refs";
        let (status, _) = pair.servers[0]
            .send(Method::POST, refs, "alice", body)
            .await;
        assert_eq!(status, 201);
        let path = format!("{refs}/heads/prize");
        for time in 1..=usize::try_from(TIMES).unwrap() {
            let sha = &shas[time % 2];
            let body = json!({"sha": sha, "force": true});
            let writer = &pair.servers[time % 2];
            let (status, _) = writer.send(Method::PATCH, &path, "alice", body).await;
            assert_eq!(status, 200);
            for (status, found) in pair.both(REF, "bobby").await {
                assert_eq!(status, 200);
                assert_eq!(found["object"]["sha"].as_str(), Some(sha.as_str()));
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edited_comment_is_visible_to_the_next_request() {
    with_pair(async |pair| {
        for time in 0..TIMES {
            let text = format!("Edit {time}");
            let path = "/repos/acme/widgets/pulls/comments/5001";
            let body = json!({"body": text});
            let (status, _) = pair.servers[0]
                .send(Method::PATCH, path, "alice", body)
                .await;
            assert_eq!(status, 200);
            for (_, found) in pair.both(COMMENTS, "alice").await {
                assert_eq!(found[0]["body"], text);
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_role_is_visible_to_the_next_request() {
    with_pair(async |pair| {
        for _ in 0..TIMES {
            assert_eq!(pair.statuses(REPOSITORY, "carol").await, [404, 404]);
            let db = &pair.servers[0].app.db;
            let transaction = db.begin().await.unwrap();
            let role = collaborator::ActiveModel {
                repository_id: Set(2001),
                user_id: Set(1003),
                permission: Set(collaborator::Permission::Read),
            };
            role.insert(&*transaction).await.unwrap();
            transaction.commit().await.unwrap();
            assert_eq!(pair.statuses(REPOSITORY, "carol").await, [200, 200]);
            let transaction = db.begin().await.unwrap();
            collaborator::Entity::delete_by_id((2001, 1003))
                .exec(&*transaction)
                .await
                .unwrap();
            transaction.commit().await.unwrap();
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repository_removed_from_an_installation_is_hidden_from_the_next_request() {
    with_pair(async |pair| {
        for _ in 0..TIMES {
            assert_eq!(pair.statuses(REPOSITORY, "ci-token").await, [200, 200]);
            let db = &pair.servers[1].app.db;
            let transaction = db.begin().await.unwrap();
            installation_repository::Entity::delete_by_id((7001, 2001))
                .exec(&*transaction)
                .await
                .unwrap();
            transaction.commit().await.unwrap();
            assert_eq!(pair.statuses(REPOSITORY, "ci-token").await, [404, 404]);
            let transaction = db.begin().await.unwrap();
            let back = installation_repository::ActiveModel {
                installation_id: Set(7001),
                repository_id: Set(2001),
            };
            back.insert(&*transaction).await.unwrap();
            transaction.commit().await.unwrap();
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_token_is_rejected_by_the_next_request() {
    with_pair(async |pair| {
        for token in ["alice", "bobby", "carol", "ci-token"] {
            let [before, _] = pair.statuses("/rate_limit", token).await;
            assert_ne!(before, 401, "{token}");
            let app = &pair.servers[0].app;
            assert!(tokens::revoke(app, Which::Value(token)).await.unwrap());
            for path in [REF, COMMENTS, REPOSITORY, "/installation/repositories"] {
                assert_eq!(pair.statuses(path, token).await, [401, 401], "{token}");
            }
        }
    })
    .await;
}

/// Runs a command of the binary while the servers run.
async fn command(url: &str, arguments: &[&str]) {
    let mut command = forgewright(Path::new(env!("CARGO_MANIFEST_DIR")));
    command.args(arguments).args(["--database-url", url]);
    let running = tokio::task::spawn_blocking(move || command.output());
    let output = running.await.unwrap().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// The command line is a separate process that shares only the database.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_revoked_on_the_command_line_is_rejected_by_the_next_request() {
    with_database(async |url| {
        let pair = ServerPair::open(url).await;
        for (token, user) in [("alice", 1001), ("bobby", 1002), ("carol", 1003)] {
            assert_ne!(pair.statuses(REPOSITORY, token).await, [401, 401]);
            let row = token::Entity::find()
                .filter(token::COLUMN.user_id.eq(user))
                .one(pair.servers[0].app.db.reads())
                .await
                .unwrap();
            let id = row.unwrap().id.to_string();
            command(url, &["token", "revoke", &id]).await;
            assert_eq!(pair.statuses(REPOSITORY, token).await, [401, 401]);
        }
        pair.close().await;
    })
    .await;
}
