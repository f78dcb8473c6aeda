//! Fields and headers that recorded responses of GitHub have, and that its specification
//! does not mention (`openapi/decisions.md`, "Recorded shapes").

use forge::app::Settings;
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::Service;

const WORLD: &str = r#"
users:
  - {id: 1001, login: alice}
  - {id: 1002, login: bob}
  - {id: 1003, login: mona, mannequin: true}
  - {id: 1005, login: mallory}
organizations:
  - id: 1004
    login: acme
    base_permission: none
    members: [{login: alice, role: admin}, {login: bob, role: member}]
repositories:
  - id: 2001
    full_name: acme/gadgets
    visibility: public
    custom_properties: {team: red}
    git: &git
      commits:
        - {id: first, message: Begin, author: alice, date: 2026-02-16T11:00:00Z, files: {README.md: "one\n"}}
        - {id: second, message: Go on, author: bob, date: 2026-02-17T11:00:00Z, files: {README.md: "one\ntwo\n"}}
      tags: [{name: v1, target: first, message: One, author: alice, date: 2026-02-18T11:00:00Z}]
      refs: {refs/heads/main: first, refs/heads/topic: second, refs/tags/v1: v1}
    pulls: [{id: 8001, number: 1, title: More, body: "Two, **not** one. @bob", author: mona, base: main, head: topic}]
    created_at: 2026-02-01T00:00:00Z
  - id: 2002
    full_name: acme/within
    visibility: internal
    git: *git
    pulls: [{id: 8002, number: 1, title: More, author: bob, base: main, head: topic}]
  - {id: 2003, full_name: acme/secret, visibility: private}
  - {id: 2004, full_name: alice/notes, visibility: public}
apps:
  - {id: 6001, slug: ci-bot, owner: acme, client_id: Iv23ciBot, permissions: {contents: read, single_file: read}}
installations:
  - {id: 7001, app: ci-bot, account: acme, created_at: 2026-02-17T09:30:00Z, single_file_paths: [.ci.yml, docs/ci.md]}
tokens:
  - {kind: classic, user: alice, scopes: [repo, "admin:org"], value: alice}
  - {kind: classic, user: alice, scopes: [repo, "read:org"], value: alice-reads}
  - {kind: classic, user: bob, scopes: [repo, "admin:org"], value: bob-classic}
  - {kind: classic, user: mallory, scopes: [repo], value: mallory}
  - {kind: oauth, user: bob, scopes: [repo], client_id: 178c6fc778ccc68e1d6a, value: bob-oauth}
  - {kind: fine_grained, user: alice, owner: acme, repositories: all, permissions: {contents: read}, value: alice-contents}
  - {kind: app_user, user: alice, app: ci-bot, value: alice-app}
"#;

async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

async fn get(service: &Service, token: &str, path: &str) -> Value {
    service.as_(token).get(path).await.expect(200).json()
}

#[tokio::test]
async fn get_repository_200_with_the_organization_and_custom_properties() {
    let service = start().await;
    let gadgets = get(&service, "alice", "/repos/acme/gadgets").await;
    assert_eq!(gadgets["organization"], gadgets["owner"]);
    assert_eq!(gadgets["custom_properties"], json!({"team": "red"}));
    assert_eq!(gadgets["allow_forking"], true);
    assert_eq!(gadgets["web_commit_signoff_required"], false);
    assert_eq!(gadgets["has_pull_requests"], true);
    assert_eq!(gadgets["pull_request_creation_policy"], "all");
    let notes = get(&service, "alice", "/repos/alice/notes").await;
    for absent in ["organization", "custom_properties"] {
        assert_eq!(notes.get(absent), None, "{absent}");
    }
}

#[tokio::test]
async fn get_repository_200_for_members_and_404_for_others_when_internal() {
    let service = start().await;
    for token in ["alice", "bob-classic"] {
        let within = get(&service, token, "/repos/acme/within").await;
        assert_eq!(within["visibility"], "internal");
        assert_eq!(within["private"], true);
        get(&service, token, "/repos/acme/within/git/ref/heads/main").await;
    }
    let bob = service.as_("bob-classic");
    bob.get("/repos/acme/secret").await.expect(404);
    let path = "/repos/acme/within/git/refs/heads/main";
    bob.delete(path).await.expect(403);
    bob.put("/user/installations/7001/repositories/2002")
        .await
        .expect(403);
    for caller in [service.as_("mallory"), service.anonymous()] {
        caller.get("/repos/acme/within").await.expect(404);
    }
}

#[tokio::test]
async fn get_pull_200_with_the_keys_that_github_always_sends() {
    let service = start().await;
    let path = "/repos/acme/gadgets/pulls/1";
    let pull = get(&service, "alice", path).await;
    let null = ["merge_commit_sha", "assignee", "active_lock_reason"];
    for field in null {
        assert_eq!(pull.get(field), Some(&Value::Null), "{field}");
    }
    assert_eq!(pull["requested_teams"], json!([]));
    for branch in ["head", "base"] {
        let repository = &pull[branch]["repo"];
        assert_eq!(repository["full_name"], "acme/gadgets");
        for absent in [
            "network_count",
            "subscribers_count",
            "template_repository",
            "temp_clone_token",
            "permissions",
            "custom_properties",
            "organization",
        ] {
            assert_eq!(repository.get(absent), None, "{branch} {absent}");
        }
    }
    let full = service
        .as_("alice")
        .header("Accept", "application/vnd.github.v3.full+json");
    let pull = full.get(path).await.expect(200).json();
    assert_eq!(pull["body"], "Two, **not** one. @bob");
    assert_eq!(pull["body_text"], "Two, not one. @bob");
    let html = pull["body_html"].as_str().unwrap();
    assert!(html.contains("<strong>not</strong>"), "{html}");
    assert!(html.contains("/bob\""), "{html}");
    let pull = full
        .get("/repos/acme/within/pulls/1")
        .await
        .expect(200)
        .json();
    for field in ["body", "body_text", "body_html"] {
        assert_eq!(pull.get(field), Some(&Value::Null), "{field}");
    }
    let newer = service
        .as_("alice")
        .header("X-GitHub-Api-Version", "2026-03-10");
    let pull = newer.get(path).await.expect(200).json();
    for field in null {
        assert_eq!(pull.get(field), Some(&Value::Null), "{field}");
    }
}

#[tokio::test]
async fn get_user_200_of_a_mannequin() {
    let service = start().await;
    let mona = get(&service, "alice", "/users/mona").await;
    assert_eq!(mona["type"], "Mannequin");
    assert!(mona["node_id"].as_str().unwrap().starts_with("M_"));
    assert_eq!(mona["user_view_type"], "public");
    let pull = get(&service, "alice", "/repos/acme/gadgets/pulls/1").await;
    assert_eq!(pull["user"]["type"], "Mannequin");
}

#[tokio::test]
async fn get_organization_200_with_its_settings_for_owners_only() {
    let service = start().await;
    let owned = get(&service, "alice", "/orgs/acme").await;
    assert_eq!(owned["default_repository_permission"], "none");
    assert_eq!(owned["members_can_create_repositories"], true);
    assert_eq!(owned["members_allowed_repository_creation_type"], "all");
    assert_eq!(owned["two_factor_requirement_enabled"], false);
    for token in ["alice-reads", "bob-classic", "mallory", "alice-contents"] {
        let seen = get(&service, token, "/orgs/acme").await;
        for (field, _) in seen.as_object().unwrap() {
            let setting = field.starts_with("members_") && field != "members_url";
            assert!(!setting, "{token} sees {field}");
        }
        assert_eq!(seen.get("default_repository_permission"), None, "{token}");
    }
}

#[tokio::test]
async fn list_user_installations_200_with_milliseconds_and_single_files() {
    let service = start().await;
    let listed = get(&service, "alice-app", "/user/installations").await;
    let installation = &listed["installations"][0];
    assert_eq!(installation["created_at"], "2026-02-17T09:30:00Z");
    assert_eq!(installation["updated_at"], "2026-02-17T09:30:00Z");
    assert_eq!(installation["single_file_name"], ".ci.yml");
    assert_eq!(installation["has_multiple_single_files"], true);
    let paths = json!([".ci.yml", "docs/ci.md"]);
    assert_eq!(installation["single_file_paths"], paths);
}

#[tokio::test]
async fn accepted_scopes_and_permissions_are_as_recorded() {
    let service = start().await;
    let gadgets = "/repos/acme/gadgets";
    let organization = "admin:org, read:org, repo, user, write:org";
    for (path, expected) in [
        (gadgets.to_owned(), "repo"),
        (format!("{gadgets}/git/ref/heads/main"), "repo"),
        (format!("{gadgets}/pulls/1"), ""),
        (format!("{gadgets}/pulls/1/comments"), ""),
        (format!("{gadgets}/pulls/comments"), ""),
        ("/user".to_owned(), ""),
        ("/orgs/acme".to_owned(), organization),
    ] {
        let answer = service.as_("alice").get(&path).await.expect(200);
        let accepted = answer.header("x-accepted-oauth-scopes");
        assert_eq!(accepted, Some(expected), "{path}");
        assert_eq!(answer.header("x-accepted-github-permissions"), None);
        assert_eq!(answer.header("x-oauth-client-id"), None);
    }
    let fine = service.as_("alice-contents");
    let pull = fine.get("/repos/acme/within/pulls/1").await.expect(200);
    assert_eq!(
        pull.header("x-accepted-github-permissions"),
        Some("pull_requests=read; contents=read")
    );
    let comments = fine.get("/repos/acme/within/pulls/1/comments").await;
    assert_eq!(
        comments.expect(403).header("x-accepted-github-permissions"),
        Some("pull_requests=read")
    );
}

#[tokio::test]
async fn a_header_has_the_client_id_of_the_token() {
    let service = start().await;
    for (token, scopes, client) in [
        ("bob-oauth", "repo", "178c6fc778ccc68e1d6a"),
        ("alice-app", "", "Iv23ciBot"),
    ] {
        let answer = service.as_(token).get("/user").await.expect(200);
        assert_eq!(answer.header("x-oauth-client-id"), Some(client));
        assert_eq!(answer.header("x-oauth-scopes"), Some(scopes), "{token}");
        assert_eq!(answer.header("x-accepted-oauth-scopes"), Some(""));
    }
}

#[tokio::test]
async fn a_204_has_vary_and_the_media_type_and_is_not_cached() {
    let service = start().await;
    let path = "/repos/acme/gadgets/git/refs/heads/topic";
    let answer = service.as_("alice").delete(path).await.expect(204);
    assert_eq!(
        answer.header("vary"),
        Some("Accept-Encoding, Accept, X-Requested-With")
    );
    assert_eq!(
        answer.header("x-github-media-type"),
        Some("github.v3; format=json")
    );
    for absent in ["cache-control", "etag", "content-type"] {
        assert_eq!(answer.header(absent), None, "{absent}");
    }
}

/// An object never changes, but the names in its URLs do.
#[tokio::test]
async fn commits_and_tags_have_last_modified() {
    let service = start().await;
    let alice = service.as_("alice");
    let git = "/repos/acme/gadgets/git";
    let sha = |answer: &Value| answer["object"]["sha"].as_str().unwrap().to_owned();
    let main = get(&service, "alice", &format!("{git}/ref/heads/main")).await;
    let tag = get(&service, "alice", &format!("{git}/ref/tags/v1")).await;
    service.clock.advance(3600);
    for path in [
        format!("{git}/commits/{}", sha(&main)),
        format!("{git}/tags/{}", sha(&tag)),
    ] {
        let answer = alice.get(&path).await.expect(200);
        let last_modified = answer.header("last-modified").unwrap();
        let conditional = alice.clone().header("If-Modified-Since", last_modified);
        conditional.get(&path).await.expect(304);
        conditional
            .send(Method::HEAD, &path, None)
            .await
            .expect(304);
        let earlier = "Sun, 01 Feb 2026 00:00:00 GMT";
        let conditional = alice.clone().header("If-Modified-Since", earlier);
        conditional.get(&path).await.expect(200);
    }
}
