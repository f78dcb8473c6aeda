//! The journal of a world: its most recent requests, in memory, for people who test a client.
//!
//! Recording a request costs a clone of its headers and one allocation; the view is built when it
//! is read (`view.rs`).

mod body;
pub mod catalogue;
pub mod credentials;
mod filter;
mod headers;
mod view;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use poem::http::{Method, StatusCode, Uri};
use tokio::sync::watch;

pub use crate::journal::body::{RecordedBody, Tap};
pub use crate::journal::filter::ExchangeFilter;
pub use crate::journal::headers::Headers;
use contract::caller::Caller;
use contract::control::journal::Explanation;
use contract::operation::Operation;
use contract::values::Timestamp;

/// How many requests a journal holds.
pub const MOST_ENTRIES: usize = 1000;

/// The most bytes of all entries together.
pub const MOST_BYTES: usize = 4 << 20;

/// The most bytes of a body that are recorded.
pub const BODY_BYTES: usize = 16 * 1024;

/// The approximate bytes of an entry besides texts, headers and bodies.
const ENTRY_BYTES: usize = 512;

/// One request.
#[derive(Debug)]
pub struct RecordedExchange {
    /// Assigned by the journal.
    pub id: u64,
    pub request_id: String,
    pub at: Timestamp,
    pub elapsed: Duration,
    pub method: Method,
    pub uri: Uri,
    pub operation: Option<&'static Operation>,
    pub caller: Option<Arc<Caller>>,
    /// The kind of credential and its last characters.
    pub token: Option<String>,
    pub status: StatusCode,
    /// `hit` or `miss`, for a cacheable request.
    pub cache: Option<&'static str>,
    pub request: Message,
    pub answer: Message,
    /// Set if the request was refused.
    pub explanation: Option<Explanation>,
}

/// The headers and the beginning of the body of a request or a response.
#[derive(Debug)]
pub struct Message {
    pub headers: Headers,
    pub body: RecordedBody,
}

impl Message {
    fn weight(&self) -> usize {
        self.headers.weight() + self.body.weight()
    }
}

impl RecordedExchange {
    fn weight(&self) -> usize {
        let uri = self.uri.path().len() + self.uri.query().map_or(0, str::len);
        let explanation = self.explanation.as_ref().map_or(0, explanation_weight);
        ENTRY_BYTES + uri + self.request.weight() + self.answer.weight() + explanation
    }
}

/// The bytes of the texts of an explanation, which may repeat parts of the request.
fn explanation_weight(explanation: &Explanation) -> usize {
    let steps = explanation.steps.iter().map(|step| {
        let compared =
            [&step.needed.0, &step.found.0].map(|text| text.as_ref().map_or(0, String::len));
        let advice = step
            .advice
            .iter()
            .map(|advice| advice.target.len() + advice.value.len() + advice.sentence.len());
        let advice: usize = advice.sum();
        step.subject.len() + step.sentence.len() + compared.iter().sum::<usize>() + advice
    });
    explanation.line.len() + steps.sum::<usize>()
}

/// The most recent requests of a world.
#[derive(Debug)]
pub struct Journal {
    entries: Mutex<RecordedExchanges>,
    changes: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct RecordedExchanges {
    /// With their weights, the oldest first.
    exchanges: VecDeque<(Arc<RecordedExchange>, usize)>,
    bytes: usize,
    last_id: u64,
}

impl Default for Journal {
    fn default() -> Self {
        Self {
            entries: Mutex::default(),
            changes: watch::Sender::new(()),
        }
    }
}

impl Journal {
    /// Adds an answered request, drops the oldest ones if necessary, and returns its number.
    pub fn add(&self, mut entry: RecordedExchange) -> u64 {
        let weight = entry.weight();
        // Dropped after the lock.
        let mut dropped = Vec::new();
        let mut entries = self.lock();
        entries.last_id += 1;
        let id = entries.last_id;
        entry.id = id;
        entries.exchanges.push_back((Arc::new(entry), weight));
        entries.bytes += weight;
        while entries.exchanges.len() > MOST_ENTRIES || entries.bytes > MOST_BYTES {
            let Some((oldest, weight)) = entries.exchanges.pop_front() else {
                break;
            };
            entries.bytes -= weight;
            dropped.push(oldest);
        }
        drop(entries);
        if self.changes.receiver_count() > 0 {
            self.changes.send_replace(());
        }
        id
    }

    /// Notifies of every request that is added from now on.
    pub fn watch(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// The newest requests that match, the newest first.
    pub fn find(&self, filter: &ExchangeFilter, most: usize) -> Vec<Arc<RecordedExchange>> {
        let entries: Vec<_> = {
            let entries = self.lock();
            entries
                .exchanges
                .iter()
                .rev()
                .map(|(one, _)| one.clone())
                .collect()
        };
        let matching = entries.into_iter().filter(|entry| filter.matches(entry));
        matching.take(most).collect()
    }

    /// The request with this number, or with this request id.
    pub fn get(&self, name: &str) -> Option<Arc<RecordedExchange>> {
        let id = name.parse::<u64>().ok();
        let entries = self.lock();
        let mut newest = entries.exchanges.iter().rev().map(|(entry, _)| entry);
        newest
            .find(|entry| Some(entry.id) == id || entry.request_id == name)
            .cloned()
    }

    pub fn clear(&self) {
        let mut entries = self.lock();
        let last_id = entries.last_id;
        let forgotten = std::mem::replace(
            &mut *entries,
            RecordedExchanges {
                last_id,
                ..RecordedExchanges::default()
            },
        );
        drop(entries);
        drop(forgotten);
    }

    fn lock(&self) -> MutexGuard<'_, RecordedExchanges> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Describes a caller: `token ghs_…3f2a, installation 7001 of ci-bot on acme`.
pub fn describe(caller: Option<&Caller>, token: Option<&str>, account: Option<&str>) -> String {
    let token = token.map_or_else(|| "token".to_owned(), |hint| format!("token {hint}"));
    let on = account.map_or(String::new(), |login| format!(" on {login}"));
    match caller {
        None => format!("{token}, not checked"),
        Some(Caller::Anonymous) => "no token".to_owned(),
        Some(Caller::App { slug, .. }) => format!("{token}, app {slug}"),
        Some(Caller::Installation {
            installation,
            app_slug,
            ..
        }) => format!("{token}, installation {installation} of {app_slug}{on}"),
        Some(caller) => {
            let kind = match caller {
                Caller::Classic { .. } => "classic token",
                Caller::OAuth { .. } => "OAuth token",
                Caller::FineGrained { .. } => "fine-grained token",
                _ => "app token",
            };
            let holder = caller.name();
            let on = account.map_or(String::new(), |login| format!(" for {login}"));
            format!("{token}, {kind} of {holder}{on}")
        }
    }
}

#[cfg(test)]
mod tests;
