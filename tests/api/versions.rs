//! Versions of the API, and the two paths of every route.

use serde_json::json;

use crate::harness::Service;

#[tokio::test]
async fn list_versions_200_oldest_first() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/versions").await.expect(200);
    assert_eq!(answer.json(), json!(["2022-11-28", "2026-03-10"]));
}

#[tokio::test]
async fn a_request_that_names_no_version_gets_the_oldest() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/versions").await;
    assert_eq!(
        answer.header("x-github-api-version-selected"),
        Some("2022-11-28")
    );
    assert_eq!(
        answer.header("x-service-api-version-selected"),
        Some("2022-11-28")
    );
}

#[tokio::test]
async fn either_header_selects_a_version_and_x_service_api_version_wins() {
    let service = Service::start().await;
    for name in ["X-Service-Api-Version", "X-GitHub-Api-Version"] {
        let caller = service.anonymous().header(name, "2026-03-10");
        let answer = caller.get("/versions").await.expect(200);
        assert_eq!(
            answer.header("x-github-api-version-selected"),
            Some("2026-03-10")
        );
    }
    let both = service
        .anonymous()
        .header("X-GitHub-Api-Version", "2022-11-28")
        .header("X-Service-Api-Version", "2026-03-10");
    let answer = both.get("/versions").await;
    assert_eq!(
        answer.header("x-github-api-version-selected"),
        Some("2026-03-10")
    );
}

#[tokio::test]
async fn an_unsupported_version_is_400_and_names_the_supported_ones() {
    let service = Service::start().await;
    let caller = service.anonymous().header("X-Service-Api-Version", "v3");
    let answer = caller.get("/versions").await.expect(400);
    assert_eq!(answer.message(), "Bad Request");
    let errors = answer.json()["errors"].clone();
    assert_eq!(errors[0]["field"], "X-Service-Api-Version");
    assert_eq!(
        errors[0]["message"],
        "The version you specified in the \"X-Service-Api-Version\" request header, \"v3\", is \
         not a supported version. The following versions are currently supported: \
         \"2026-03-10\" (most recent) and \"2022-11-28\"."
    );
}

#[tokio::test]
async fn every_route_is_also_served_under_the_enterprise_prefix_which_links_keep() {
    let service = Service::start().await;
    let caller = service.anonymous().header("Host", "forge.test:8080");
    let plain = caller.get("/").await.expect(200).json();
    let prefixed = caller.get("/api/v3/").await.expect(200).json();
    assert_eq!(plain["rate_limit_url"], "http://forge.test:8080/rate_limit");
    assert_eq!(
        prefixed["rate_limit_url"],
        "http://forge.test:8080/api/v3/rate_limit"
    );
    caller.get("/api/v3").await.expect(200);
    caller.get("/api/v3/versions").await.expect(200);
    caller.get("/api/v3/nowhere").await.expect(404);
}
