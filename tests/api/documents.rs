//! Serving the documents, Swagger UI, health and metrics.

use contract::document::yaml;

use crate::harness::Service;

#[tokio::test]
async fn the_documents_are_served_as_the_build_checked_them() {
    let service = Service::start().await;
    for (name, document) in [
        ("service", contract::service()),
        ("companion", contract::companion()),
        ("control", contract::control()),
    ] {
        let json = service
            .anonymous()
            .get(&format!("/openapi/{name}.json"))
            .await
            .expect(200);
        assert_eq!(&json.json(), document);
        let yaml = service
            .anonymous()
            .get(&format!("/openapi/{name}.yaml"))
            .await
            .expect(200);
        assert_eq!(&yaml::read(&yaml.text).unwrap(), document);
        let file = format!("{}/openapi/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(yaml.text, std::fs::read_to_string(file).unwrap());
    }
    service
        .anonymous()
        .get("/openapi/other.json")
        .await
        .expect(404);
}

#[tokio::test]
async fn swagger_ui_is_embedded_and_lists_all_documents() {
    let service = Service::start().await;
    let caller = service.anonymous();
    let redirect = caller.get("/docs").await.expect(302);
    assert_eq!(redirect.header("location"), Some("/docs/"));
    let page = caller.get("/docs/").await.expect(200);
    assert!(page.text.contains("swagger-ui"));
    assert!(page.text.contains("width=device-width"), "{}", page.text);
    assert!(
        !page.text.contains("https://"),
        "the page loads something from another site"
    );
    let script = caller.get("/docs/swagger-initializer.js").await.expect(200);
    for address in [
        "/openapi/service.json",
        "/openapi/companion.json",
        "/operations.json",
    ] {
        assert!(script.text.contains(address), "{address}");
    }
    assert!(script.text.contains("no-store"), "{}", script.text);
    caller.get("/docs/nothing.js").await.expect(404);
}

#[tokio::test]
async fn health_and_metrics_are_served() {
    let service = Service::start().await;
    let caller = service.anonymous();
    assert_eq!(caller.get("/healthz").await.expect(200).text, "ok\n");
    assert_eq!(caller.get("/readyz").await.expect(200).text, "ready\n");
    caller.get("/versions").await.expect(200);
    let metrics = caller.get("/metrics").await.expect(200);
    let counter = "forgewright_requests_total{operation=\"list_versions\",status=\"200\",caller=\"anonymous\"} 1";
    assert!(metrics.text.contains(counter), "{}", metrics.text);
    assert!(
        metrics
            .text
            .contains("forgewright_request_duration_seconds_bucket")
    );
    let described = caller.get("/operations.json").await.expect(200).json();
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert!(described["paths"][path]["get"].is_object(), "{path}");
    }
    service.app.db.close().await.unwrap();
    caller.get("/readyz").await.expect(503);
}
