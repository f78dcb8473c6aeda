//! Conditional requests: every successful response with a body has a validator, except very
//! long lists, and a GET for an unchanged version gets 304.
//!
//! The ETag is a digest of the body; a stream brings its own. If the request has both
//! validators, the ETag decides.

use std::time::SystemTime;

use poem::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use poem::{Body, Response};
use sha2::{Digest, Sha256};

use contract::problem::Problem;
use contract::reply::Streamed;
use storage::heavy;

/// Larger bodies are digested on a blocking thread.
const DIGESTED_IN_PLACE: usize = 1 << 20;

/// The conditions of a request.
pub struct Conditions(HeaderMap);

impl Conditions {
    /// Reads the conditions of a GET or HEAD; other methods have none.
    pub fn of(method: &Method, request: &HeaderMap) -> Self {
        let mut headers = HeaderMap::new();
        if matches!(*method, Method::GET | Method::HEAD) {
            for name in [header::IF_NONE_MATCH, header::IF_MODIFIED_SINCE] {
                for value in request.get_all(&name) {
                    headers.append(&name, value.clone());
                }
            }
        }
        Self(headers)
    }

    /// Replaces a response by 304 if the client already has it.
    pub fn apply(&self, response: &mut Response) -> ValidatorMatch {
        let headers = response.headers();
        let matched = match headers.get(header::ETAG) {
            Some(tag) if !self.0.is_empty() => validator_match(&self.0, headers, tag),
            _ => ValidatorMatch::No,
        };
        if matched != ValidatorMatch::No {
            response.set_status(StatusCode::NOT_MODIFIED);
            for name in [header::CONTENT_TYPE, header::CONTENT_ENCODING] {
                response.headers_mut().remove(name);
            }
            response.set_body(Body::empty());
        }
        matched
    }
}

/// Whether the client already has the current version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValidatorMatch {
    No,
    /// The condition also matches other versions (`*`, or a later time), so it does not
    /// prove that the client has read this one.
    Vague,
    /// The validator names exactly this version, so the client has read it.
    Exact,
}

/// Adds the ETag to a response with a body.
pub async fn tag(response: &mut Response) -> Result<(), Problem> {
    if response.data::<Streamed>().is_some() {
        return Ok(());
    }
    if !response.status().is_success() || response.status() == StatusCode::NO_CONTENT {
        return Ok(());
    }
    let bytes = response.take_body().into_bytes().await;
    let bytes = bytes.map_err(Problem::internal)?;
    let digest = if bytes.len() > DIGESTED_IN_PLACE {
        let body = bytes.clone();
        let digest = heavy::compute(move || Sha256::digest(&body)).await;
        digest.map_err(Problem::internal)?
    } else {
        Sha256::digest(&bytes)
    };
    let tag = format!("\"{}\"", hex::encode(digest));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response.set_body(Body::from_bytes(bytes));
    Ok(())
}

/// The time only counts without ETags. (The types of the `headers` crate do not fit: they
/// panic on a tag that is a single quotation mark.)
fn validator_match(request: &HeaderMap, response: &HeaderMap, tag: &HeaderValue) -> ValidatorMatch {
    let mut lists = request.get_all(header::IF_NONE_MATCH).iter().peekable();
    if lists.peek().is_some() {
        let tag = tag.to_str().unwrap_or_default();
        let lists = lists.filter_map(|value| value.to_str().ok());
        return lists
            .flat_map(|list| list.split(','))
            .map(|listed| tag_match(listed.trim(), tag))
            .max()
            .unwrap_or(ValidatorMatch::No);
    }
    let since = request.get(header::IF_MODIFIED_SINCE).and_then(time);
    let modified = response.get(header::LAST_MODIFIED).and_then(time);
    match (since, modified) {
        (Some(since), Some(modified)) if since == modified => ValidatorMatch::Exact,
        (Some(since), Some(modified)) if since > modified => ValidatorMatch::Vague,
        _ => ValidatorMatch::No,
    }
}

/// Compares weakly: `W/` is ignored.
fn tag_match(listed: &str, tag: &str) -> ValidatorMatch {
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    match listed.strip_prefix("W/").unwrap_or(listed) {
        strong if strong == tag => ValidatorMatch::Exact,
        "*" => ValidatorMatch::Vague,
        _ => ValidatorMatch::No,
    }
}

fn time(value: &HeaderValue) -> Option<SystemTime> {
    httpdate::parse_http_date(value.to_str().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn status(conditions: &[(header::HeaderName, &str)], method: Method) -> StatusCode {
        outcome(conditions, method).await.0
    }

    async fn outcome(
        conditions: &[(header::HeaderName, &str)],
        method: Method,
    ) -> (StatusCode, ValidatorMatch) {
        let mut request = HeaderMap::new();
        for (name, value) in conditions {
            request.append(name, value.parse().unwrap());
        }
        let mut response = Response::builder()
            .header(header::LAST_MODIFIED, "Tue, 10 Mar 2026 09:30:00 GMT")
            .body("abc");
        tag(&mut response).await.unwrap();
        let matched = Conditions::of(&method, &request).apply(&mut response);
        (response.status(), matched)
    }

    const TAG: &str = "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"";

    #[tokio::test]
    async fn a_known_tag_in_any_form_means_not_modified() {
        let weak = format!("W/{TAG}");
        let listed = format!("\"x\", {TAG}");
        for value in [TAG, &weak, &listed, "*"] {
            let status_code = status(&[(header::IF_NONE_MATCH, value)], Method::GET).await;
            assert_eq!(status_code, StatusCode::NOT_MODIFIED, "{value}");
        }
        for value in ["\"x\"", "\"", "W/\"", "W/", "", ",", TAG.trim_matches('"')] {
            let status_code = status(&[(header::IF_NONE_MATCH, value)], Method::GET).await;
            assert_eq!(status_code, StatusCode::OK, "{value}");
        }
    }

    #[tokio::test]
    async fn a_time_counts_only_where_no_tag_is_sent() {
        let at = |time: &'static str| (header::IF_MODIFIED_SINCE, time);
        let same = at("Tue, 10 Mar 2026 09:30:00 GMT");
        let earlier = at("Tue, 10 Mar 2026 09:29:59 GMT");
        assert_eq!(status(std::slice::from_ref(&same), Method::GET).await, 304);
        assert_eq!(status(&[earlier], Method::GET).await, 200);
        assert_eq!(
            status(&[same, (header::IF_NONE_MATCH, "\"x\"")], Method::GET).await,
            200
        );
        assert_eq!(status(&[at("yesterday")], Method::GET).await, 200);
    }

    #[tokio::test]
    async fn only_a_validator_of_this_version_shows_that_the_caller_has_it() {
        let listed = format!("*, {TAG}");
        for (name, value, expected) in [
            (header::IF_NONE_MATCH, TAG, ValidatorMatch::Exact),
            (header::IF_NONE_MATCH, &*listed, ValidatorMatch::Exact),
            (header::IF_NONE_MATCH, "*", ValidatorMatch::Vague),
            (header::IF_NONE_MATCH, "\"x\"", ValidatorMatch::No),
            (
                header::IF_MODIFIED_SINCE,
                "Tue, 10 Mar 2026 09:30:00 GMT",
                ValidatorMatch::Exact,
            ),
            (
                header::IF_MODIFIED_SINCE,
                "Tue, 10 Mar 2026 09:30:01 GMT",
                ValidatorMatch::Vague,
            ),
            (
                header::IF_MODIFIED_SINCE,
                "Tue, 10 Mar 2026 09:29:59 GMT",
                ValidatorMatch::No,
            ),
        ] {
            let (_, matched) = outcome(&[(name, value)], Method::GET).await;
            assert_eq!(matched, expected, "{value}");
        }
    }

    #[tokio::test]
    async fn a_change_is_never_conditional() {
        assert_eq!(
            status(&[(header::IF_NONE_MATCH, "*")], Method::PATCH).await,
            200
        );
    }
}
