//! Lookups of the companion document: repositories, users, organizations and projects.
//! Private ones are 404 for callers without access.

use forge::app::Settings;
use serde_json::json;

use crate::harness::{Service, WORLD};
use crate::pulls::open_pull;

#[tokio::test]
async fn get_repository_200_for_everybody_when_public() {
    let service = Service::start().await;
    open_pull(&service, 2002, 1).await;
    let answer = service.anonymous().get("/repos/ACME/Gadgets").await;
    let repository = answer.expect(200).json();
    assert_eq!(repository["full_name"], "acme/gadgets");
    assert_eq!(repository["id"], 2002);
    assert_eq!(repository["open_issues_count"], 1);
    assert_eq!(repository["open_issues"], 1);
    assert_eq!(repository.get("permissions"), None);
    assert_eq!(repository["custom_properties"], json!({}));
    let url = repository["url"].as_str().unwrap();
    assert!(url.ends_with("/repos/acme/gadgets"));
}

#[tokio::test]
async fn get_repository_200_with_the_permissions_of_the_user() {
    let service = Service::start().await;
    for (token, path, expected) in [
        (
            "alice-classic",
            "/repos/acme/widgets",
            json!({"admin": true, "maintain": true, "push": true, "triage": true, "pull": true}),
        ),
        (
            "carol-classic",
            "/repos/acme/widgets",
            json!({"admin": false, "maintain": false, "push": true, "triage": true, "pull": true}),
        ),
        (
            "mallory-classic",
            "/repos/acme/gadgets",
            json!({"admin": false, "maintain": false, "push": false, "triage": false, "pull": true}),
        ),
    ] {
        let answer = service.as_(token).get(path).await.expect(200);
        assert_eq!(answer.json()["permissions"], expected, "{token}");
    }
    let bot = service.as_("ci-bot-installation");
    let answer = bot.get("/repos/acme/widgets").await.expect(200);
    assert_eq!(answer.json().get("permissions"), None);
}

#[tokio::test]
async fn get_repository_304_when_nothing_changed() {
    let service = Service::start().await;
    let caller = service.anonymous();
    let answer = caller.get("/repos/acme/gadgets").await.expect(200);
    let tag = answer.header("etag").unwrap();
    let caller = caller.header("If-None-Match", tag);
    caller.get("/repos/acme/gadgets").await.expect(304);
    open_pull(&service, 2002, 1).await;
    caller.get("/repos/acme/gadgets").await.expect(200);
}

#[tokio::test]
async fn get_repository_401_with_a_bad_token() {
    let service = Service::start().await;
    let answer = service.as_("nonsense").get("/repos/acme/gadgets").await;
    assert_eq!(answer.expect(401).message(), "Bad credentials");
}

/// A service whose token `alice-fine-metadata` has these permissions.
async fn with_permissions(permissions: &str) -> Service {
    let world = WORLD.replace(
        "permissions: {metadata: read}, value: alice-fine-metadata",
        &format!("permissions: {permissions}, value: alice-fine-metadata"),
    );
    Service::with(&world, Settings::default()).await
}

#[tokio::test]
async fn get_repository_200_because_every_token_may_read_metadata() {
    let service = with_permissions("{contents: write}").await;
    let caller = service.as_("alice-fine-metadata");
    let answer = caller.get("/repos/acme/widgets").await.expect(200);
    assert_eq!(
        answer.header("x-accepted-github-permissions"),
        Some("metadata=read")
    );
    assert_eq!(answer.json()["full_name"], "acme/widgets");
}

#[tokio::test]
async fn get_repository_403_when_the_token_may_not_read_metadata() {
    let service = with_permissions("{contents: write, metadata: none}").await;
    let caller = service.as_("alice-fine-metadata");
    let answer = caller.get("/repos/acme/widgets").await.expect(403);
    assert_eq!(
        answer.message(),
        "Resource not accessible by personal access token"
    );
}

#[tokio::test]
async fn get_repository_by_id_403_when_the_token_may_not_read_metadata() {
    let service = with_permissions("{contents: write, metadata: none}").await;
    let caller = service.as_("alice-fine-metadata");
    caller.get("/repositories/2001").await.expect(403);
}

#[tokio::test]
async fn get_repository_404_when_absent_or_private() {
    let service = Service::start().await;
    for (token, path) in [
        ("alice-classic", "/repos/acme/nothing"),
        ("alice-classic", "/repos/nobody/widgets"),
        ("mallory-classic", "/repos/acme/widgets"),
        ("alice-scopeless", "/repos/acme/widgets"),
        ("bob-classic", "/repos/alice/notes"),
        ("ci-bot-installation", "/repos/alice/notes"),
    ] {
        let answer = service.as_(token).get(path).await.expect(404);
        assert_eq!(answer.message(), "Not Found", "{token} {path}");
    }
    service
        .anonymous()
        .get("/repos/acme/widgets")
        .await
        .expect(404);
}

#[tokio::test]
async fn get_repository_by_id_200_with_the_same_repository() {
    let service = Service::start().await;
    let caller = service.as_("carol-classic");
    let by_id = caller.get("/repositories/2001").await.expect(200);
    let by_name = caller.get("/repos/acme/widgets").await.expect(200);
    assert_eq!(by_id.json(), by_name.json());
}

#[tokio::test]
async fn get_repository_by_id_404_when_absent_or_private() {
    let service = Service::start().await;
    for path in [
        "/repositories/2001",
        "/repositories/9999",
        "/repositories/x",
    ] {
        service.anonymous().get(path).await.expect(404);
    }
}

#[tokio::test]
async fn get_authenticated_user_200_for_every_token_of_a_user() {
    let service = Service::start().await;
    for (token, login) in [
        ("alice-classic", "alice"),
        ("alice-scopeless", "alice"),
        ("bob-oauth", "bob"),
        ("alice-fine", "alice"),
        ("alice-app-user", "alice"),
    ] {
        let answer = service.as_(token).get("/user").await.expect(200);
        assert_eq!(answer.json()["login"], login, "{token}");
    }
    let answer = service.as_("alice-classic").get("/user").await;
    assert_eq!(answer.json()["name"], "Alice Liddell");
    assert_eq!(answer.json()["type"], "User");
    assert_eq!(
        answer.header("x-oauth-scopes"),
        Some("admin:org, project, repo, workflow")
    );
}

#[tokio::test]
async fn get_authenticated_user_401_without_a_token() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/user").await.expect(401);
    assert_eq!(answer.message(), "Requires authentication");
    assert_eq!(
        answer.json()["documentation_url"],
        "https://docs.github.com/rest"
    );
}

#[tokio::test]
async fn get_authenticated_user_403_for_an_installation() {
    let service = Service::start().await;
    let answer = service.as_("ci-bot-installation").get("/user").await;
    assert_eq!(
        answer.expect(403).message(),
        "Resource not accessible by integration"
    );
}

#[tokio::test]
async fn get_user_200_for_users_and_organizations() {
    let service = Service::start().await;
    let caller = service.anonymous();
    let alice = caller.get("/users/ALICE").await.expect(200).json();
    assert_eq!(alice["login"], "alice");
    assert_eq!(alice["public_repos"], 0);
    let acme = caller.get("/users/acme").await.expect(200).json();
    assert_eq!(acme["type"], "Organization");
    assert_eq!(acme["public_repos"], 1);
}

#[tokio::test]
async fn get_user_404_when_absent() {
    let service = Service::start().await;
    service.anonymous().get("/users/nobody").await.expect(404);
}

#[tokio::test]
async fn get_organization_200_with_its_urls() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/orgs/Acme").await.expect(200);
    let acme = answer.json();
    assert_eq!(acme["login"], "acme");
    assert_eq!(acme["id"], 1004);
    assert_eq!(acme["public_repos"], 1);
    assert!(acme["url"].as_str().unwrap().ends_with("/orgs/acme"));
}

#[tokio::test]
async fn get_organization_404_when_absent() {
    let service = Service::start().await;
    for path in ["/orgs/nobody", "/orgs/alice"] {
        service.anonymous().get(path).await.expect(404);
    }
}

#[tokio::test]
async fn get_org_project_200_with_its_own_url() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/orgs/acme/projectsV2/1").await;
    let project = answer.expect(200).json();
    assert_eq!(project["title"], "Roadmap");
    assert_eq!(project["owner"]["login"], "acme");
    assert_eq!(project["public"], true);
    let url = project["url"].as_str().unwrap();
    assert!(url.ends_with("/orgs/acme/projectsV2/1"));
    let answer = service.anonymous().get("/orgs/acme/projectsV2/1").await;
    assert_eq!(
        answer.header("last-modified"),
        None,
        "omitted for the current second"
    );
    service.clock.advance(1);
    let answer = service.anonymous().get("/orgs/acme/projectsV2/1").await;
    assert_eq!(
        answer.header("last-modified"),
        Some("Tue, 10 Mar 2026 09:30:00 GMT")
    );
    for token in [
        "bob-classic",
        "bob-oauth",
        "alice-fine",
        "ci-bot-installation",
    ] {
        let answer = service.as_(token).get("/orgs/acme/projectsV2/2").await;
        assert_eq!(answer.expect(200).json()["public"], false, "{token}");
    }
}

#[tokio::test]
async fn get_org_project_403_when_the_token_may_not_read_projects() {
    let service = Service::start().await;
    let caller = service.as_("alice-fine-metadata");
    caller.get("/orgs/acme/projectsV2/2").await.expect(403);
}

#[tokio::test]
async fn get_org_project_404_when_absent_or_private() {
    let service = Service::start().await;
    for path in ["/orgs/acme/projectsV2/2", "/orgs/acme/projectsV2/9"] {
        service.anonymous().get(path).await.expect(404);
        service.as_("mallory-classic").get(path).await.expect(404);
    }
}

#[tokio::test]
async fn get_user_project_200_for_its_owner_and_for_all_if_public() {
    let service = Service::start().await;
    let own = service
        .as_("alice-classic")
        .get("/users/alice/projectsV2/2")
        .await;
    assert_eq!(own.expect(200).json()["title"], "Diary");
    let public = service
        .as_("bob-classic")
        .get("/users/alice/projectsV2/1")
        .await;
    assert_eq!(public.expect(200).json()["title"], "Chores");
}

#[tokio::test]
async fn get_user_project_401_without_a_token() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/users/alice/projectsV2/1").await;
    answer.expect(401);
}

#[tokio::test]
async fn get_user_project_403_with_a_kind_of_token_that_is_not_allowed() {
    let service = Service::start().await;
    for token in ["alice-fine", "alice-app-user", "ci-bot-installation"] {
        let answer = service.as_(token).get("/users/alice/projectsV2/1").await;
        answer.expect(403);
    }
}

#[tokio::test]
async fn get_user_project_404_when_absent_or_private() {
    let service = Service::start().await;
    let caller = service.as_("bob-classic");
    caller.get("/users/alice/projectsV2/2").await.expect(404);
    caller.get("/users/alice/projectsV2/9").await.expect(404);
}

#[tokio::test]
async fn a_suspended_installation_gets_403_for_every_lookup() {
    let world = WORLD.replace(
        "repositories: [widgets]}",
        "repositories: [widgets], suspended_by: alice}",
    );
    let service = Service::with(&world, Settings::default()).await;
    for path in [
        "/repos/acme/gadgets",
        "/repositories/2002",
        "/repos/acme/gadgets/pulls/1",
        "/users/alice",
        "/orgs/acme",
        "/orgs/acme/projectsV2/1",
    ] {
        let answer = service.as_("ci-bot-installation").get(path).await;
        assert_eq!(
            answer.expect(403).message(),
            "This installation has been suspended",
            "{path}"
        );
    }
}
