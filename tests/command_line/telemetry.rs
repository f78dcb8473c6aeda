//! The server exports spans to an OpenTelemetry collector, and an unreachable collector does
//! not block it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use crate::support::process::{ServerProcess, assert_fails, forgewright};

const TRACE: [u8; 16] = [
    0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36,
];

/// A request that a collector received: its head and its body.
struct Export {
    head: String,
    body: Vec<u8>,
}

impl Export {
    /// Receives one request and responds with 200.
    fn receive(mut stream: TcpStream) -> Self {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
        }
        let head = head.to_lowercase();
        let length = head.split("content-length: ").nth(1).unwrap();
        let length = length.lines().next().unwrap().parse().unwrap();
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let accepted = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(accepted).unwrap();
        Self { head, body }
    }

    fn contains(&self, bytes: &[u8]) -> bool {
        self.body.windows(bytes.len()).any(|part| part == bytes)
    }
}

/// Starts a collector; returns its URL and the export that it receives.
fn collector() -> (String, mpsc::Receiver<Export>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (send, received) = mpsc::channel();
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        send.send(Export::receive(stream)).unwrap();
    });
    (format!("http://{address}"), received)
}

#[test]
fn the_server_exports_the_spans_of_a_request_in_the_callers_trace() {
    let folder = tempfile::tempdir().unwrap();
    let (endpoint, received) = collector();
    let server = ServerProcess::start(folder.path(), &["--otlp-endpoint", &endpoint]);
    let traceparent = format!("00-{}-00f067aa0ba902b7-01", hex::encode(TRACE));
    let request = format!(
        "GET /orgs/acme/issue-fields HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Authorization: Bearer ghp_demo_alice_admin\r\nTraceparent: {traceparent}\r\n\r\n"
    );
    let response = server.send(request.as_bytes());
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert_eq!(server.stop("-TERM"), 0);
    // The server flushes its spans before it exits.
    let export = received.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(
        export.head.starts_with("post /v1/traces http/1.1"),
        "{}",
        export.head
    );
    for part in [
        "forgewright",
        "request",
        "access",
        "query",
        "render",
        "list_issue_fields",
        "cache",
    ] {
        assert!(export.contains(part.as_bytes()), "{part}");
    }
    assert!(export.contains(&TRACE), "the caller's trace");
    assert!(!export.contains(b"ghp_demo_alice_admin"), "a token");
}

#[test]
fn an_unreachable_collector_does_not_block_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let gone = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    let server = ServerProcess::start(folder.path(), &["--otlp-endpoint", &endpoint]);
    assert_eq!(server.get("/meta", None).0, 200);
    assert_eq!(server.stop("-TERM"), 0);
}

#[test]
fn an_endpoint_that_is_not_a_url_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let output = forgewright(folder.path())
        .args(["--otlp-endpoint", "localhost:4317"])
        .output()
        .unwrap();
    assert_fails(&output, 2, &["--otlp-endpoint", "must be http or https"]);
}
