//! Endpoints about the service itself: its URLs, versions and rate limits.

use forge::app::Settings;
use serde_json::{Value, json};
use storage::limits::Budgets;

use crate::harness::{Service, WORLD};

#[tokio::test]
async fn get_root_200_with_urls_under_the_prefix_of_the_request() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/api/v3/").await.expect(200);
    let url = answer.json()["current_user_url"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(url.ends_with("/api/v3/user"), "{url}");
    // The newest version omits these keys.
    let omitted = ["authorizations_url", "hub_url"];
    for key in omitted {
        assert!(answer.json()[key].is_string(), "{key}");
    }
    let newest = service
        .anonymous()
        .header("X-GitHub-Api-Version", "2026-03-10");
    let answer = newest.get("/").await.expect(200);
    for key in omitted {
        assert_eq!(answer.json().get(key), None, "{key}");
    }
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
async fn get_rate_limit_200_without_counting_the_request() {
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
