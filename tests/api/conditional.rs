//! Conditional requests: ETag and 304 on every GET.

use poem::http::Method;

use crate::harness::Service;

#[tokio::test]
async fn a_get_with_the_current_etag_is_304_and_empty() {
    let service = Service::start().await;
    let caller = service.as_("alice-classic");
    let first = caller.get("/versions").await.expect(200);
    let tag = first.header("etag").unwrap().to_owned();
    assert_eq!(tag.len(), 66, "a strong tag of 64 digits: {tag}");
    for value in [
        tag.clone(),
        format!("W/{tag}"),
        format!("\"a\", {tag}"),
        "*".to_owned(),
    ] {
        let again = caller
            .clone()
            .header("If-None-Match", value)
            .get("/versions")
            .await
            .expect(304);
        assert_eq!(again.text, "");
        assert_eq!(again.header("content-type"), None);
        assert_eq!(again.header("x-github-media-type"), None);
        assert_eq!(again.header("etag"), Some(tag.as_str()));
        assert!(again.header("cache-control").is_some());
        assert!(again.header("x-github-request-id").is_some());
    }
    let other = caller.clone().header("If-None-Match", "\"other\"");
    other.get("/versions").await.expect(200);
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let service = Service::start().await;
    let caller = service.anonymous();
    let get = caller.get("/versions").await.expect(200);
    let head = caller
        .send(Method::HEAD, "/versions", None)
        .await
        .expect(200);
    assert_eq!(head.text, "");
    assert_eq!(head.header("etag"), get.header("etag"));
    assert_eq!(
        head.header("content-length"),
        Some(get.text.len().to_string().as_str())
    );
    caller
        .send(Method::HEAD, "/nowhere", None)
        .await
        .expect(404);
}

#[tokio::test]
async fn a_long_answer_is_compressed_on_request_and_has_a_weak_etag() {
    let service = Service::start().await;
    let path = "/repos/acme/gadgets";
    let plain = service.anonymous().get(path).await.expect(200);
    let tag = plain.header("etag").unwrap();
    assert_eq!(plain.header("content-encoding"), None);
    for encoding in ["gzip", "br"] {
        // The second answer comes from the cache.
        for _ in 0..2 {
            let client = service.anonymous().header("Accept-Encoding", encoding);
            let answer = client.get(path).await.expect(200);
            assert_eq!(answer.header("content-encoding"), Some(encoding));
            assert_eq!(answer.header("etag"), Some(&*format!("W/{tag}")));
            assert_eq!(answer.text, plain.text);
        }
        for tag in [tag.to_owned(), format!("W/{tag}")] {
            let conditional = service
                .anonymous()
                .header("Accept-Encoding", encoding)
                .header("If-None-Match", tag);
            let answer = conditional.get(path).await.expect(304);
            assert_eq!(answer.header("content-encoding"), None);
        }
    }
    let again = service.anonymous().get(path).await.expect(200);
    assert_eq!(again.header("content-encoding"), None);
}

#[tokio::test]
async fn a_short_answer_or_an_unsupported_encoding_is_not_compressed() {
    let service = Service::start().await;
    for (path, encoding) in [
        ("/versions", "gzip"),
        ("/repos/acme/gadgets", "gzip;q=0"),
        ("/repos/acme/gadgets", "zstd"),
    ] {
        let client = service.anonymous().header("Accept-Encoding", encoding);
        let answer = client.get(path).await.expect(200);
        assert_eq!(answer.header("content-encoding"), None, "{path} {encoding}");
        assert!(!answer.header("etag").unwrap().starts_with("W/"));
    }
}
