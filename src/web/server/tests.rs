//! Tests connections from the client's side, with short timeouts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use poem::endpoint::make_sync;
use poem::{Endpoint, EndpointExt, Response};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::{ConnectionLimits, RequestMemory, serve};

/// Longer than any step of the tests takes.
const TIMEOUT: Duration = Duration::from_secs(60);

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: forge.test\r\n\r\n";

fn limits() -> ConnectionLimits {
    ConnectionLimits::for_clients(16, 1.0)
}

/// Serves an endpoint until the test ends, and connects to it.
async fn connect<E>(endpoint: E, limits: ConnectionLimits) -> TcpStream
where
    E: Endpoint<Output = Response> + 'static,
{
    connect_with(endpoint, limits, 64 << 20).await
}

/// Same as [`connect`], with a budget of bytes for all requests.
async fn connect_with<E>(endpoint: E, limits: ConnectionLimits, memory: usize) -> TcpStream
where
    E: Endpoint<Output = Response> + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let memory = Arc::new(RequestMemory::new(memory));
    let never = std::future::pending();
    tokio::spawn(serve(listener, endpoint.boxed(), limits, memory, never));
    TcpStream::connect(address).await.unwrap()
}

fn greeting() -> impl Endpoint<Output = Response> {
    make_sync(|_| Response::builder().body("hello"))
}

/// How long the server takes to close a connection.
async fn closed_after(stream: &mut TcpStream) -> Duration {
    let start = Instant::now();
    let mut rest = Vec::new();
    let closed = timeout(TIMEOUT, stream.read_to_end(&mut rest)).await;
    closed.expect("the connection stays open").unwrap();
    start.elapsed()
}

/// A client that got a connection always gets a response, whenever the listener closes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_cut_off_while_the_listener_closes() {
    use std::io::{Read, Write};

    for _ in 0..20 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let stopped = async { drop(stopped.await) };
        let server = tokio::spawn(serve(
            listener,
            greeting().boxed(),
            limits(),
            Arc::default(),
            stopped,
        ));
        let clients: Vec<_> = (0..8)
            .map(|_| {
                std::thread::spawn(move || {
                    let mut cut_off = 0;
                    let time_limit = Duration::from_millis(500);
                    while let Ok(mut peer) =
                        std::net::TcpStream::connect_timeout(&address, time_limit)
                    {
                        let head = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
                        let mut answer = String::new();
                        let _ = peer.write_all(head);
                        let read = peer.read_to_string(&mut answer);
                        cut_off += usize::from(read.is_err() || !answer.contains("hello"));
                    }
                    cut_off
                })
            })
            .collect();
        sleep(Duration::from_millis(30)).await;
        let _ = stop.send(());
        timeout(TIMEOUT, server).await.unwrap().unwrap();
        let cut_off: usize = clients.into_iter().map(|one| one.join().unwrap()).sum();
        assert_eq!(cut_off, 0);
    }
}

#[tokio::test]
async fn a_connection_that_sends_nothing_is_closed() {
    let limits = ConnectionLimits {
        first_request: Duration::from_millis(200),
        ..limits()
    };
    let mut stream = connect(greeting(), limits).await;
    assert!(closed_after(&mut stream).await >= Duration::from_millis(150));
}

#[tokio::test]
async fn a_connection_is_closed_when_nothing_more_is_asked() {
    let limits = ConnectionLimits {
        idle: Duration::from_millis(200),
        ..limits()
    };
    let mut stream = connect(greeting(), limits).await;
    stream.write_all(GET).await.unwrap();
    assert!(closed_after(&mut stream).await >= Duration::from_millis(150));
}

#[tokio::test]
async fn an_http2_connection_without_a_stream_is_closed() {
    let (short, long) = (Duration::from_secs(1), TIMEOUT * 2);
    for (requests, first_request) in [(0, short), (2, long)] {
        let limits = ConnectionLimits {
            first_request,
            idle: short,
            ..limits()
        };
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
        let outcome = timeout(TIMEOUT, connection).await;
        outcome
            .expect("the connection stays open")
            .unwrap()
            .unwrap();
        drop(sender);
    }
}

#[tokio::test]
async fn a_connection_that_waits_for_its_answer_stays_open() {
    let limits = ConnectionLimits {
        first_request: Duration::from_millis(700),
        idle: Duration::from_millis(700),
        ..limits()
    };
    let slow = poem::endpoint::make(|_| async {
        sleep(Duration::from_secs(2)).await;
        Ok::<_, poem::Error>(Response::builder().body("hello"))
    });
    let mut stream = connect(slow, limits).await;
    stream.write_all(GET).await.unwrap();
    let mut answer = String::new();
    let read = timeout(TIMEOUT, stream.read_to_string(&mut answer)).await;
    read.expect("the connection stays open").unwrap();
    assert!(answer.ends_with("hello"), "{answer}");
}

/// An HTTP/2 client with a flow control window of zero.
async fn without_a_window(stream: TcpStream) -> (SendRequest<Empty<Bytes>>, JoinHandle<()>) {
    let mut client = http2::Builder::new(TokioExecutor::new());
    let client = client.initial_stream_window_size(0);
    let (sender, connection) = client.handshake(TokioIo::new(stream)).await.unwrap();
    let connection = tokio::spawn(async move { drop(connection.await) });
    (sender, connection)
}

fn get(path: &str) -> hyper::Request<Empty<Bytes>> {
    let request = hyper::Request::get(format!("http://forge.test{path}"));
    request.body(Empty::new()).unwrap()
}

/// A body of as many bytes as the path says.
fn sized() -> impl Endpoint<Output = Response> {
    make_sync(|request| {
        let bytes = request.uri().path().trim_start_matches('/').parse();
        Response::builder().body(vec![b'a'; bytes.unwrap_or(0)])
    })
}

#[tokio::test]
async fn a_stream_that_takes_nothing_ends_its_connection() {
    let limits = ConnectionLimits {
        stall: Duration::from_secs(1),
        ..limits()
    };
    let (mut sender, connection) = without_a_window(connect(sized(), limits).await).await;
    let answer = sender.send_request(get("/1000000")).await.unwrap();
    assert_eq!(answer.status(), 200);
    let outcome = timeout(TIMEOUT, connection).await;
    outcome.expect("the connection stays open").unwrap();
}

#[tokio::test]
async fn an_answer_that_is_taken_too_slowly_ends_its_connection() {
    let limits = ConnectionLimits {
        stall: Duration::from_millis(300),
        bytes_per_second: 1e9,
        ..limits()
    };
    let whole = 64 << 20;
    let mut stream = connect(sized(), limits).await;
    let head = format!("GET /{whole} HTTP/1.1\r\nHost: forge.test\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let (mut read, mut buffer) = (0, vec![0; 64 * 1024]);
    let start = Instant::now();
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        read += count;
        assert!(start.elapsed() < TIMEOUT, "{read} bytes were sent");
        sleep(Duration::from_millis(10)).await;
    }
    assert!(read < whole, "all of it was sent");
}

#[tokio::test]
async fn a_connection_holds_no_more_than_its_share_of_answers() {
    let limits = ConnectionLimits {
        connection_bytes: 1_500_000,
        ..limits()
    };
    let (mut sender, _connection) = without_a_window(connect(sized(), limits).await).await;
    // A single response may have any size.
    let first = sender.send_request(get("/2000000")).await.unwrap();
    assert_eq!(first.status(), 200);
    let second = sender.send_request(get("/1")).await.unwrap();
    assert_eq!(second.status(), 503);
    assert_eq!(second.headers()["retry-after"], "1");
    drop(first);
    // A stream that the client resets has ended.
    let start = Instant::now();
    while sender.send_request(get("/1")).await.unwrap().status() != 200 {
        assert!(start.elapsed() < TIMEOUT, "it is still held");
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn answers_that_nobody_takes_leave_room_for_small_ones() {
    let stream = connect_with(sized(), limits(), 4_000_000).await;
    let address = stream.peer_addr().unwrap();
    let (mut greedy, _connection) = without_a_window(stream).await;
    let unread = greedy.send_request(get("/1500000")).await.unwrap();
    assert_eq!(unread.status(), 200);
    for (bytes, status) in [(1000, "200"), (1_000_000, "503"), (60_000, "200")] {
        let mut other = TcpStream::connect(address).await.unwrap();
        let head =
            format!("GET /{bytes} HTTP/1.1\r\nHost: forge.test\r\nConnection: close\r\n\r\n");
        other.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        other.read_to_string(&mut answer).await.unwrap();
        let expected = format!("HTTP/1.1 {status} ");
        assert!(answer.starts_with(&expected), "{bytes}: {}", &answer[..99]);
    }
}

#[tokio::test]
async fn a_write_is_always_acknowledged() {
    let stream = connect_with(sized(), limits(), 2_000_000).await;
    let address = stream.peer_addr().unwrap();
    let (mut greedy, _connection) = without_a_window(stream).await;
    let unread = greedy.send_request(get("/1000000")).await.unwrap();
    assert_eq!(unread.status(), 200);
    let mut other = TcpStream::connect(address).await.unwrap();
    let head = "POST /500000 HTTP/1.1\r\nHost: forge.test\r\nConnection: close\r\n\r\n";
    other.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    other.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{}", &answer[..99]);
}

#[tokio::test]
async fn an_http2_request_with_a_head_that_is_too_large_gets_431() {
    let stream = TokioIo::new(connect(greeting(), limits()).await);
    let handshake = http2::Builder::new(TokioExecutor::new()).handshake(stream);
    let (mut sender, connection) = handshake.await.unwrap();
    tokio::spawn(connection);
    for length in [20_000, 60_000] {
        let request = get(&format!("/{}", "a".repeat(length)));
        let answer = sender.send_request(request).await.unwrap();
        assert_eq!(answer.status(), 431);
        assert_eq!(sender.send_request(get("/")).await.unwrap().status(), 200);
    }
}
