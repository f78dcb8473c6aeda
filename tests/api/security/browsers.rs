//! Security headers for browsers: only the documentation is a page, and it runs only
//! its own files.

use super::{alice, start};

#[tokio::test]
async fn no_response_can_be_framed_or_sniffed() {
    let service = start().await;
    for path in [
        "/",
        "/versions",
        "/nowhere",
        "/repos/acme/gadgets",
        "/docs",
        "/docs/",
        "/docs/swagger-ui-bundle.js",
        "/docs/nowhere.js",
        "/openapi/service.json",
        "/openapi/companion.yaml",
        "/openapi/nowhere",
        "/healthz",
        "/readyz",
        "/metrics",
        "/operations.json",
    ] {
        let answer = service.anonymous().get(path).await;
        assert_eq!(
            answer.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        assert_eq!(answer.header("x-frame-options"), Some("deny"), "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
        assert!(answer.header("set-cookie").is_none(), "{path}");
        let is_page = answer
            .header("content-type")
            .is_some_and(|media_type| media_type.contains("html"));
        assert_eq!(is_page, path == "/docs/", "{path}");
    }
}

#[tokio::test]
async fn swagger_ui_runs_its_own_files_and_nothing_else() {
    let service = start().await;
    let page = service.anonymous().get("/docs/").await.expect(200);
    let policy = page.header("content-security-policy").unwrap();
    let scripts = policy
        .split("; ")
        .find(|rule| rule.starts_with("script-src"));
    assert_eq!(scripts, Some("script-src 'self'"));
    assert!(policy.contains("connect-src 'self'") && policy.contains("frame-ancestors 'none'"));
    for script in page.text.split("<script").skip(1) {
        let (tag, rest) = script.split_once('>').unwrap();
        let inline = rest.split("</script>").next().unwrap().trim();
        assert!(tag.contains("src=\"./") && inline.is_empty(), "{script}");
    }
    assert!(!page.text.contains(" onload="));
}

/// Swagger UI shows the OpenAPI documents, which contain no user input.
#[tokio::test]
async fn the_documentation_contains_no_user_input() {
    let service = start().await;
    let paths = [
        "/docs/",
        "/docs/swagger-initializer.js",
        "/openapi/service.json",
    ];
    let mut before = Vec::new();
    for path in paths {
        before.push(service.anonymous().get(path).await.expect(200).text);
    }
    let body = serde_json::json!({"name": "<script>alert(1)</script>", "data_type": "text"});
    alice(&service)
        .post("/orgs/acme/issue-fields", body)
        .await
        .expect(200);
    let hostile = service
        .anonymous()
        .header("Host", "evil.test\"><script>alert(1)</script>");
    for (path, before) in paths.iter().zip(before) {
        assert_eq!(hostile.get(path).await.expect(200).text, before);
    }
}

#[tokio::test]
async fn other_origins_can_call_the_api_only_without_browser_credentials() {
    let service = start().await;
    let elsewhere = service.anonymous().header("Origin", "https://evil.test");
    for path in ["/versions", "/nowhere", "/openapi/service.json"] {
        let answer = elsewhere.get(path).await;
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
    }
}
