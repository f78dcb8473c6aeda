//! Single requests, each over its own connection: to record responses, to wait for a server,
//! and to read its metrics. `load.rs` generates the load.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A response as it went over the wire, for the baselines to replay.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Recorded {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Recorded {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

#[derive(Debug, Clone)]
pub struct Request {
    pub method: &'static str,
    pub path: String,
    pub token: String,
    pub body: Option<String>,
}

impl Request {
    pub fn get(path: &str, token: &str) -> Self {
        Self {
            method: "GET",
            path: path.to_owned(),
            token: token.to_owned(),
            body: None,
        }
    }
}

/// Sends a request, and panics with the response unless it is a success.
pub fn record(address: &str, request: &Request) -> Recorded {
    let response = send(address, request).unwrap_or_else(|error| panic!("{request:?}: {error}"));
    assert!(
        (200..300).contains(&response.status),
        "{request:?} returned {response:?}"
    );
    response
}

pub fn send(address: &str, request: &Request) -> std::io::Result<Recorded> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let body = request.body.clone().unwrap_or_default();
    let head = format!(
        "{} {} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        request.method,
        request.path,
        request.token,
        body.len()
    );
    stream.write_all((head + &body).as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    Ok(parse(&String::from_utf8_lossy(&bytes)))
}

fn parse(text: &str) -> Recorded {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    // The baselines set these themselves.
    let skipped = ["connection", "content-length", "date", "transfer-encoding"];
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .filter(|(name, _)| !skipped.contains(&name.to_ascii_lowercase().as_str()))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    Recorded {
        status: status.and_then(|status| status.parse().ok()).unwrap_or(0),
        headers,
        body: body.to_owned(),
    }
}
