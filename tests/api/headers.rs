//! The headers of every response, and CORS preflight requests.

use poem::http::Method;

use crate::harness::Service;

#[tokio::test]
async fn every_response_has_a_unique_request_id_and_the_security_headers() {
    let service = Service::start().await;
    let caller = service.anonymous();
    let mut seen = std::collections::BTreeSet::new();
    for path in ["/versions", "/nowhere", "/rate_limit", "/"] {
        let answer = caller.get(path).await;
        let id = answer.header("x-github-request-id").unwrap().to_owned();
        let groups: Vec<_> = id.split(':').collect();
        assert_eq!(groups.len(), 5, "{id}");
        assert!(
            groups
                .iter()
                .all(|group| u64::from_str_radix(group, 16).is_ok()),
            "{id}"
        );
        assert!(seen.insert(id), "the request id is not unique");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("deny"));
        assert_eq!(
            answer.header("content-security-policy"),
            Some("default-src 'none'")
        );
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    }
}

#[tokio::test]
async fn cache_control_is_private_for_authenticated_callers() {
    let service = Service::start().await;
    let public = service.anonymous().get("/versions").await;
    assert_eq!(
        public.header("cache-control"),
        Some("public, max-age=60, s-maxage=60")
    );
    let private = service.as_("alice-classic").get("/versions").await;
    assert_eq!(
        private.header("cache-control"),
        Some("private, max-age=60, s-maxage=60")
    );
    assert!(private.header("vary").unwrap().contains("Authorization"));
    let failed = service.anonymous().get("/nowhere").await;
    assert_eq!(failed.header("cache-control"), None);
}

#[tokio::test]
async fn the_media_type_header_repeats_the_requested_parameter() {
    let service = Service::start().await;
    let path = "/repos/acme/gadgets/git/ref/heads/main";
    for (accept, expected) in [
        ("", "github.v3; format=json"),
        ("application/vnd.github+json", "github.v3; format=json"),
        (
            "application/vnd.github.v3.full+json",
            "github.v3; param=full; format=json",
        ),
        (
            "application/vnd.github.raw+json",
            "github.v3; param=raw; format=json",
        ),
        (
            "application/vnd.github.machine-man-preview+json",
            "github.v3; param=machine-man-preview; format=json",
        ),
        ("application/vnd.github.a=b+json", "github.v3; format=json"),
    ] {
        let caller = service.as_("alice-classic").header("Accept", accept);
        for path in [path, "/versions", "/nowhere"] {
            let answer = caller.get(path).await;
            let media_type = answer.header("x-github-media-type");
            assert_eq!(media_type, Some(expected), "{accept} on {path}");
        }
    }
}

#[tokio::test]
async fn a_preflight_is_204_and_needs_no_credential() {
    let service = Service::start().await;
    let caller = service
        .anonymous()
        .header("Origin", "https://elsewhere.example");
    let answer = caller
        .send(Method::OPTIONS, "/repos/acme/widgets/git/refs", None)
        .await
        .expect(204);
    assert_eq!(answer.text, "");
    let methods = answer.header("access-control-allow-methods").unwrap();
    assert_eq!(methods, "GET, POST, PATCH, PUT, DELETE");
    let headers = answer.header("access-control-allow-headers").unwrap();
    for name in [
        "Authorization",
        "X-Service-Api-Version",
        "If-None-Match",
        "Content-Type",
    ] {
        assert!(headers.contains(name), "{name}");
    }
    let exposed = answer.header("access-control-expose-headers").unwrap();
    assert!(exposed.contains("Link") && exposed.contains("X-RateLimit-Remaining"));
}

#[tokio::test]
async fn browsers_are_redirected_from_the_root_to_the_documentation() {
    let service = Service::start().await;
    let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let answer = service
        .anonymous()
        .header("Accept", accept)
        .get("/")
        .await
        .expect(302);
    assert_eq!(answer.header("location"), Some("/docs/"));
    service.anonymous().get("/").await.expect(200);
}
