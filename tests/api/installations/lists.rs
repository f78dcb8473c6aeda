//! Lists of installations and of their repositories.

use serde_json::Value;

use super::{ids, start};

const REPOSITORIES: &str = "/installation/repositories";
const INSTALLATIONS: &str = "/user/installations";

#[tokio::test]
async fn list_installation_repositories_200_with_the_selected_repositories() {
    let service = start().await;
    let answer = service
        .as_("ci-bot-on-acme")
        .get(REPOSITORIES)
        .await
        .expect(200);
    assert_eq!(ids(&answer, "repositories"), [2001, 2002]);
    let body = answer.json();
    assert_eq!(body["total_count"], 2);
    assert_eq!(body["repository_selection"], "selected");
    assert_eq!(answer.header("link"), None);
    assert_eq!(
        answer.header("x-accepted-github-permissions"),
        Some("allows_permissionless_access=true")
    );
}

#[tokio::test]
async fn list_installation_repositories_200_with_every_field_of_a_repository() {
    let service = start().await;
    let answer = service
        .as_("ci-bot-on-acme")
        .get(REPOSITORIES)
        .await
        .expect(200);
    let widgets = &answer.json()["repositories"][0];
    assert_eq!(widgets["full_name"], "acme/widgets");
    assert_eq!(widgets["private"], true);
    assert_eq!(widgets["visibility"], "private");
    assert_eq!(widgets["owner"]["login"], "acme");
    assert_eq!(widgets["owner"]["type"], "Organization");
    assert_eq!(widgets["node_id"], "R_kgDNB9E");
    assert_eq!(widgets["topics"], serde_json::json!(["tools"]));
    assert_eq!(widgets["license"]["key"], "mit");
    assert_eq!(widgets["license"]["name"], "MIT License");
    assert_eq!(widgets["stargazers_count"], 3);
    assert_eq!(widgets["watchers"], 3);
    assert_eq!(widgets["open_issues_count"], 0);
    assert_eq!(widgets["custom_properties"]["team"], "core");
    assert_eq!(widgets.get("permissions"), None);
    assert_eq!(widgets["has_downloads"], true);
    assert_eq!(widgets["temp_clone_token"], "");
    let document = contract::service();
    let schema = &document["components"]["schemas"]["Repository"];
    for field in schema["required"].as_array().unwrap() {
        let field = field.as_str().unwrap();
        assert!(widgets.get(field).is_some(), "{field} is missing");
    }
}

#[tokio::test]
async fn list_installation_repositories_200_with_all_repositories_of_the_account() {
    let service = start().await;
    let answer = service
        .as_("ci-bot-on-vault")
        .get(REPOSITORIES)
        .await
        .expect(200);
    assert_eq!(ids(&answer, "repositories"), [2005, 2006]);
    assert_eq!(answer.json()["repository_selection"], "all");
    let none = service
        .as_("ci-bot-on-hollow")
        .get(REPOSITORIES)
        .await
        .expect(200);
    assert_eq!(none.json()["total_count"], 0);
    assert_eq!(none.json()["repositories"], serde_json::json!([]));
}

#[tokio::test]
async fn list_installation_repositories_200_without_an_unreadable_private_template() {
    let service = start().await;
    let template = async |token: &str| -> Value {
        let answer = service.as_(token).get("/repos/acme/gadgets").await;
        answer.expect(200).json()["template_repository"]["id"].clone()
    };
    let listed = service
        .as_("ci-bot-on-acme")
        .get(REPOSITORIES)
        .await
        .expect(200);
    let gadgets = &listed.json()["repositories"][1];
    assert_eq!(gadgets["template_repository"], Value::Null);
    assert_eq!(template("alice-classic").await, 2001);
    assert_eq!(template("alice-public-only").await, Value::Null);
    assert_eq!(template("mallory-classic").await, Value::Null);
}

#[tokio::test]
async fn list_installation_repositories_200_page_by_page() {
    let service = start().await;
    let caller = service.as_("ci-bot-on-acme");
    let first = caller.get("/installation/repositories?per_page=1").await;
    let first = first.expect(200);
    assert_eq!(ids(&first, "repositories"), [2001]);
    assert_eq!(first.json()["total_count"], 2);
    assert!(
        first
            .header("link")
            .unwrap()
            .contains("page=2>; rel=\"next\"")
    );
    let second = caller
        .get("/installation/repositories?per_page=1&page=2")
        .await
        .expect(200);
    assert_eq!(ids(&second, "repositories"), [2002]);
    for page in ["9", "9223372036854775807", "9223372036854775808"] {
        let path = format!("{REPOSITORIES}?per_page=1&page={page}");
        let past = caller.get(&path).await.expect(200);
        assert_eq!(ids(&past, "repositories"), [0; 0]);
        assert_eq!(past.json()["total_count"], 2);
        assert!(
            past.header("link")
                .unwrap()
                .contains("page=2>; rel=\"prev\"")
        );
    }
}

#[tokio::test]
async fn list_installation_repositories_304_when_nothing_changed() {
    let service = start().await;
    let caller = service.as_("ci-bot-on-acme");
    let answer = caller.get(REPOSITORIES).await.expect(200);
    let tag = answer.header("etag").unwrap();
    let again = caller.header("If-None-Match", tag).get(REPOSITORIES).await;
    assert_eq!(again.expect(304).text, "");
}

#[tokio::test]
async fn list_installation_repositories_401_without_a_token() {
    let service = start().await;
    let answer = service.anonymous().get(REPOSITORIES).await.expect(401);
    assert_eq!(answer.message(), "Requires authentication");
}

#[tokio::test]
async fn list_installation_repositories_403_without_an_installation_token() {
    let service = start().await;
    for token in ["alice-classic", "alice-oauth", "alice-fine", "alice-ci-bot"] {
        let answer = service.as_(token).get(REPOSITORIES).await.expect(403);
        assert_eq!(
            answer.message(),
            "You must authenticate with an installation access token in order to list \
             repositories for an installation.",
            "{token}"
        );
    }
}

#[tokio::test]
async fn list_installation_repositories_403_when_suspended() {
    let service = start().await;
    let answer = service
        .as_("suspended-bot")
        .get(REPOSITORIES)
        .await
        .expect(403);
    assert_eq!(answer.message(), "This installation has been suspended");
}

#[tokio::test]
async fn list_user_installations_200_by_explicit_access() {
    let service = start().await;
    for (token, expected) in [
        ("alice-ci-bot", vec![7001, 7002]),
        ("bob-ci-bot", vec![7001, 7003]),
        ("carol-ci-bot", vec![7001]),
        ("dana-ci-bot", vec![7003]),
        ("mallory-ci-bot", vec![]),
    ] {
        let answer = service.as_(token).get(INSTALLATIONS).await.expect(200);
        assert_eq!(ids(&answer, "installations"), expected, "{token}");
        assert_eq!(answer.json()["total_count"], expected.len(), "{token}");
    }
}

#[tokio::test]
async fn list_user_installations_200_with_every_field_of_an_installation() {
    let service = start().await;
    let caller = service.as_("alice-ci-bot");
    let answer = caller.get("/api/v3/user/installations").await.expect(200);
    let installation = &answer.json()["installations"][0];
    assert_eq!(installation["app_slug"], "ci-bot");
    assert_eq!(installation["app_id"], 6001);
    assert_eq!(installation["client_id"], "Iv23ciBot");
    assert_eq!(installation["account"]["login"], "acme");
    assert_eq!(installation["target_type"], "Organization");
    assert_eq!(installation["target_id"], 1004);
    assert_eq!(installation["permissions"]["contents"], "write");
    assert_eq!(installation["events"], serde_json::json!(["push"]));
    assert_eq!(installation["suspended_at"], Value::Null);
    assert_eq!(installation["suspended_by"], Value::Null);
    let url = installation["access_tokens_url"].as_str().unwrap();
    assert!(url.ends_with("/api/v3/app/installations/7001/access_tokens"));
    let html_url = installation["html_url"].as_str().unwrap();
    assert!(html_url.ends_with("/organizations/acme/settings/installations/7001"));
    let personal = &answer.json()["installations"][1];
    assert_eq!(personal["target_type"], "User");
    assert!(
        personal["html_url"]
            .as_str()
            .unwrap()
            .ends_with("/settings/installations/7002")
    );
}

#[tokio::test]
async fn list_user_installations_200_with_suspended_installations_of_the_calling_app_only() {
    let service = start().await;
    let answer = service.as_("bob-other-bot").get(INSTALLATIONS).await;
    let answer = answer.expect(200);
    assert_eq!(ids(&answer, "installations"), [7004, 7005]);
    let suspended = &answer.json()["installations"][1];
    assert_eq!(suspended["suspended_by"]["login"], "bob");
    assert_eq!(suspended["suspended_at"], "2026-03-10T09:30:00Z");
}

#[tokio::test]
async fn list_user_installations_200_page_by_page() {
    let service = start().await;
    let caller = service.as_("bob-ci-bot");
    let second = caller.get("/user/installations?per_page=1&page=2").await;
    let second = second.expect(200);
    assert_eq!(ids(&second, "installations"), [7003]);
    assert_eq!(second.json()["total_count"], 2);
    let past = caller.get("/user/installations?page=7").await.expect(200);
    assert_eq!(ids(&past, "installations"), [0; 0]);
    assert!(past.header("link").unwrap().contains("rel=\"first\""));
}

#[tokio::test]
async fn list_user_installations_304_when_nothing_changed() {
    let service = start().await;
    let caller = service.as_("bob-ci-bot");
    let answer = caller.get(INSTALLATIONS).await.expect(200);
    let tag = answer.header("etag").unwrap();
    caller
        .header("If-None-Match", tag)
        .get(INSTALLATIONS)
        .await
        .expect(304);
}

#[tokio::test]
async fn list_user_installations_401_without_a_token() {
    let service = start().await;
    service.anonymous().get(INSTALLATIONS).await.expect(401);
}

#[tokio::test]
async fn list_user_installations_403_without_an_app_user_token() {
    let service = start().await;
    for token in ["alice-classic", "alice-oauth", "alice-fine"] {
        let answer = service.as_(token).get(INSTALLATIONS).await.expect(403);
        assert_eq!(
            answer.message(),
            "You must authenticate with an access token authorized to a GitHub App in order to \
             list installations"
        );
    }
    let answer = service.as_("ci-bot-on-acme").get(INSTALLATIONS).await;
    assert_eq!(
        answer.expect(403).message(),
        "Resource not accessible by integration"
    );
}
