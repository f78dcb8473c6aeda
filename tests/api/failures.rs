//! Every error has the same body, whatever is wrong with the request.

use std::time::Duration;

use forge::app::Settings;
use poem::http::Method;
use sea_orm::{ConnectionTrait, EntityTrait, QueryFilter};
use serde_json::json;
use storage::entities::label;

use crate::harness::{Service, WORLD};

const REFS: &str = "/repos/acme/gadgets/git/refs";

#[tokio::test]
async fn an_unknown_route_is_404_with_the_common_error_body() {
    let service = Service::start().await;
    let answer = service.anonymous().get("/nowhere").await.expect(404);
    assert_eq!(answer.message(), "Not Found");
    assert_eq!(
        answer.json()["documentation_url"],
        "https://docs.github.com/rest"
    );
    assert_eq!(
        answer.header("content-type"),
        Some("application/json; charset=utf-8")
    );
    assert_eq!(answer.header("etag"), None);
}

#[tokio::test]
async fn a_wrong_method_and_a_trailing_slash_are_404() {
    let service = Service::start().await;
    let caller = service.anonymous();
    for method in [Method::DELETE, Method::PUT, Method::TRACE, Method::CONNECT] {
        caller.send(method, "/versions", None).await.expect(404);
    }
    caller.get("/versions/").await.expect(404);
    caller.get("//versions").await.expect(404);
}

#[tokio::test]
async fn a_body_that_is_not_json_is_400() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    for (body, message) in [
        ("{", "Problems parsing JSON"),
        ("{\"ref\": \"\u{1}", "Problems parsing JSON"),
        ("[]", "Body should be a JSON object"),
        ("\"ref\"", "Body should be a JSON object"),
        ("null", "Body should be a JSON object"),
    ] {
        let answer = alice
            .send(Method::POST, REFS, Some(body.to_owned()))
            .await
            .expect(400);
        assert_eq!(answer.message(), message, "{body}");
    }
    let deep = "[".repeat(100_000);
    alice.send(Method::POST, REFS, Some(deep)).await.expect(400);
}

#[tokio::test]
async fn a_body_that_violates_the_schema_is_422_and_names_the_field() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    for (body, sentence) in [
        (json!({}), r#""ref", "sha" weren't supplied."#),
        (json!({"ref": "refs/heads/x"}), r#""sha" wasn't supplied."#),
        (
            json!({"ref": null, "sha": "0".repeat(40)}),
            "For 'properties/ref', nil is not a string.",
        ),
        (
            json!({"ref": "refs/heads/x", "sha": "abc"}),
            "For 'properties/sha', At least 40 characters are required; only 3 were supplied.",
        ),
        (
            json!({"ref": "refs/heads/\u{0}", "sha": "0".repeat(40)}),
            "For 'properties/ref', A NUL character is not allowed.",
        ),
    ] {
        let answer = alice.post(REFS, body).await.expect(422);
        assert_eq!(answer.message(), format!("Invalid request.\n\n{sentence}"));
    }
}

#[tokio::test]
async fn an_empty_body_counts_as_an_empty_object() {
    let service = Service::start().await;
    let answer = service
        .as_("alice-classic")
        .send(Method::POST, REFS, None)
        .await
        .expect(422);
    assert!(
        answer
            .message()
            .ends_with(r#""ref", "sha" weren't supplied."#)
    );
}

#[tokio::test]
async fn a_body_of_more_than_a_mebibyte_is_413() {
    let service = Service::start().await;
    let body = format!("{{\"ref\": \"{}\"}}", "x".repeat(1 << 20));
    let answer = service
        .as_("alice-classic")
        .send(Method::POST, REFS, Some(body))
        .await
        .expect(413);
    assert_eq!(answer.message(), "Request body is too large");
}

#[tokio::test]
async fn any_request_content_type_is_accepted() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    for kind in [
        "text/plain;charset=UTF-8",
        "application/x-www-form-urlencoded",
        "nonsense",
    ] {
        let caller = alice.clone().header("Content-Type", kind);
        caller.post(REFS, json!({})).await.expect(422);
    }
}

#[tokio::test]
async fn without_a_credential_an_invalid_body_is_401() {
    let service = Service::start().await;
    let answer = service.anonymous().post(REFS, json!({})).await.expect(401);
    assert_eq!(answer.message(), "Requires authentication");
}

#[tokio::test]
async fn a_media_type_that_is_not_served_is_415_and_never_json() {
    let service = Service::start().await;
    for accept in [
        "application/vnd.github.diff+xml",
        "application/vnd.github.v3.sha+xml",
        "application/vnd.github+xml",
    ] {
        let caller = service.as_("alice-classic").header("Accept", accept);
        for path in ["/versions", "/repos/acme/gadgets"] {
            let answer = caller.get(path).await.expect(415);
            let sentence =
                format!("Unsupported 'Accept' header: '{accept}'. Must accept 'application/json'.");
            assert_eq!(answer.message(), sentence, "{path}");
        }
    }
}

#[tokio::test]
async fn a_media_type_without_json_is_415() {
    let service = Service::start().await;
    let caller = service.anonymous().header("Accept", "application/xml");
    let answer = caller.get("/versions").await.expect(415);
    assert_eq!(
        answer.message(),
        "Unsupported 'Accept' header: 'application/xml'. Must accept 'application/json'."
    );
    assert_eq!(
        answer.json()["documentation_url"],
        "https://docs.github.com/v3/media"
    );
}

#[tokio::test]
async fn several_accept_headers_are_one_list() {
    let service = Service::start().await;
    let accepting = |lines: &[&str]| {
        lines.iter().fold(service.anonymous(), |caller, line| {
            caller.header("Accept", *line)
        })
    };
    let full = "application/vnd.github.full+json";
    for lines in [
        [full, "application/json;q=0.5"],
        ["application/json;q=0.5", full],
        ["application/xml", full],
        ["", full],
    ] {
        let answer = accepting(&lines).get("/versions").await.expect(200);
        assert_eq!(
            answer.header("x-github-media-type"),
            Some("github.v3; param=full; format=json"),
            "{lines:?}"
        );
    }
    accepting(&["", " "]).get("/versions").await.expect(200);
    let caller = accepting(&["application/xml", "text/html"]);
    assert_eq!(
        caller.get("/versions").await.expect(415).message(),
        "Unsupported 'Accept' header: 'application/xml, text/html'. Must accept \
         'application/json'."
    );
}

#[tokio::test]
async fn a_compressed_body_is_415_and_is_never_unpacked() {
    let service = Service::start().await;
    for encoding in ["gzip", "br", "identity, gzip"] {
        let caller = service.as_("alice-classic");
        let request = caller.header("Content-Encoding", encoding);
        let answer = request.post(REFS, json!({})).await.expect(415);
        assert!(answer.message().contains(encoding), "{}", answer.message());
    }
    let plain = service
        .as_("alice-classic")
        .header("Content-Encoding", "identity");
    plain.post(REFS, json!({})).await.expect(422);
}

#[tokio::test]
async fn operational_endpoints_accept_only_get_and_head() {
    let service = Service::start().await;
    for path in [
        "/healthz",
        "/readyz",
        "/metrics",
        "/operations.json",
        "/docs/",
        "/openapi/service.yaml",
    ] {
        let caller = service.anonymous();
        caller.send(Method::GET, path, None).await.expect(200);
        caller.send(Method::HEAD, path, None).await.expect(200);
        for method in [Method::POST, Method::PUT, Method::DELETE] {
            let answer = caller
                .send(method, path, Some("{}".to_owned()))
                .await
                .expect(404);
            assert_eq!(answer.message(), "Not Found");
        }
    }
    service.anonymous().get("/docs/%ff").await.expect(404);
    service
        .anonymous()
        .get("/docs/index.html")
        .await
        .expect(200);
}

#[tokio::test]
async fn an_id_that_is_not_a_number_is_404() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    for id in ["x", "-", "1.5", "99999999999999999999", "%00", "%ff", "%"] {
        let path = format!("/repos/acme/gadgets/pulls/comments/{id}");
        alice.get(&path).await.expect(404);
    }
}

#[tokio::test]
async fn strange_paths_and_queries_never_break_the_server() {
    let service = Service::start().await;
    let alice = service.as_("alice-classic");
    for path in [
        "/repos/%2F/%2F/git/ref/%2F",
        "/repos/acme/gadgets/git/ref/%00",
        "/repos/acme/gadgets/git/ref/%ff%fe",
        "/repos/acme/gadgets/git/matching-refs/%F0%9F%92%A9",
        "/repos/acme%00/gadgets/git/ref/heads/main",
        "/repos/../../etc/passwd",
        "/orgs/acme/issue-fields?%00",
        "/orgs/acme/issue-fields?page=%ff&per_page[]=1&=&&;",
        "/versions?page=1&page=2&page",
    ] {
        let answer = alice.get(path).await;
        assert!(
            answer.status.as_u16() < 500 || answer.status == 501,
            "{path}: {}",
            answer.text
        );
    }
}

#[tokio::test]
async fn a_request_that_takes_longer_than_its_limit_is_503_and_changes_nothing() {
    let settings = Settings {
        request_timeout: Some(Duration::from_millis(200)),
        ..Settings::default()
    };
    let service = Service::with(WORLD, settings).await;
    let blocker = service.app.db.begin().await.unwrap();
    let lock = "UPDATE repository SET description = 'locked'";
    blocker.execute_unprepared(lock).await.unwrap();
    let alice = service.as_("alice-classic");
    let labels = "/repos/acme/gadgets/labels";
    let answer = alice.post(labels, json!({"name": "late"})).await;
    let answer = answer.expect(503);
    assert_eq!(answer.header("retry-after"), Some("1"));
    blocker.rollback().await.unwrap();
    let late = label::Entity::find().filter(label::COLUMN.name.eq("late"));
    assert_eq!(late.one(service.app.db.reads()).await.unwrap(), None);
}
