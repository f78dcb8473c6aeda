//! Asks all servers the same, and stops at the first answer that differs.

use std::fmt::Write;

use super::super::servers::caller;
use crate::support::server::{Answer, Server};

/// Headers that differ from one request to the next.
const OF_ONE_REQUEST: [&str; 3] = ["date", "x-github-request-id", "x-ratelimit-"];

pub struct Comparison {
    /// Tokens and paths.
    requests: Vec<(&'static str, String)>,
    /// The last answer to each request by the server that does not cache.
    last: Vec<Seen>,
    /// What has been done so far.
    history: Vec<String>,
    /// Comparisons after which at least one answer was another than before.
    changed: usize,
}

/// All that two answers must have in common.
#[derive(Clone, PartialEq, Eq)]
struct Seen {
    status: u16,
    headers: Vec<(String, String)>,
    text: String,
}

impl Seen {
    fn tag(&self) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(name, _)| name == "etag");
        found.map(|(_, value)| value.as_str())
    }
}

impl From<Answer> for Seen {
    fn from(answer: Answer) -> Self {
        let mut headers: Vec<_> = answer
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .filter(|(name, _)| !OF_ONE_REQUEST.iter().any(|own| name.starts_with(own)))
            .collect();
        headers.sort();
        Self {
            status: answer.status.as_u16(),
            headers,
            text: answer.text,
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

    /// Fills the caches, whatever the answers are.
    pub async fn read(&self, servers: &[Server]) {
        for (token, path) in self.requests.iter().step_by(5) {
            for server in servers {
                caller(server, token).get(path).await;
            }
        }
    }

    /// With `conditional`, each request says which answer the client already has.
    pub async fn compare(&mut self, servers: &[Server; 3], conditional: bool, after: &str) {
        let tags = conditional.then_some(self.last.as_slice());
        let [first, second, reference] = servers;
        let (first, second, reference) = tokio::join!(
            self.answers(first, tags),
            self.answers(second, tags),
            self.answers(reference, tags),
        );
        for (number, expected) in reference.iter().enumerate() {
            for (server, answers) in [&first, &second].into_iter().enumerate() {
                if &answers[number] != expected {
                    let message = self.difference(number, &answers[number], expected);
                    panic!("server {server} differs after {after}:\n{message}");
                }
            }
        }
        self.note(reference);
    }

    /// Keeps the answers, so that the next comparison can ask whether they still hold.
    fn note(&mut self, answers: Vec<Seen>) {
        if self.last.is_empty() {
            self.last = answers;
            return;
        }
        let mut changed = false;
        for (last, answer) in self.last.iter_mut().zip(answers) {
            if answer.status != 304 {
                changed |= (last.status, &last.text) != (answer.status, &answer.text);
                *last = answer;
            }
        }
        self.changed += usize::from(changed);
    }

    async fn answers(&self, server: &Server, known: Option<&[Seen]>) -> Vec<Seen> {
        let mut answers = Vec::with_capacity(self.requests.len());
        for (number, (token, path)) in self.requests.iter().enumerate() {
            let known = known.and_then(|known| known.get(number));
            let mut speaker = caller(server, token);
            if let Some(tag) = known.and_then(Seen::tag) {
                speaker = speaker.header("If-None-Match", tag);
            }
            answers.push(speaker.get(path).await.into());
        }
        answers
    }

    fn difference(&self, number: usize, found: &Seen, expected: &Seen) -> String {
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

    /// A run that changes next to nothing would prove next to nothing.
    pub fn judge(&self, steps: usize) {
        let answered = self.last.iter().filter(|seen| seen.status == 200).count();
        println!(
            "{} of {steps} steps showed, {answered} requests were answered",
            self.changed
        );
        assert!(
            self.changed * 2 > steps,
            "only {} of {steps} steps showed",
            self.changed
        );
    }
}
