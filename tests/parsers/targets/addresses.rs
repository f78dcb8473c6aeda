//! The URLs of requests and of webhooks.

use forge::outbound::address::WebhookTarget;
use forgewright::web::address::RequestUrl;
use poem::Request;
use poem::http::Uri;
use poem::http::header::HOST;

use super::{text, two};

/// Whatever the `Host` header contains, the origin of links is a plain host. Normalizing the path
/// for the router is idempotent.
pub fn request_paths(data: &[u8]) {
    let (path, host) = two(data);
    let Ok(uri) = Uri::try_from(path) else {
        return;
    };
    let builder = Request::builder().uri(uri.clone());
    let request = match poem::http::HeaderValue::from_bytes(host) {
        Ok(host) => builder.header(HOST, host).finish(),
        Err(_) => builder.finish(),
    };
    let address = RequestUrl::of(&request, None, "");
    let host = address.origin.strip_prefix("http://").unwrap();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    assert!(!host.is_empty() && host.bytes().all(plain), "{host}");
    assert!(uri.path().ends_with(&address.path) || address.path == "/");
    let Some(routed) = address.routed() else {
        return;
    };
    let again = RequestUrl {
        path: routed.path().to_owned(),
        ..address.clone()
    };
    assert_eq!(again.routed(), Some(routed.clone()));
    assert_eq!(routed.query().unwrap_or_default(), address.query);
}

/// A target has one host and one port and no credentials, and formatting and parsing it again
/// gives the same target.
pub fn webhook_urls(data: &[u8]) {
    let Ok(target) = WebhookTarget::parse(&text(data)) else {
        return;
    };
    assert!(!target.host.is_empty() && target.path.starts_with('/'));
    let plain = |character: char| !character.is_whitespace() && !character.is_control();
    assert!(target.host.chars().all(plain) && target.path.chars().all(plain));
    assert!(!target.host.contains(['@', '/']));
    let scheme = if target.secure { "https" } else { "http" };
    let again = format!("{scheme}://{}{}", target.authority(), target.path);
    assert_eq!(WebhookTarget::parse(&again), Ok(target), "{again}");
}
