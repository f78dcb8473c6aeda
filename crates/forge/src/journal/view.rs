//! An entry as the control API shows it.

use std::io::Read;

use bytes::Bytes;

use super::{BODY_BYTES, Headers, Message, RecordedExchange};
use crate::explain::step;
use contract::caller::Caller;
use contract::control::journal::{
    CacheUse, Check, Explanation, JournalBody, JournalCaller, JournalEntry, JournalHeader,
    JournalMessage, StepOutcome,
};

/// The most bytes of a compressed body that are shown.
const MOST_DECOMPRESSED: u64 = 4 * BODY_BYTES as u64;

impl From<&RecordedExchange> for JournalEntry {
    fn from(entry: &RecordedExchange) -> Self {
        let path = entry.uri.path_and_query();
        let path = path.map_or("/", poem::http::uri::PathAndQuery::as_str);
        let operation = entry.operation.map(|operation| operation.id.to_owned());
        Self {
            id: entry.id,
            request_id: entry.request_id.clone(),
            at: entry.at,
            microseconds: u64::try_from(entry.elapsed.as_micros()).unwrap_or(u64::MAX),
            method: entry.method.to_string(),
            path: path.to_owned(),
            operation: operation.into(),
            caller: caller(entry),
            status: entry.status.as_u16(),
            cache: entry.cache.map(cache_use).into(),
            request: message(&entry.request),
            answer: message(&entry.answer),
            explanation: entry.explanation.clone().unwrap_or_else(|| admitted(entry)),
        }
    }
}

fn cache_use(outcome: &str) -> CacheUse {
    match outcome {
        "hit" => CacheUse::Hit,
        _ => CacheUse::Miss,
    }
}

fn caller(entry: &RecordedExchange) -> JournalCaller {
    let caller = entry.caller.as_deref();
    let app = caller.and_then(|caller| match caller {
        Caller::Installation { app, app_slug, .. } => Some((*app, Some(app_slug.clone()))),
        Caller::App { id, slug } => Some((*id, Some(slug.clone()))),
        Caller::AppUser { app, .. } => Some((*app, None)),
        _ => None,
    });
    let installation = caller.and_then(|caller| match caller {
        Caller::Installation { installation, .. } => Some(*installation),
        _ => None,
    });
    let user = caller.and_then(Caller::user);
    JournalCaller {
        kind: caller.map_or("unknown", Caller::kind).to_owned(),
        login: user.map(|user| user.login.clone()).into(),
        app_id: app.as_ref().map(|(id, _)| *id).into(),
        app_slug: app.and_then(|(_, slug)| slug).into(),
        installation_id: installation.into(),
        token: entry.token.clone().into(),
    }
}

fn message(message: &Message) -> JournalMessage {
    let headers = message.headers.iter();
    let headers = headers.map(|(name, value)| JournalHeader { name, value });
    let (head, bytes) = message.body.read();
    let cut = bytes > head.len() as u64;
    let (text, truncated) = readable(&head, cut, &message.headers);
    JournalMessage {
        headers: headers.collect(),
        body: JournalBody {
            bytes,
            text: text.into(),
            truncated,
        },
    }
}

/// The text of a body that may be incomplete, and whether it is truncated.
fn readable(head: &Bytes, cut: bool, headers: &Headers) -> (Option<String>, bool) {
    let encoding = headers.get("content-encoding");
    let encoding = encoding.as_deref();
    let mut plain = Vec::new();
    // A truncated body ends with an error, after the readable part.
    let _ = match encoding {
        Some("gzip" | "x-gzip") => {
            let reader = flate2::read::GzDecoder::new(&head[..]);
            reader.take(MOST_DECOMPRESSED).read_to_end(&mut plain)
        }
        Some("br") => {
            let reader = brotli::Decompressor::new(&head[..], 4096);
            reader.take(MOST_DECOMPRESSED).read_to_end(&mut plain)
        }
        _ => {
            plain = head.to_vec();
            Ok(plain.len())
        }
    };
    let full = plain.len() as u64 == MOST_DECOMPRESSED && encoding.is_some();
    let cut = cut || full;
    (text(plain, cut), cut)
}

/// A text may have been cut within a character.
fn text(bytes: Vec<u8>, cut: bool) -> Option<String> {
    match String::from_utf8(bytes) {
        Ok(text) => Some(text).filter(|text| !(cut && text.is_empty())),
        Err(error) => {
            let fault = error.utf8_error();
            let within = cut && fault.error_len().is_none() && fault.valid_up_to() > 0;
            let mut bytes = error.into_bytes();
            bytes.truncate(fault.valid_up_to());
            within.then(|| String::from_utf8(bytes).ok()).flatten()
        }
    }
}

/// The short form for a request that was not refused.
fn admitted(entry: &RecordedExchange) -> Explanation {
    let caller = super::describe(entry.caller.as_deref(), entry.token.as_deref(), None);
    let credential = step(
        Check::Credential,
        StepOutcome::Passed,
        caller.clone(),
        caller.clone(),
    );
    let row = match entry
        .operation
        .and_then(|operation| operation.rule.as_ref())
    {
        Some(rule) => rule.accepted_permissions(),
        None => "no permission required".to_owned(),
    };
    let operation = entry
        .operation
        .map_or("no operation", |operation| operation.id);
    let sentence = format!("{operation}: allowed ({row})");
    let line = format!("{caller} → {sentence} → {}", entry.status.as_u16());
    let admission = step(Check::Operation, StepOutcome::Passed, operation, sentence);
    Explanation {
        line,
        steps: vec![credential, admission],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_was_cut_is_shown_up_to_the_last_character() {
        let long = "ä".repeat(10).into_bytes();
        assert_eq!(text(long[..7].to_vec(), true).as_deref(), Some("äää"));
        assert_eq!(text(long[..7].to_vec(), false), None);
        assert_eq!(text(vec![0xff, 0xfe], true), None);
        assert_eq!(text(Vec::new(), false).as_deref(), Some(""));
        assert_eq!(text(Vec::new(), true), None);
    }
}
