//! Bytes that are not HTTP, and oversized headers, also get the standard error body, although
//! no handler sees them (`src/web/server/explained.rs`).

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::support::process::ServerProcess;

#[track_caller]
fn assert_refused(response: &str, status: &str) {
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let starts = |version: &str| head.starts_with(&format!("HTTP/{version} {status} "));
    assert!(starts("1.1") || starts("1.0"), "{head}");
    for header in [
        "content-type: application/json; charset=utf-8",
        "connection: close",
        "x-content-type-options: nosniff",
        &format!("content-length: {}", body.len()),
    ] {
        let found = head.lines().filter(|line| *line == header).count();
        assert_eq!(found, 1, "{header}: {head}");
    }
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["status"], status);
    assert_eq!(body["documentation_url"], "https://docs.github.com/rest");
    assert!(body["message"].is_string());
}

#[test]
fn bytes_that_are_not_http_get_400_with_the_standard_body() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path(), &[]);
    for bytes in [
        "nonsense\r\n\r\n",
        "GET / HTTP/7.3\r\n\r\n",
        "GET /\u{7f} \u{1} HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nNo colon\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ] {
        assert_refused(&server.send(bytes.as_bytes()), "400");
    }
}

#[test]
fn a_request_without_a_host_or_with_two_gets_400_with_the_standard_body() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path(), &[]);
    for bytes in [
        "GET /versions HTTP/1.1\r\n\r\n",
        "GET http://a/versions HTTP/1.1\r\n\r\n",
        "GET /versions HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET /versions HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    ] {
        assert_refused(&server.send(bytes.as_bytes()), "400");
    }
    let old = server.send(b"GET /versions HTTP/1.0\r\n\r\n");
    assert!(old.starts_with("HTTP/1.0 200 "), "{old}");
}

#[test]
fn a_valid_request_is_answered_before_a_malformed_one_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path(), &[]);
    let responses = server.send(b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n");
    let (first, second) = responses.split_once("\r\n\r\n").unwrap();
    assert!(first.starts_with("HTTP/1.1 200 "), "{first}");
    assert_refused(second, "400");
}

/// The server responds before it has read everything. The client must still get the response.
#[test]
fn headers_that_are_too_large_or_too_many_and_paths_that_are_too_long_get_431() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path(), &[]);
    let large = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(300_000));
    assert_refused(&server.send(large.as_bytes()), "431");
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "X: a\r\n".repeat(500));
    assert_refused(&server.send(many.as_bytes()), "431");
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(100_000));
    assert_refused(&server.send(long.as_bytes()), "431");
}

#[test]
fn a_path_that_is_too_long_gets_431_on_a_reused_connection_too() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path(), &[]);
    for length in [65_535, 65_600, 70_000, 100_000, 300_000] {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream
            .write_all(b"HEAD /versions HTTP/1.1\r\nHost: a\r\n\r\n")
            .unwrap();
        let mut first = Vec::new();
        while !first.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            first.push(byte[0]);
        }
        assert!(first.starts_with(b"HTTP/1.1 200 "));
        let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(length));
        // The server may refuse it before all of it is written.
        let _ = stream.write_all(long.as_bytes());
        let mut second = String::new();
        stream.read_to_string(&mut second).unwrap();
        assert_refused(&second, "431");
    }
}
