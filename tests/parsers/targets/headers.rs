//! Headers that a caller writes: what is accepted, who calls, and what is known
//! already.

use forgewright::access::authorization::{Presented, presented};
use forgewright::contract::media::{Media, NegotiatedMedia};
use forgewright::web::conditional::{self, Conditions};
use poem::Response;
use poem::http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use super::text;

/// A choice does not depend on space, letter case or on ranges that nobody
/// serves, and what is asked for alone is what comes.
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

/// A credential is a word of the header or of what its base64 says, and a JSON web
/// token needs `Bearer`.
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

/// Whatever a caller claims to have, the answer is whole or 304 without a body,
/// and only a caller who names its tag, or everything, gets the latter.
pub fn if_none_match(data: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(data) else {
        return;
    };
    let mut request = HeaderMap::new();
    request.insert(header::IF_NONE_MATCH, value.clone());
    let answer = answered(&Method::GET, &request);
    assert!(answer.1 == "body" || (answer.0 == StatusCode::NOT_MODIFIED && answer.1.is_empty()));
    if answer.0 == StatusCode::NOT_MODIFIED {
        let claim = value.to_str().unwrap();
        assert!(claim.contains('*') || claim.contains(&answer.2), "{claim}");
    }
    assert_eq!(answered(&Method::POST, &request).0, StatusCode::OK);
    let mut since = HeaderMap::new();
    since.insert(header::IF_MODIFIED_SINCE, value);
    assert_eq!(answered(&Method::POST, &since).0, StatusCode::OK);
    answered(&Method::GET, &since);
}

fn answered(method: &Method, request: &HeaderMap) -> (StatusCode, String, String) {
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
