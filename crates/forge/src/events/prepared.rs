//! Deliveries that are prepared before the change that causes them, so that the statement of the
//! change writes them too.

use std::sync::Arc;

use contract::values::Timestamp;
use git::Sha;
use storage::database::dependencies::Stamp;

use super::{EventName, Outbox};

/// The deliveries of a new reference.
pub struct PreparedDeliveries {
    pub deliveries: Vec<PreparedDelivery>,
    /// What the payloads depend on. They are true while these versions are current.
    pub versions: Stamp,
    /// The commit behind the reference.
    pub head: Option<Sha>,
    pub outbox: Outbox,
}

/// The delivery of an event to one app.
pub struct PreparedDelivery {
    pub guid: String,
    pub app: i64,
    pub installation: i64,
    pub event: EventName,
    /// Whether it is only recorded, because the app has no webhook.
    pub recorded: bool,
    pub payload: PreparedPayload,
}

/// A payload without the parts that only the statement knows.
#[derive(Debug)]
pub struct PreparedPayload {
    /// Up to the time of the push, shared by all apps.
    pub start: Arc<str>,
    pub time: TimeFormat,
    pub middle: String,
    /// What follows another branch with the same commit; None if the payload does not name one.
    pub end: Option<String>,
}

/// How a payload writes the time of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeFormat {
    Seconds,
    Text,
}

impl PreparedDeliveries {
    /// Wakes whoever waits for them. Call it after the commit.
    pub fn announce(&self) {
        if !self.deliveries.is_empty() {
            let to_send = self.deliveries.iter().any(|delivery| !delivery.recorded);
            self.outbox.announce(to_send);
        }
    }

    pub fn bytes(&self) -> usize {
        let payloads = self.deliveries.iter().map(|delivery| &delivery.payload);
        payloads.map(PreparedPayload::bytes).sum()
    }
}

impl PreparedPayload {
    /// The text up to the other branch, or the whole text.
    pub fn at(&self, now: i64) -> String {
        let time = match self.time {
            TimeFormat::Seconds => now.to_string(),
            TimeFormat::Text => format!("\"{}\"", Timestamp(now)),
        };
        [&*self.start, &time, &self.middle].concat()
    }

    fn bytes(&self) -> usize {
        self.start.len() + self.middle.len() + self.end.as_ref().map_or(0, String::len)
    }
}
