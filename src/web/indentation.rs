//! Indents JSON for people: for `curl`, as GitHub does, and for `?pretty`. `?pretty=0`
//! disables it.

use bytes::Bytes;
use poem::http::header;
use poem::{Body, Request, Response};
use serde_json::Value;

use contract::problem::Problem;
use contract::reply::Streamed;
use storage::heavy;

/// Longer bodies are not indented: nobody reads them in a terminal.
const MAX_BYTES: usize = 1 << 20;

/// Larger bodies are indented on a blocking thread, with a permit.
const MAX_BYTES_IN_PLACE: usize = 64 * 1024;

/// Whether a request asks for indented JSON.
pub fn is_requested(request: &Request) -> bool {
    let parameters = request.uri().query().unwrap_or_default().split('&');
    let mut requested = parameters.filter_map(|parameter| match parameter.split_once('=') {
        None if parameter == "pretty" => Some(true),
        Some(("pretty", value)) => Some(!matches!(value, "0" | "false")),
        _ => None,
    });
    let agent = request.headers().get(header::USER_AGENT);
    let curl = || agent.is_some_and(|agent| agent.as_bytes().starts_with(b"curl/"));
    requested.next().unwrap_or_else(curl)
}

/// Indents a body of JSON.
pub async fn indent(response: &mut Response) -> Result<(), Problem> {
    let is_json = response
        .content_type()
        .is_some_and(|media| media.starts_with("application/json"));
    if !is_json || response.data::<Streamed>().is_some() {
        return Ok(());
    }
    let bytes = response.take_body().into_bytes().await;
    let bytes = bytes.map_err(Problem::internal)?;
    response.set_body(match bytes.len() {
        1..MAX_BYTES_IN_PLACE => indented(bytes),
        MAX_BYTES_IN_PLACE..=MAX_BYTES => {
            let indenting = heavy::compute(move || indented(bytes));
            indenting.await.map_err(Problem::internal)?
        }
        _ => Body::from_bytes(bytes),
    });
    Ok(())
}

/// A body that is not JSON stays as it is.
fn indented(bytes: Bytes) -> Body {
    let indented = serde_json::from_slice::<Value>(&bytes)
        .and_then(|body| serde_json::to_string_pretty(&body));
    match indented {
        Ok(indented) => Body::from_string(indented + "\n"),
        Err(_) => Body::from_bytes(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curl_and_pretty_ask_for_it_and_the_query_decides() {
        for (uri, agent, expected) in [
            ("/user", "curl/8.5.0", true),
            ("/user", "octokit-core.js/6.1.2", false),
            ("/user?pretty", "octokit-core.js/6.1.2", true),
            ("/user?page=2&pretty=true", "", true),
            ("/user?pretty=0", "curl/8.5.0", false),
            ("/user?pretty=false", "curl/8.5.0", false),
            ("/user?prettyish", "", false),
        ] {
            let request = Request::builder().uri_str(uri).header("user-agent", agent);
            assert_eq!(is_requested(&request.finish()), expected, "{uri} {agent}");
        }
    }

    #[tokio::test]
    async fn only_json_is_indented() {
        for (media, body, expected) in [
            (
                "application/json; charset=utf-8",
                r#"{"b":[1.5,"ü"],"a":{}}"#,
                "{\n  \"b\": [\n    1.5,\n    \"ü\"\n  ],\n  \"a\": {}\n}\n",
            ),
            ("application/json", "", ""),
            ("text/plain", r#"{"a":1}"#, r#"{"a":1}"#),
        ] {
            let mut response = Response::builder().content_type(media).body(body);
            indent(&mut response).await.unwrap();
            assert_eq!(response.into_body().into_string().await.unwrap(), expected);
        }
    }
}
