//! Requests: pages, repetitions, rate limits, and a server that lies. No test waits.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod support;

use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use forgewright_import::client::{ApiAnswer, ApiClient, RequestFailed};
use forgewright_import::{AnswerStore, Api};
use serde_json::{Value, json};
use support::{Server, TOKEN, client, respond};
use url::Url;

const JSON: fn(&[u8]) -> Result<(), String> = |body| {
    let parsed: Result<Value, _> = serde_json::from_slice(body);
    parsed.map(drop).map_err(|error| error.to_string())
};

async fn get(client: &ApiClient, origin: &str) -> Result<ApiAnswer, RequestFailed> {
    let url = Url::parse(origin).unwrap().join("/thing").unwrap();
    client.get(&url, None, &JSON).await
}

/// A server that gives these answers, one after the other, and then the last again.
fn scripted(answers: Vec<(&'static str, String, &'static str)>) -> Server {
    let next = Mutex::new(0);
    Server::start(move |_, _, stream| {
        let mut next = next.lock().unwrap();
        let (status, headers, body) = &answers[(*next).min(answers.len() - 1)];
        *next += 1;
        respond(stream, status, headers, body)
    })
}

fn none() -> String {
    String::new()
}

#[tokio::test]
async fn failures_are_repeated_with_growing_waits() {
    let server = scripted(vec![
        ("502 Bad Gateway", none(), "<html>"),
        ("200 OK", none(), "{\"cut"),
        ("503 Service Unavailable", "Retry-After: 9\r\n".into(), ""),
        ("200 OK", none(), "{}"),
    ]);
    let (client, pace) = client(&server.origin);
    assert!(matches!(
        get(&client, &server.origin).await,
        Ok(ApiAnswer::Whole(_))
    ));
    let waits: Vec<u64> = pace
        .waits
        .lock()
        .unwrap()
        .iter()
        .map(Duration::as_secs)
        .collect();
    assert_eq!(waits, [1, 2, 9]);
}

#[tokio::test]
async fn a_connection_that_breaks_is_repeated_and_then_given_up() {
    let server = Server::start(|_, _, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"half")
    });
    let (client, pace) = client(&server.origin);
    let error = get(&client, &server.origin).await.unwrap_err().to_string();
    assert!(
        error.contains("the connection broke") && error.contains("6 times"),
        "{error}"
    );
    assert_eq!(server.targets().len(), 6);
    assert_eq!(pace.waits.lock().unwrap().len(), 5);
}

#[tokio::test]
async fn rate_limits_are_waited_for() {
    let reset = "X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 120\r\n";
    let secondary = r#"{"message": "You have exceeded a secondary rate limit."}"#;
    let server = scripted(vec![
        ("429 Too Many Requests", "Retry-After: 7\r\n".into(), "{}"),
        ("403 Forbidden", none(), secondary),
        ("403 Forbidden", reset.into(), "{}"),
        ("200 OK", none(), "{}"),
    ]);
    let (client, pace) = client(&server.origin);
    assert!(matches!(
        get(&client, &server.origin).await,
        Ok(ApiAnswer::Whole(_))
    ));
    let waits: Vec<u64> = pace
        .waits
        .lock()
        .unwrap()
        .iter()
        .map(Duration::as_secs)
        .collect();
    assert_eq!(waits, [7, 60, 120 - 67 + 1]);
}

#[tokio::test]
async fn an_exhausted_limit_is_waited_for_before_the_next_request() {
    let last = "X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 30\r\n";
    let server = scripted(vec![
        ("200 OK", last.into(), "{}"),
        ("200 OK", none(), "{}"),
    ]);
    let (client, pace) = client(&server.origin);
    get(&client, &server.origin).await.unwrap();
    assert!(pace.waits.lock().unwrap().is_empty());
    get(&client, &server.origin).await.unwrap();
    assert_eq!(pace.now.load(Ordering::SeqCst), 31);
}

#[tokio::test]
async fn a_limit_without_end_is_given_up() {
    for (headers, reason) in [
        (
            "Retry-After: 86400\r\n",
            "86400 seconds; run the same command again",
        ),
        (
            "Retry-After: 18446744073709551615\r\n",
            "limits the request even after 5 waits",
        ),
        (
            "Retry-After: 1\r\n",
            "limits the request even after 5 waits",
        ),
    ] {
        let server = scripted(vec![("429 Too Many Requests", headers.into(), "{}")]);
        let (client, _) = client(&server.origin);
        let error = get(&client, &server.origin).await.unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[tokio::test]
async fn the_token_goes_to_no_other_origin() {
    let other = Server::with(|_, _| Some(json!([])));
    let target = other.origin.clone();
    let elsewhere = target.clone();
    let server = Server::start(move |_, request, stream| match request.target.as_str() {
        "/thing" => respond(
            stream,
            "302 Found",
            &format!("Location: {target}/thing\r\n"),
            "",
        ),
        _ => {
            let link = format!("Link: <{elsewhere}/list?page=2>; rel=\"next\"\r\n");
            respond(stream, "200 OK", &link, "[]")
        }
    });
    let (client, _) = client(&server.origin);
    let error = get(&client, &server.origin).await.unwrap_err().to_string();
    assert!(error.contains("which the token is not for"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let store = AnswerStore::open(folder.path(), &server.origin).unwrap();
    let api = Api { client, store };
    let error = api
        .all::<Vec<Value>>(&["list"], &[])
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("which the token is not for"), "{error}");
    assert_eq!(other.targets(), Vec::<String>::new());
    let requests = server.requests.lock().unwrap();
    let authorization = format!("authorization: bearer {TOKEN}");
    assert!(
        requests
            .iter()
            .all(|request| request.head.contains(&authorization))
    );
}

#[tokio::test]
async fn a_redirect_within_the_server_is_followed_but_not_for_ever() {
    let server = Server::start(|_, request, stream| match request.target.as_str() {
        "/thing" => respond(stream, "301 Moved", "Location: /moved\r\n", ""),
        "/moved" => respond(stream, "200 OK", "", "{}"),
        _ => respond(stream, "301 Moved", "Location: /loop\r\n", ""),
    });
    let (client, _) = client(&server.origin);
    assert!(matches!(
        get(&client, &server.origin).await,
        Ok(ApiAnswer::Whole(_))
    ));
    let url = Url::parse(&server.origin).unwrap().join("/loop").unwrap();
    let error = client.get(&url, None, &JSON).await.unwrap_err().to_string();
    assert!(error.contains("redirects more than 5 times"), "{error}");
}

#[tokio::test]
async fn an_error_does_not_have_the_token() {
    let body = format!(r#"{{"message": "bad {TOKEN}"}}"#);
    let body: &'static str = body.leak();
    for status in ["401 Unauthorized", "418 Teapot", "500 Error", "302 Found"] {
        let headers = format!("Location: http://127.0.0.1:1/{TOKEN}\r\n");
        let server = scripted(vec![(status, headers, body)]);
        let (client, _) = client(&server.origin);
        let error = get(&client, &server.origin).await.unwrap_err().to_string();
        assert!(!error.contains(TOKEN), "{error}");
    }
}

#[tokio::test]
async fn a_body_without_end_is_cut_off() {
    let server = Server::start(|_, _, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n[")?;
        let zeros = vec![b' '; 1 << 20];
        (0..10_000).try_for_each(|_| stream.write_all(&zeros))
    });
    let (client, _) = client(&server.origin);
    let error = get(&client, &server.origin).await.unwrap_err().to_string();
    assert!(error.contains("larger than 32 MiB"), "{error}");
    assert_eq!(server.targets().len(), 1);
}

/// An API on a server, in a folder of its own.
fn api(server: &Server) -> (Api, tempfile::TempDir, Arc<support::TestPace>) {
    let folder = tempfile::tempdir().unwrap();
    let store = AnswerStore::open(folder.path(), &server.origin).unwrap();
    let (client, pace) = client(&server.origin);
    (Api { client, store }, folder, pace)
}

async fn list(server: &Server) -> Result<Vec<Value>, String> {
    let (api, _folder, _) = api(server);
    let all = api.all::<Vec<Value>>(&["list"], &[]).await;
    all.map(Result::unwrap).map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_list_without_end_is_an_error() {
    let server = Server::start(|_, request, stream| {
        let page: u64 = request
            .target
            .split("page=")
            .last()
            .unwrap()
            .parse()
            .unwrap_or(1);
        let link = format!("Link: </list?page={}>; rel=\"next\"\r\n", page + 1);
        respond(stream, "200 OK", &link, "[1]")
    });
    let error = list(&server).await.unwrap_err();
    assert!(error.contains("more than 1000 pages"), "{error}");
    assert_eq!(server.targets().len(), 1_000);
}

#[tokio::test]
async fn a_list_that_leads_back_is_an_error() {
    let server = Server::start(|_, _, stream| {
        respond(
            stream,
            "200 OK",
            "Link: </list?page=2>; rel=\"next\"\r\n",
            "[1]",
        )
    });
    let error = list(&server).await.unwrap_err();
    assert!(error.contains("leads back to a page before"), "{error}");
    assert_eq!(server.targets().len(), 2);
}

#[tokio::test]
async fn a_body_of_another_type_is_an_error() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for body in ["{}", "null", "7", "", "<html>", &deep] {
        let body: &'static str = body.to_owned().leak();
        let server = scripted(vec![("200 OK", none(), body)]);
        let error = list(&server).await.unwrap_err();
        assert!(
            error.contains("the answer is not what it should be"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_page_is_asked_for_once_and_later_only_confirmed() {
    let server = Server::start(|_, request, stream| {
        let tag = "ETag: \"one\"\r\n";
        match (
            request.target.contains("page=2"),
            request.head.contains("if-none-match: \"one\""),
        ) {
            (_, true) => respond(stream, "304 Not Modified", tag, ""),
            (true, _) => respond(stream, "200 OK", tag, "[2]"),
            (false, _) => {
                let link = "Link: </list?per_page=100&page=2>; rel=\"next\"\r\n";
                respond(stream, "200 OK", &format!("{tag}{link}"), "[1]")
            }
        }
    });
    let (first, folder, _) = api(&server);
    let all = first
        .all::<Vec<Value>>(&["list"], &[])
        .await
        .unwrap()
        .unwrap();
    assert_eq!(all, [1, 2]);
    drop(first);
    let reopened = || {
        let store = AnswerStore::open(folder.path(), &server.origin).unwrap();
        let (client, _) = client(&server.origin);
        Api { client, store }
    };
    let second = reopened();
    let again = second
        .all::<Vec<Value>>(&["list"], &[])
        .await
        .unwrap()
        .unwrap();
    assert_eq!((again.len(), server.targets().len()), (2, 2));
    second.store.finish().unwrap();
    let third = reopened();
    let later = third
        .all::<Vec<Value>>(&["list"], &[])
        .await
        .unwrap()
        .unwrap();
    assert_eq!((later.len(), server.targets().len()), (2, 4));
    assert!(
        server.requests.lock().unwrap()[2]
            .head
            .contains("if-none-match")
    );
}
