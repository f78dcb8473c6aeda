//! Cheap requests get cheap responses: no denial of service by a small request.

use std::time::Duration;

use poem::http::Method;
use serde_json::{Value, json};

use super::{alice, start};
use crate::harness::{Answer, Service};
use crate::support::processor_time::{in_own_process, within};

/// The processor time of a request. An optimized build takes milliseconds, a debug build longer.
const LIMIT: Duration = Duration::from_secs(5);

async fn send_within_limit(
    service: &Service,
    method: Method,
    path: &str,
    body: Option<String>,
) -> Answer {
    let request = format!("{path} {}", body.as_deref().unwrap_or_default());
    let request: String = request.chars().take(120).collect();
    let client = alice(service);
    let answer = within(LIMIT, &request, client.send(method, path, body)).await;
    assert!(answer.status.as_u16() < 500, "{request}: {}", answer.text);
    answer
}

#[tokio::test]
async fn deep_and_large_pages_are_cheap() {
    in_own_process(async || {
        let service = start().await;
        for list in [
            "/repos/acme/gadgets/pulls/comments",
            "/repos/acme/gadgets/pulls/1/comments",
            "/orgs/acme/projectsV2/1/fields",
            "/user/installations",
        ] {
            for query in [
                "page=9223372036854775807&per_page=9223372036854775807",
                "page=18446744073709551616&per_page=-1",
                "page=2&page=3&per_page=1&per_page=100",
                "since=9999-12-31T23:59:59Z&sort=updated&direction=desc&page=100000",
            ] {
                send_within_limit(&service, Method::GET, &format!("{list}?{query}"), None).await;
            }
        }
        let long = "a/".repeat(4000);
        let path = format!("/repos/acme/gadgets/git/matching-refs/{long}");
        let answer = send_within_limit(&service, Method::GET, &path, None)
            .await
            .expect(200);
        assert_eq!(answer.json(), json!([]));
    })
    .await;
}

#[tokio::test]
async fn a_body_with_many_errors_gets_a_short_response_quickly() {
    in_own_process(async || {
        let service = start().await;
        let numbers: Vec<_> = (100_000..230_000).collect();
        let keys = (0..60_000).map(|number| (format!("p{number}"), Value::from(number)));
        let permissions: serde_json::Map<_, _> = keys.collect();
        let bodies = [
            (
                "/orgs/acme/issue-fields",
                json!({"name": "x", "data_type": "single_select", "options": numbers}),
            ),
            (
                "/orgs/acme/projectsV2/1/fields",
                json!({"name": "x", "data_type": "single_select", "single_select_options": numbers}),
            ),
            (
                "/orgs/acme/projectsV2/1/fields",
                json!({"name": "x", "data_type": "iteration", "iteration_configuration": {"iterations": numbers}}),
            ),
            ("/orgs/acme/issue-fields", Value::Object(permissions)),
        ];
        for (path, body) in bodies {
            let body = body.to_string();
            assert!(body.len() < 1 << 20);
            let answer = send_within_limit(&service, Method::POST, path, Some(body.clone())).await;
            let answer = answer.expect(422);
            assert!(answer.text.len() < 2 * body.len(), "{}", answer.text.len());
        }
        let nested = format!("{{\"name\":{}", "[".repeat(500_000));
        send_within_limit(
            &service,
            Method::POST,
            "/orgs/acme/issue-fields",
            Some(nested),
        )
        .await
        .expect(400);
    })
    .await;
}

/// Millions of small values fit into the body of a file.
#[tokio::test]
async fn a_body_with_too_many_values_is_400_before_it_is_parsed() {
    let service = start().await;
    let path = "/repos/acme/gadgets/git/blobs";
    for (value, count) in [
        ("1,", 10_000_000),
        ("[],", 5_000_000),
        ("\"\":1,", 4_000_000),
    ] {
        let (open, close) = match value.contains(':') {
            true => ('{', '}'),
            false => ('[', ']'),
        };
        let values = value.repeat(count);
        let values = values.trim_end_matches(',');
        let body = format!(r#"{{"content": "", "more": {open}{values}{close}}}"#);
        let answer = alice(&service)
            .send(Method::POST, path, Some(body))
            .await
            .expect(400);
        let message = "The body has more than 250000 values";
        assert_eq!(answer.json()["message"], message);
    }
    // What looks like a value within a string is none.
    let body = json!({"content": "[1,".repeat(300_000)}).to_string();
    let answer = alice(&service).send(Method::POST, path, Some(body)).await;
    answer.expect(201);
}

/// A unit test of the renderer covers the longest comments.
#[tokio::test]
async fn no_comment_takes_long_to_render() {
    in_own_process(async || {
        let service = start().await;
        let comments = "/repos/acme/gadgets/pulls/1/comments";
        let root = alice(&service).get(comments).await.expect(200).json()[0]["id"].clone();
        for (piece, end) in [
            ("> ", "a"),
            ("[", "]"),
            ("![a](", ""),
            ("*a _b ", ""),
            ("`a``b", "`"),
            ("<b>", ""),
            ("<a href=x>\n\n", ""),
            ("| a ", "|\n|-|\n"),
            ("- a\n  ", ""),
            ("@alice ", ""),
            ("&amp", ";"),
            ("[a]: b\n", "[a]"),
        ] {
            let body = format!("{}{end}", piece.repeat(8000 / piece.len()));
            let body = json!({"body": body, "in_reply_to": root}).to_string();
            let answer = send_within_limit(&service, Method::POST, comments, Some(body)).await;
            answer.expect(201);
        }
    })
    .await;
}
