//! Sends the same requests to all servers, and fails at the first response that differs.

use std::fmt::Write;

use super::super::servers::caller;
use crate::support::server::{Answer, Server};

/// Headers that differ between requests.
const VARYING_HEADERS: [&str; 3] = ["date", "x-github-request-id", "x-ratelimit-"];

pub struct Comparison {
    /// Tokens and paths.
    requests: Vec<(&'static str, String)>,
    /// The last response to each request, from the server without a cache.
    last: Vec<Compared>,
    /// The steps so far.
    history: Vec<String>,
    /// The number of comparisons in which at least one response had changed.
    changed: usize,
}

/// The parts of a response that must be equal.
#[derive(Clone, PartialEq, Eq)]
struct Compared {
    status: u16,
    headers: Vec<(String, String)>,
    text: String,
}

impl Compared {
    fn tag(&self) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(name, _)| name == "etag");
        found.map(|(_, value)| value.as_str())
    }
}

impl From<Answer> for Compared {
    fn from(response: Answer) -> Self {
        let mut headers: Vec<_> = response
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .filter(|(name, _)| !VARYING_HEADERS.iter().any(|own| name.starts_with(own)))
            .collect();
        headers.sort();
        Self {
            status: response.status.as_u16(),
            headers,
            text: response.text,
        }
    }
}

impl Comparison {
    pub fn of(requests: Vec<(&'static str, String)>) -> Self {
        Self {
            requests,
            last: Vec::new(),
            history: Vec::new(),
            changed: 0,
        }
    }

    pub fn begin(&mut self, number: usize, step: &str) {
        self.history.push(format!("{number}: {step}"));
    }

    /// Fills the caches and ignores the responses.
    pub async fn read(&self, servers: &[Server]) {
        for (token, path) in self.requests.iter().step_by(5) {
            for server in servers {
                caller(server, token).get(path).await;
            }
        }
    }

    /// With `conditional`, each request has the ETag of the last response.
    pub async fn compare(&mut self, servers: &[Server; 3], conditional: bool, after: &str) {
        let tags = conditional.then_some(self.last.as_slice());
        let [first, second, reference] = servers;
        let (first, second, reference) = tokio::join!(
            self.responses(first, tags),
            self.responses(second, tags),
            self.responses(reference, tags),
        );
        for (number, expected) in reference.iter().enumerate() {
            for (server, responses) in [&first, &second].into_iter().enumerate() {
                if &responses[number] != expected {
                    let message = self.difference(number, &responses[number], expected);
                    panic!("server {server} differs after {after}:\n{message}");
                }
            }
        }
        self.store(reference);
    }

    /// Stores the responses for the conditional requests of the next comparison.
    fn store(&mut self, responses: Vec<Compared>) {
        if self.last.is_empty() {
            self.last = responses;
            return;
        }
        let mut changed = false;
        for (last, response) in self.last.iter_mut().zip(responses) {
            if response.status != 304 {
                changed |= (last.status, &last.text) != (response.status, &response.text);
                *last = response;
            }
        }
        self.changed += usize::from(changed);
    }

    async fn responses(&self, server: &Server, known: Option<&[Compared]>) -> Vec<Compared> {
        let mut responses = Vec::with_capacity(self.requests.len());
        for (number, (token, path)) in self.requests.iter().enumerate() {
            let known = known.and_then(|known| known.get(number));
            let mut client = caller(server, token);
            if let Some(tag) = known.and_then(Compared::tag) {
                client = client.header("If-None-Match", tag);
            }
            responses.push(client.get(path).await.into());
        }
        responses
    }

    fn difference(&self, number: usize, found: &Compared, expected: &Compared) -> String {
        let (token, path) = &self.requests[number];
        let mut text = format!("GET {path} as {token:?}\n");
        for (name, seen) in [("found", found), ("expected", expected)] {
            let headers = seen.headers.iter().filter(|header| {
                !(found.headers.contains(header) && expected.headers.contains(header))
            });
            let headers: Vec<_> = headers.collect();
            let _ = writeln!(text, "{name}: {} {headers:?}\n{}", seen.status, seen.text);
        }
        for step in &self.history {
            let _ = writeln!(text, "  {step}");
        }
        text
    }

    /// Fails if too few steps changed a response: such a run would prove little.
    pub fn assert_effective(&self, steps: usize) {
        let succeeded = self.last.iter().filter(|seen| seen.status == 200).count();
        println!(
            "{} of {steps} steps changed a response, {succeeded} requests succeeded",
            self.changed
        );
        assert!(
            self.changed * 2 > steps,
            "only {} of {steps} steps changed a response",
            self.changed
        );
    }
}
