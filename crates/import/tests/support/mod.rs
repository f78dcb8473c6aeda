//! A server that answers as a test says, and time that passes only when someone waits.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use forgewright_import::client::ApiClient;
use forgewright_import::client::pace::ClientPace;
use forgewright_import::progress::Progress;
use forgewright_import::token::ApiToken;
use serde_json::Value;

pub const TOKEN: &str = "ghp_the_secret_of_this_test";

/// What a request has: its target, and its head in lower case.
#[derive(Debug, Clone)]
pub struct Request {
    pub target: String,
    pub head: String,
}

/// A server on a port of its own, one connection for each request.
pub struct Server {
    pub origin: String,
    pub requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub fn start(
        answer: impl Fn(&str, &Request, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, base) = (requests.clone(), origin.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = serve(stream, &log, &base, &answer);
            }
        });
        Self { origin, requests }
    }

    /// A server with these answers in JSON, by target.
    pub fn with(answers: impl Fn(&str, &str) -> Option<Value> + Send + Sync + 'static) -> Self {
        Self::start(
            move |origin, request, stream| match answers(origin, &request.target) {
                Some(body) => respond(stream, "200 OK", "", &body.to_string()),
                None => respond(stream, "404 Not Found", "", r#"{"message": "Not Found"}"#),
            },
        )
    }

    pub fn targets(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests
            .iter()
            .map(|request| request.target.clone())
            .collect()
    }
}

fn serve(
    mut stream: TcpStream,
    log: &Mutex<Vec<Request>>,
    origin: &str,
    answer: &impl Fn(&str, &Request, &mut TcpStream) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let target = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut head = String::new();
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        head.push_str(&line.to_lowercase());
        head.push('\n');
    }
    let request = Request { target, head };
    log.lock().unwrap().push(request.clone());
    answer(origin, &request, &mut stream)
}

pub fn respond(
    stream: &mut TcpStream,
    status: &str,
    headers: &str,
    body: &str,
) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
}

/// Waits are recorded, and move the time.
#[derive(Default)]
pub struct TestPace {
    pub now: AtomicI64,
    pub waits: Mutex<Vec<Duration>>,
}

#[async_trait]
impl ClientPace for TestPace {
    fn now(&self) -> i64 {
        self.now.load(Ordering::SeqCst)
    }

    async fn wait(&self, time: Duration) {
        let seconds = i64::try_from(time.as_secs()).unwrap();
        self.now.fetch_add(seconds, Ordering::SeqCst);
        self.waits.lock().unwrap().push(time);
    }

    fn chance(&self) -> f64 {
        0.0
    }
}

pub struct Silent;

impl Progress for Silent {
    fn step(&self, _: &str) {}

    fn done(&self, _: usize, _: Option<usize>) {}

    fn retrying(&self, _: &str, _: Duration) {}

    fn limited(&self, _: Duration) {}
}

pub fn client(origin: &str) -> (ApiClient, Arc<TestPace>) {
    let pace = Arc::new(TestPace::default());
    let token = ApiToken::new(TOKEN).unwrap();
    let client = ApiClient::new(
        origin.parse().unwrap(),
        Some(token),
        pace.clone(),
        Arc::new(Silent),
    );
    (client.unwrap(), pace)
}
