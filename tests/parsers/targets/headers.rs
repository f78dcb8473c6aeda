//! Request headers: `Accept`, `Authorization` and conditional requests.

use contract::media::{Media, NegotiatedMedia};
use forge::access::authorization::{Presented, presented};
use forgewright::web::conditional::{self, Conditions};
use poem::Response;
use poem::http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use super::text;

/// Negotiation ignores spaces, letter case and unsupported media ranges, and a single supported
/// media type is always selected.
pub fn accept(data: &[u8]) {
    let header = text(data);
    let chosen = NegotiatedMedia::of(Some(&header));
    assert_eq!(NegotiatedMedia::of(Some(&format!(" {header} "))), chosen);
    assert_eq!(
        NegotiatedMedia::of(Some(&header.to_ascii_uppercase())),
        chosen
    );
    if !header.trim().is_empty() {
        let with_more = format!("{header},text/plain");
        assert_eq!(NegotiatedMedia::of(Some(&with_more)), chosen);
    }
    if let Some(media) = chosen.map(|chosen| chosen.media) {
        let shown = [media.has_raw(), media.has_text(), media.has_html()];
        assert!(shown.contains(&true));
        let form = match media {
            Media::Raw => "raw",
            Media::Text => "text",
            Media::Html => "html",
            Media::Full => "full",
        };
        let alone = format!("application/vnd.x-commitcomment.{form}+json");
        let alone = NegotiatedMedia::of(Some(&alone)).unwrap();
        assert_eq!(
            (alone.media, alone.parameter.as_deref()),
            (media, Some(form))
        );
    }
}

/// A credential is a word of the header or of its decoded base64, and a JSON web token needs
/// `Bearer`.
pub fn authorization(data: &[u8]) {
    let Some(found) = presented(data) else {
        return;
    };
    let header = std::str::from_utf8(data).unwrap();
    let value: &str = match &found {
        Presented::Token(value) => value,
        Presented::Jwt(value) => value,
    };
    let scheme = header.trim().split_ascii_whitespace().next().unwrap();
    let scheme = scheme.to_ascii_lowercase();
    if scheme == "basic" {
        assert!(matches!(found, Presented::Token(_)));
        return;
    }
    assert!(header.contains(value));
    assert_eq!(value.trim(), value);
    match found {
        Presented::Jwt(_) => assert_eq!(scheme, "bearer"),
        Presented::Token(_) => assert!(["bearer", "token"].contains(&scheme.as_str())),
    }
    if !value.is_empty() {
        let again = format!("Bearer {value}");
        assert_eq!(presented(again.as_bytes()), Some(found));
    }
}

/// The response is complete or 304 without a body. Only a request with the response's ETag or
/// `*` gets 304.
pub fn if_none_match(data: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(data) else {
        return;
    };
    let mut request = HeaderMap::new();
    request.insert(header::IF_NONE_MATCH, value.clone());
    let (status, body, tag) = respond(&Method::GET, &request);
    assert!(body == "body" || (status == StatusCode::NOT_MODIFIED && body.is_empty()));
    if status == StatusCode::NOT_MODIFIED {
        let condition = value.to_str().unwrap();
        assert!(
            condition.contains('*') || condition.contains(&tag),
            "{condition}"
        );
    }
    assert_eq!(respond(&Method::POST, &request).0, StatusCode::OK);
    let mut since = HeaderMap::new();
    since.insert(header::IF_MODIFIED_SINCE, value);
    assert_eq!(respond(&Method::POST, &since).0, StatusCode::OK);
    respond(&Method::GET, &since);
}

/// The status, body and ETag of a response.
fn respond(method: &Method, request: &HeaderMap) -> (StatusCode, String, String) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut response = Response::builder()
            .header(header::LAST_MODIFIED, "Tue, 10 Mar 2026 09:30:00 GMT")
            .body("body");
        conditional::tag(&mut response).await.unwrap();
        Conditions::of(method, request).apply(&mut response);
        let tag = response.headers()[header::ETAG]
            .to_str()
            .unwrap()
            .to_owned();
        let body = response.take_body().into_string().await.unwrap();
        (response.status(), body, tag)
    })
}
