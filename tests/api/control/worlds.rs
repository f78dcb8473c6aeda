//! Creating and deleting worlds.

use std::time::Duration;

use forgewright::doctor::examine;
use poem::http::Method;
use serde_json::json;

use super::{ALICE, Site};

#[tokio::test]
async fn create_world_201_from_the_demo_with_its_tokens_and_apps() {
    let site = Site::start().await;
    let body = json!({"name": "test-1"});
    let (status, world) = site.control(Method::POST, "", Some(body)).await;
    assert_eq!(status, 201, "{world}");
    assert_eq!(world["name"], "test-1");
    assert_eq!(world["url"], "http://127.0.0.1/_worlds/test-1");
    let tokens = world["tokens"].as_array().unwrap();
    let alice = tokens.iter().find(|token| token["value"] == ALICE).unwrap();
    assert_eq!(alice["holder"], "alice");
    assert_eq!(alice["kind"], "classic");
    assert_eq!(alice["active"], true);
    let apps = world["apps"].as_array().unwrap();
    let key = apps[0]["private_key"].as_str().unwrap();
    assert!(key.starts_with("-----BEGIN"), "{key}");
    assert_eq!(site.main_sha("/_worlds/test-1").await.len(), 40);
    let (status, found) = site.control(Method::GET, "/test-1", None).await;
    assert_eq!((status, &found["name"]), (200, &json!("test-1")));
}

#[tokio::test]
async fn create_world_201_from_a_file_lists_the_generated_tokens() {
    let site = Site::start().await;
    let file = "users: [{login: zoe}]\ntokens: [{kind: classic, user: zoe, scopes: [repo]}]\n";
    let body = json!({"name": "own", "file": file});
    let (status, world) = site.control(Method::POST, "", Some(body)).await;
    assert_eq!(status, 201, "{world}");
    let token = world["tokens"][0]["value"].as_str().unwrap();
    assert!(token.starts_with("ghp_"), "{token}");
    let (status, user) = site
        .send(Method::GET, "/_worlds/own/user", Some(token), None)
        .await;
    assert_eq!((status, &user["login"]), (200, &json!("zoe")));
    let (status, _) = site.send(Method::GET, "/user", Some(token), None).await;
    assert_eq!(status, 401, "`main` does not have the token");
    let (status, contents) = site.control(Method::GET, "/own/contents", None).await;
    assert_eq!(status, 200);
    assert_eq!(contents["accounts"][0]["login"], "zoe");
    assert_eq!(contents["tokens"][0]["value"], token);
    site.reset("own").await;
    let (status, _) = site
        .send(Method::GET, "/_worlds/own/user", Some(token), None)
        .await;
    assert_eq!(status, 200, "a reset keeps what was loaded");
}

#[tokio::test]
async fn create_world_201_from_the_templates_main_and_empty() {
    let site = Site::start().await;
    let base = site.create_world(json!({"template": "main"})).await;
    assert_eq!(site.main_sha(&base).await.len(), 40);
    let base = site
        .create_world(json!({"name": "bare", "template": "empty"}))
        .await;
    let (status, _) = site
        .send(Method::GET, &format!("{base}/users/alice"), None, None)
        .await;
    assert_eq!(status, 404);
    let (_, contents) = site.control(Method::GET, "/bare/contents", None).await;
    assert_eq!(contents["accounts"], json!([]));
}

#[tokio::test]
async fn create_world_201_as_a_copy_of_the_current_state_of_a_world() {
    let site = Site::start().await;
    let first = site.create_world(json!({"name": "first"})).await;
    assert_eq!(site.branch(&first, "copied").await, 201);
    let copy = site.create_world(json!({"copy_of": "first"})).await;
    assert_eq!(site.branch(&first, "later").await, 201);
    assert_eq!(site.branches(&copy, "copied").await.len(), 1);
    assert_eq!(site.branches(&copy, "later").await.len(), 0);
    let name = copy.rsplit('/').next().unwrap();
    assert_eq!(site.branch(&copy, "own").await, 201);
    site.reset(name).await;
    assert_eq!(site.branches(&copy, "copied").await.len(), 1);
    assert_eq!(site.branches(&copy, "own").await.len(), 0);
}

#[tokio::test]
async fn create_world_201_as_a_complete_copy_of_main() {
    let site = Site::start().await;
    assert_eq!(site.branch("", "copied").await, 201);
    let copy = site
        .create_world(json!({"name": "copy", "copy_of": "main"}))
        .await;
    let [of_main, of_copy] = ["main", "copy"].map(|world| format!("/{world}/contents"));
    let (_, expected) = site.control(Method::GET, &of_main, None).await;
    let (status, found) = site.control(Method::GET, &of_copy, None).await;
    assert_eq!(status, 200);
    assert_eq!(found, expected);
    for path in [
        "/repos/acme/gadgets/contents/README.md",
        "/repos/acme/gadgets/commits",
        "/repos/acme/widgets/pulls/1/comments",
        "/repos/acme/gadgets/issues?state=all",
        "/orgs/acme/projectsV2/1/items",
    ] {
        let (_, expected) = site.send(Method::GET, path, Some(ALICE), None).await;
        let in_copy = format!("{copy}{path}");
        let (status, found) = site.send(Method::GET, &in_copy, Some(ALICE), None).await;
        assert_eq!(status, 200, "{path}: {found}");
        let found = found.to_string().replace(&copy, "");
        assert_eq!(found, expected.to_string(), "{path}");
    }
    let app = site.worlds.get("copy").unwrap().app.clone();
    let report = examine(app.db.reads(), true).await.unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(site.branch(&copy, "own").await, 201);
    assert_eq!(site.branches(&copy, "own").await.len(), 1);
    assert_eq!(site.branches("", "own").await.len(), 0);
    let comment = json!({"body": "Only in the copy."});
    let path = format!("{copy}/repos/acme/gadgets/issues/1/comments");
    let (status, created) = site
        .send(Method::POST, &path, Some(ALICE), Some(comment))
        .await;
    assert_eq!(status, 201, "{created}");
}

#[tokio::test]
async fn create_world_422_for_an_invalid_file_names_the_line_and_creates_nothing() {
    let site = Site::start().await;
    let files = [
        ("users:\n  - login: a\n  - logn: b\n", "file:3:5"),
        ("users: [", "file:"),
        (
            "users: [{login: a}]\nrepositories: [{full_name: a/b, git: {path: /etc}}]\n",
            "`path` in a world that is not a file on disk",
        ),
        (
            "users: [{login: a}]\napps: [{slug: x, owner: a, generate_key: k.pem}]\n",
            "`generate_key` in a world that is not a file on disk",
        ),
    ];
    for (file, reason) in files {
        let body = json!({"name": "wrong", "file": file});
        let (status, answer) = site.control(Method::POST, "", Some(body)).await;
        assert_eq!(status, 422, "{answer}");
        assert_eq!(answer["message"], "Validation Failed");
        assert_eq!(answer["errors"][0]["field"], "file");
        let message = answer["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{message}");
    }
    let (status, _) = site.control(Method::GET, "/wrong", None).await;
    assert_eq!(status, 404);
    site.create_world(json!({"name": "wrong"})).await;
}

#[tokio::test]
async fn create_world_422_when_the_body_is_invalid() {
    let site = Site::with_limit(2).await;
    site.create_world(json!({"name": "taken"})).await;
    let bodies = [
        (json!({"name": "taken"}), "name"),
        (json!({"name": "main"}), "name"),
        (json!({"name": ""}), "name"),
        (json!({"name": "../up"}), "name"),
        (json!({"name": "Upper"}), "name"),
        (json!({"name": "a".repeat(41)}), "name"),
        (json!({"template": "other"}), "template"),
        (json!({"copy_of": "nobody"}), "copy_of"),
    ];
    for (body, field) in bodies {
        let (status, answer) = site.control(Method::POST, "", Some(body)).await;
        assert_eq!(status, 422, "{answer}");
        assert_eq!(answer["errors"][0]["field"], field, "{answer}");
    }
    for body in [
        json!({"template": "demo", "copy_of": "main"}),
        json!({"nam": "x"}),
        json!({"name": 3}),
    ] {
        let (status, answer) = site.control(Method::POST, "", Some(body)).await;
        assert_eq!(status, 422, "{answer}");
    }
    site.create_world(json!({})).await;
    let (status, answer) = site.control(Method::POST, "", None).await;
    assert_eq!(status, 422, "{answer}");
    assert!(
        answer["message"]
            .as_str()
            .unwrap()
            .starts_with("Too many worlds")
    );
}

#[tokio::test]
async fn delete_world_204_leaves_no_file_and_no_open_descriptor() {
    let site = Site::start().await;
    let base = site.create_world(json!({"name": "gone"})).await;
    assert_eq!(site.branch(&base, "x").await, 201);
    assert_eq!(open_files("world-gone") > 0, cfg!(target_os = "linux"));
    let world = std::sync::Arc::downgrade(&site.worlds.get("gone").unwrap());
    let (status, _) = site.control(Method::DELETE, "/gone", None).await;
    assert_eq!(status, 204);
    assert!(world.upgrade().is_none(), "something still holds the world");
    assert_eq!(open_files("world-gone"), 0);
    let remaining = walk(site.folder.path());
    assert!(
        remaining.iter().all(|path| !path.contains("world-gone")),
        "{remaining:?}"
    );
    let (status, answer) = site.send(Method::GET, &base, None, None).await;
    assert_eq!(status, 404, "{answer}");
    site.create_world(json!({"name": "gone"})).await;
    site.worlds.end().await;
    assert_eq!(walk(site.folder.path()), Vec::<String>::new());
}

#[tokio::test]
async fn an_idle_world_closes_its_connections_and_keeps_its_state() {
    let site = Site::start().await;
    let base = site.create_world(json!({"name": "resting"})).await;
    assert_eq!(site.branch(&base, "kept").await, 201);
    for _ in 0..40 {
        let other = site.create_world(json!({})).await;
        assert_eq!(site.branches(&other, "kept").await.len(), 0);
    }
    let closed = async {
        while open_files("world-resting") > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), closed)
        .await
        .expect("its connections were not closed");
    assert_eq!(site.branches(&base, "kept").await.len(), 1);
    assert_eq!(site.branch(&base, "more").await, 201);
}

#[tokio::test]
async fn delete_world_404_and_422_for_an_unknown_world_and_for_main() {
    let site = Site::start().await;
    let (status, _) = site.control(Method::DELETE, "/nobody", None).await;
    assert_eq!(status, 404);
    let (status, answer) = site.control(Method::DELETE, "/main", None).await;
    assert_eq!(status, 422, "{answer}");
}

#[tokio::test]
async fn get_world_contents_200_in_pages() {
    let site = Site::start().await;
    let (status, all) = site
        .control(Method::GET, "/main/contents?per_page=100", None)
        .await;
    assert_eq!(status, 200);
    assert_eq!(all["more"], false);
    let names = |page: &serde_json::Value, kind: &str, key: &str| -> Vec<String> {
        let items = page[kind].as_array().unwrap().iter();
        items.map(|item| item[key].to_string()).collect()
    };
    for (kind, key) in [
        ("accounts", "login"),
        ("members", "user"),
        ("repositories", "full_name"),
        ("collaborators", "user"),
        ("issues", "title"),
        ("pull_requests", "title"),
        ("projects", "title"),
        ("apps", "slug"),
        ("installations", "app"),
        ("installation_repositories", "repository"),
        ("tokens", "value"),
        ("token_repositories", "repository"),
    ] {
        assert!(!names(&all, kind, key).is_empty(), "{kind}");
    }
    for (kind, described) in [
        (
            "members",
            json!({"organization": "acme", "user": "alice", "role": "admin"}),
        ),
        (
            "collaborators",
            json!({"repository": "acme/widgets", "user": "carol", "permission": "write"}),
        ),
        (
            "repositories",
            json!({
                "id": 2001, "full_name": "acme/widgets", "visibility": "private",
                "default_branch": "main",
            }),
        ),
        (
            "installations",
            json!({
                "id": 7001, "app": "ci-bot", "account": "acme", "repository_selection": "selected",
                "permissions": app_permissions(), "events": ["push", "pull_request"],
                "created_at": "2026-02-17T09:30:00Z",
            }),
        ),
        (
            "installation_repositories",
            json!({"installation_id": 7001, "repository": "acme/gadgets"}),
        ),
        (
            "tokens",
            json!({
                "id": 2, "kind": "classic", "holder": "bob", "value": "ghp_demo_bob_member",
                "hint": "mber", "description": "is a member of acme", "active": true,
                "scopes": ["project", "read:org", "repo"], "permissions": {},
            }),
        ),
        (
            "tokens",
            json!({
                "id": 8, "kind": "installation", "holder": "ci-bot on acme", "scopes": [],
                "value": "ghs_demo_ci_bot_acme", "hint": "acme", "description": "the app itself",
                "permissions": app_permissions(), "repository_selection": "all", "active": true,
                "expires_at": "2099-12-31T23:59:59Z",
            }),
        ),
        (
            "token_repositories",
            json!({"token_id": 5, "repository": "acme/widgets"}),
        ),
    ] {
        let found = all[kind].as_array().unwrap();
        assert!(found.contains(&described), "{kind}: {found:?}");
    }
    let mut paged = Vec::new();
    for page in 1.. {
        let path = format!("/main/contents?per_page=2&page={page}");
        let (_, found) = site.control(Method::GET, &path, None).await;
        paged.extend(names(&found, "accounts", "login"));
        if found["more"] == false {
            break;
        }
    }
    assert_eq!(paged, names(&all, "accounts", "login"));
    let far = format!("/main/contents?page={}", i64::MAX);
    let (status, _) = site.control(Method::GET, &far, None).await;
    assert_eq!(status, 200);
}

fn app_permissions() -> serde_json::Value {
    json!({
        "checks": "write", "contents": "write", "issue_fields": "write", "issues": "write",
        "metadata": "read", "organization_projects": "write", "pull_requests": "write",
        "statuses": "write", "workflows": "write",
    })
}

#[tokio::test]
async fn get_world_contents_200_with_a_suspended_installation_and_the_webhook_of_its_app() {
    let site = Site::start().await;
    let file = "users: [{login: zoe}]\n\
        apps: [{slug: helper, owner: zoe, webhook: {url: 'https://hooks.example/', secret: shh}}]\n\
        installations: [{app: helper, account: zoe, suspended_by: zoe}]\n";
    site.create_world(json!({"name": "own", "file": file}))
        .await;
    let (_, contents) = site.control(Method::GET, "/own/contents", None).await;
    let installation = &contents["installations"][0];
    assert_eq!(installation["suspended_by"], "zoe", "{installation}");
    assert!(installation["suspended_at"].is_string(), "{installation}");
    let app = &contents["apps"][0];
    assert_eq!(app["webhook_url"], "https://hooks.example/", "{app}");
    assert_eq!(app["webhook_signed"], true, "{app}");
    assert_eq!(app["webhook_ssl_verified"], true, "{app}");
    assert_eq!(app["webhook_content_type"], "json", "{app}");
    assert!(!contents.to_string().contains("shh"), "{contents}");
}

#[tokio::test]
async fn get_world_contents_404_when_there_is_no_such_world() {
    let site = Site::start().await;
    let (status, _) = site.control(Method::GET, "/nobody/contents", None).await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn list_worlds_200_and_get_world_404() {
    let site = Site::start().await;
    site.create_world(json!({"name": "a"})).await;
    let (status, worlds) = site.control(Method::GET, "", None).await;
    assert_eq!(status, 200);
    let worlds = worlds.as_array().unwrap().iter();
    let names: Vec<_> = worlds
        .map(|world| world["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["a", "main"]);
    let (status, _) = site.control(Method::GET, "/b", None).await;
    assert_eq!(status, 404);
}

/// The number of open file descriptors of this process whose path contains this text.
fn open_files(text: &str) -> usize {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else {
        return 0;
    };
    let targets = entries
        .flatten()
        .filter_map(|entry| std::fs::read_link(entry.path()).ok());
    targets
        .filter(|target| target.to_string_lossy().contains(text))
        .count()
}

/// Every path below a folder.
fn walk(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        found.push(entry.path().display().to_string());
        found.extend(walk(&entry.path()));
    }
    found
}
