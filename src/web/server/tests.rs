//! Connections as their peers see them, with limits that are short enough to wait for.

use std::time::{Duration, Instant};

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use poem::endpoint::make_sync;
use poem::{Endpoint, EndpointExt, Response};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use super::{Limits, serve};

/// Longer than anything here should take.
const PATIENCE: Duration = Duration::from_secs(10);

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: forge.test\r\n\r\n";

fn limits() -> Limits {
    Limits::for_clients(8, 1.0)
}

/// Serves an endpoint until the test ends, and connects to it.
async fn connect<E>(endpoint: E, limits: Limits) -> TcpStream
where
    E: Endpoint<Output = Response> + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let never = std::future::pending();
    tokio::spawn(serve(listener, endpoint.boxed(), limits, never));
    TcpStream::connect(address).await.unwrap()
}

fn greeting() -> impl Endpoint<Output = Response> {
    make_sync(|_| Response::builder().body("hello"))
}

/// How long it takes the server to close a connection.
async fn closed_after(stream: &mut TcpStream) -> Duration {
    let begun = Instant::now();
    let mut rest = Vec::new();
    let closed = timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
    closed.expect("the connection stays open").unwrap();
    begun.elapsed()
}

#[tokio::test]
async fn a_connection_that_sends_nothing_is_closed() {
    let limits = Limits {
        first_request: Duration::from_millis(200),
        ..limits()
    };
    let mut stream = connect(greeting(), limits).await;
    assert!(closed_after(&mut stream).await >= Duration::from_millis(150));
}

#[tokio::test]
async fn a_connection_is_closed_when_nothing_more_is_asked() {
    let limits = Limits {
        idle: Duration::from_millis(200),
        ..limits()
    };
    let mut stream = connect(greeting(), limits).await;
    stream.write_all(GET).await.unwrap();
    assert!(closed_after(&mut stream).await >= Duration::from_millis(150));
}

#[tokio::test]
async fn an_http2_connection_without_a_stream_is_closed() {
    let limits = Limits {
        first_request: Duration::from_millis(300),
        idle: Duration::from_millis(300),
        ..limits()
    };
    for requests in [0, 2] {
        let stream = TokioIo::new(connect(greeting(), limits).await);
        let handshake = http2::Builder::new(TokioExecutor::new()).handshake(stream);
        let (mut sender, connection) = handshake.await.unwrap();
        let connection = tokio::spawn(connection);
        for _ in 0..requests {
            let request = hyper::Request::get("http://forge.test/");
            let request = request.body(Empty::<Bytes>::new()).unwrap();
            let answer = sender.send_request(request).await.unwrap();
            assert_eq!(answer.status(), 200);
        }
        let ended = timeout(PATIENCE, connection).await;
        ended.expect("the connection stays open").unwrap().unwrap();
        drop(sender);
    }
}

#[tokio::test]
async fn a_connection_that_waits_for_its_answer_stays_open() {
    let limits = Limits {
        first_request: Duration::from_millis(50),
        idle: Duration::from_millis(50),
        ..limits()
    };
    let slow = poem::endpoint::make(|_| async {
        sleep(Duration::from_millis(400)).await;
        Ok::<_, poem::Error>(Response::builder().body("hello"))
    });
    let mut stream = connect(slow, limits).await;
    stream.write_all(GET).await.unwrap();
    let mut answer = String::new();
    let read = timeout(PATIENCE, stream.read_to_string(&mut answer)).await;
    read.expect("the connection stays open").unwrap();
    assert!(answer.ends_with("hello"), "{answer}");
}
