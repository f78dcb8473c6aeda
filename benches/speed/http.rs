//! One request over a connection of its own: to record answers, to wait for a
//! server, and to look at what it says. The load comes from `load.rs`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// An answer as it went over the wire, to be given again by the yardsticks.
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

/// What is asked, by the server's paths.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: &'static str,
    pub path: String,
    pub token: String,
    pub body: Option<String>,
}

impl Asked {
    pub fn get(path: &str, token: &str) -> Self {
        Self {
            method: "GET",
            path: path.to_owned(),
            token: token.to_owned(),
            body: None,
        }
    }
}

/// Asks once, and panics with the answer unless it is a success.
pub fn record(address: &str, asked: &Asked) -> Recorded {
    let answer = ask(address, asked).unwrap_or_else(|error| panic!("{asked:?}: {error}"));
    assert!(
        (200..300).contains(&answer.status),
        "{asked:?} was answered with {answer:?}"
    );
    answer
}

pub fn ask(address: &str, asked: &Asked) -> std::io::Result<Recorded> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let body = asked.body.clone().unwrap_or_default();
    let head = format!(
        "{} {} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        asked.method,
        asked.path,
        asked.token,
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
    let own = ["connection", "content-length", "date", "transfer-encoding"];
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .filter(|(name, _)| !own.contains(&name.to_ascii_lowercase().as_str()))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    Recorded {
        status: status.and_then(|status| status.parse().ok()).unwrap_or(0),
        headers,
        body: body.to_owned(),
    }
}
