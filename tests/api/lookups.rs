//! The lookups of the companion document. Private things look absent.

use forgewright::app::Settings;
use forgewright::entities::pull;
use forgewright::limits::Budgets;
use forgewright::world::load::{Loader, Source};
use sea_orm::{ActiveModelTrait, Set};
use serde_json::{Value, json};

use crate::harness::{Service, WORLD};

const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";
const BASE: &str = "89abcdef0123456789abcdef0123456789abcdef";

/// An open pull request in a repository, by bob.
async fn open_pull(service: &Service, repository: i64, number: i64) {
    let transaction = service.app.db.begin().await.unwrap();
    let row = pull::ActiveModel {
        repository_id: Set(repository),
        number: Set(number),
        title: Set("Use a digit".to_owned()),
        body: Set(Some("Shorter.".to_owned())),
        author_id: Set(1002),
        base_ref: Set("main".to_owned()),
        base_sha: Set(BASE.to_owned()),
        head_ref: Set("topic".to_owned()),
        head_sha: Set(HEAD.to_owned()),
        state: Set(pull::State::Open),
        locked: Set(false),
        created_at: Set(1_773_135_000),
        updated_at: Set(1_773_135_000),
        closed_at: Set(None),
        merged_at: Set(None),
        ..Default::default()
    };
    row.insert(&transaction).await.unwrap();
    transaction.commit().await.unwrap();
}

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
    let address = repository["url"].as_str().unwrap();
    assert!(address.ends_with("/repos/acme/gadgets"));
}

#[tokio::test]
async fn get_repository_200_with_what_the_user_may_do() {
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

/// A service whose `alice-fine-metadata` has these permissions.
async fn granting(permissions: &str) -> Service {
    let world = WORLD.replace(
        "permissions: {metadata: read}, value: alice-fine-metadata",
        &format!("permissions: {permissions}, value: alice-fine-metadata"),
    );
    Service::with(&world, Settings::default()).await
}

#[tokio::test]
async fn get_repository_200_because_every_token_may_read_metadata() {
    let service = granting("{contents: write}").await;
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
    let service = granting("{contents: write, metadata: none}").await;
    let caller = service.as_("alice-fine-metadata");
    let answer = caller.get("/repos/acme/widgets").await.expect(403);
    assert_eq!(
        answer.message(),
        "Resource not accessible by personal access token"
    );
}

#[tokio::test]
async fn get_repository_by_id_403_when_the_token_may_not_read_metadata() {
    let service = granting("{contents: write, metadata: none}").await;
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
async fn get_pull_200_with_both_branches() {
    let service = Service::start().await;
    open_pull(&service, 2002, 1).await;
    let answer = service
        .anonymous()
        .get("/api/v3/repos/acme/gadgets/pulls/1")
        .await;
    let pull = answer.expect(200).json();
    assert_eq!(pull["number"], 1);
    assert_eq!(pull["state"], "open");
    assert_eq!(pull["user"]["login"], "bob");
    assert_eq!(pull["head"]["ref"], "topic");
    assert_eq!(pull["head"]["sha"], HEAD);
    assert_eq!(pull["head"]["label"], "acme:topic");
    assert_eq!(pull["base"]["ref"], "main");
    assert_eq!(pull["base"]["repo"]["full_name"], "acme/gadgets");
    assert_eq!(pull["merged"], false);
    assert_eq!(pull["review_comments"], 0);
    let address = pull["review_comments_url"].as_str().unwrap();
    assert!(address.ends_with("/api/v3/repos/acme/gadgets/pulls/1/comments"));
    let link = &pull["_links"]["self"]["href"];
    assert_eq!(*link, pull["url"]);
}

#[tokio::test]
async fn get_pull_200_with_how_much_it_changes_and_who_asks() {
    let world = include_str!("review_comments/world.yaml");
    let service = Service::with(world, Settings::default()).await;
    let path = "/repos/acme/gadgets/pulls/1";
    let pull = service.anonymous().get(path).await.expect(200).json();
    // As `git diff --shortstat main...topic` and `git rev-list --count main..topic` have it.
    let counts = ["commits", "changed_files", "additions", "deletions"];
    let counted = counts.map(|key| pull[key].as_i64());
    assert_eq!(counted, [Some(2), Some(3), Some(4), Some(4)]);
    assert_eq!(pull["author_association"], "MEMBER");
    assert_eq!(pull["mergeable_state"], "clean");
    assert_eq!(pull["mergeable"], true);
    assert_eq!(pull["labels"], json!([]));
    for null in ["milestone", "auto_merge", "merged_by"] {
        assert_eq!(pull.get(null), Some(&Value::Null), "{null}");
    }
}

#[tokio::test]
async fn get_pull_403_when_the_token_may_not_read_pull_requests() {
    let service = Service::start().await;
    open_pull(&service, 2001, 1).await;
    let caller = service.as_("alice-fine-metadata");
    caller.get("/repos/acme/widgets/pulls/1").await.expect(403);
}

#[tokio::test]
async fn get_pull_404_when_absent_or_private() {
    let service = Service::start().await;
    open_pull(&service, 2001, 1).await;
    let caller = service.as_("alice-classic");
    caller.get("/repos/acme/widgets/pulls/1").await.expect(200);
    caller.get("/repos/acme/widgets/pulls/2").await.expect(404);
    caller.get("/repos/acme/gadgets/pulls/1").await.expect(404);
    let stranger = service.as_("mallory-classic");
    stranger
        .get("/repos/acme/widgets/pulls/1")
        .await
        .expect(404);
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
async fn get_user_404_when_there_is_none() {
    let service = Service::start().await;
    service.anonymous().get("/users/nobody").await.expect(404);
}

#[tokio::test]
async fn get_organization_200_with_its_addresses() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/orgs/Acme").await.expect(200);
    let acme = answer.json();
    assert_eq!(acme["login"], "acme");
    assert_eq!(acme["id"], 1004);
    assert_eq!(acme["public_repos"], 1);
    assert!(acme["url"].as_str().unwrap().ends_with("/orgs/acme"));
}

#[tokio::test]
async fn get_organization_404_when_there_is_none() {
    let service = Service::start().await;
    for path in ["/orgs/nobody", "/orgs/alice"] {
        service.anonymous().get(path).await.expect(404);
    }
}

#[tokio::test]
async fn get_org_project_200_and_its_address_leads_back() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/orgs/acme/projectsV2/1").await;
    let project = answer.expect(200).json();
    assert_eq!(project["title"], "Roadmap");
    assert_eq!(project["owner"]["login"], "acme");
    assert_eq!(project["public"], true);
    let address = project["url"].as_str().unwrap();
    assert!(address.ends_with("/orgs/acme/projectsV2/1"));
    let answer = service.anonymous().get("/orgs/acme/projectsV2/1").await;
    assert_eq!(
        answer.header("last-modified"),
        None,
        "the second is not over"
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
async fn get_user_project_403_with_a_token_of_a_kind_that_never_works() {
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
async fn a_suspended_installation_looks_nothing_up() {
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

#[tokio::test]
async fn get_root_200_with_the_addresses_the_caller_uses() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/api/v3/").await.expect(200);
    let address = answer.json()["current_user_url"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(address.ends_with("/api/v3/user"), "{address}");
    // Dropped from this version on.
    assert!(answer.json()["authorizations_url"].is_string());
    let newest = service
        .anonymous()
        .header("X-GitHub-Api-Version", "2026-03-10");
    let answer = newest.get("/").await.expect(200);
    assert_eq!(answer.json().get("authorizations_url"), None);
    assert!(answer.json()["emojis_url"].is_string());
    let scoped = service.as_("bob-oauth").get("/").await.expect(200);
    assert_eq!(
        scoped.header("x-oauth-scopes"),
        Some("read:org, read:project, repo")
    );
}

#[tokio::test]
async fn get_meta_200_names_the_version() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/meta").await.expect(200);
    assert_eq!(answer.json()["verifiable_password_authentication"], false);
    assert_eq!(
        answer.json()["installed_version"],
        env!("CARGO_PKG_VERSION")
    );
}

#[tokio::test]
async fn get_zen_200_in_plain_text() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/zen").await.expect(200);
    assert_eq!(
        answer.header("content-type"),
        Some("text/plain;charset=utf-8")
    );
    assert!(answer.text.ends_with('.'), "{}", answer.text);
    service.clock.advance(3600);
    let later = service.anonymous().get("/zen").await.expect(200);
    assert_ne!(answer.text, later.text);
}

#[tokio::test]
async fn list_versions_200_the_oldest_first() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/versions").await.expect(200);
    assert_eq!(answer.json(), json!(["2022-11-28", "2026-03-10"]));
}

#[tokio::test]
async fn get_rate_limit_200_without_counting() {
    let settings = Settings {
        budgets: Some(Budgets::default()),
        ..Settings::default()
    };
    let service = Service::with(WORLD, settings).await;
    let caller = service.as_("alice-classic");
    caller.get("/user").await.expect(200);
    for _ in 0..2 {
        let answer = caller.get("/rate_limit").await.expect(200);
        assert_eq!(answer.header("cache-control"), Some("no-cache"));
        let limits = answer.json();
        assert_eq!(limits["resources"]["core"]["used"], 1);
        assert_eq!(limits["resources"]["core"]["limit"], 5000);
        assert_eq!(limits["rate"], limits["resources"]["core"]);
        for (name, limit) in [
            ("search", 30),
            ("graphql", 5000),
            ("integration_manifest", 5000),
            ("source_import", 100),
            ("code_scanning_upload", 1000),
            ("code_scanning_autofix", 10),
            ("actions_runner_registration", 10_000),
            ("scim", 15_000),
            ("dependency_snapshots", 100),
            ("dependency_sbom", 100),
            ("audit_log", 1750),
            ("audit_log_streaming", 15),
            ("code_search", 10),
        ] {
            let budget = &limits["resources"][name];
            assert_eq!(budget["limit"], limit, "{name}");
            assert_eq!(budget["remaining"], limit, "{name}");
            assert_eq!(budget["used"], 0, "{name}");
        }
    }
    let newest = caller.header("X-Service-Api-Version", "2026-03-10");
    let limits = newest.get("/rate_limit").await.expect(200).json();
    assert_eq!(limits.get("rate"), None::<&Value>);
}

#[tokio::test]
async fn get_rate_limit_404_without_limits() {
    let service = Service::start().await;
    service.anonymous().get("/rate_limit").await.expect(404);
}

/// A cached answer would not know of an account that is new.
#[tokio::test]
async fn get_pull_200_links_whom_it_mentions_as_soon_as_they_exist() {
    let world = WORLD.replace(
        "full_name: acme/gadgets, visibility: public}",
        "full_name: acme/gadgets, visibility: public, git: {commits: [{id: one, message: One}], \
         refs: {refs/heads/main: one, refs/heads/topic: one}}, pulls: [{number: 1, title: T, \
         body: \"Ask @nell.\", author: bob, base: main, head: topic}]}",
    );
    let service = Service::with(&world, Settings::default()).await;
    let caller = service.anonymous();
    let caller = caller.header("Accept", "application/vnd.github.html+json");
    let html = async || {
        let answer = caller.get("/repos/acme/gadgets/pulls/1").await.expect(200);
        answer.json()["body_html"].as_str().unwrap().to_owned()
    };
    assert!(!html().await.contains("href"));
    let loader = Loader::new(&service.app.db, &*service.app.clock, &*service.app.entropy);
    let more = Source::inline("more.yaml", "users: [{login: nell}]");
    assert!(loader.load(&more).await.is_ok());
    assert!(html().await.contains("/nell\""));
}
