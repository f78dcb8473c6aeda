//! Tests the bounds of a journal.

use super::*;

fn entry(nth: usize, body: usize) -> RecordedExchange {
    let message = |bytes: Vec<u8>| Message {
        headers: Headers::default(),
        body: RecordedBody::of(&bytes.into()),
    };
    RecordedExchange {
        id: 0,
        request_id: format!("request-{nth}"),
        at: Timestamp(0),
        elapsed: Duration::ZERO,
        method: Method::GET,
        uri: Uri::from_static("/repos/acme/gadgets?page=2"),
        operation: None,
        caller: None,
        token: None,
        status: StatusCode::OK,
        cache: None,
        request: message(Vec::new()),
        answer: message(vec![b'a'; body]),
        explanation: None,
    }
}

#[test]
fn a_journal_holds_the_last_requests_and_no_more() {
    let journal = Journal::default();
    for nth in 1..=MOST_ENTRIES + 5 {
        assert_eq!(journal.add(entry(nth, 10)), nth as u64);
    }
    let entries = journal.find(&ExchangeFilter::default(), usize::MAX);
    assert_eq!(entries.len(), MOST_ENTRIES);
    assert_eq!(entries[0].id, MOST_ENTRIES as u64 + 5);
    assert_eq!(entries[MOST_ENTRIES - 1].id, 6);
    assert!(journal.get("5").is_none());
    assert_eq!(journal.get("request-6").unwrap().id, 6);
}

#[test]
fn a_journal_holds_no_more_bytes_than_its_share() {
    let journal = Journal::default();
    for nth in 1..=600 {
        journal.add(entry(nth, 1 << 20));
        assert!(journal.lock().bytes <= MOST_BYTES);
    }
    let entries = journal.find(&ExchangeFilter::default(), usize::MAX);
    assert_eq!(entries.len(), MOST_BYTES / (BODY_BYTES + ENTRY_BYTES + 25));
    journal.clear();
    assert_eq!(journal.lock().bytes, 0);
    assert_eq!(journal.add(entry(601, 0)), 601);
}

#[tokio::test]
async fn watchers_are_notified_of_requests_and_of_the_end() {
    let journal = Journal::default();
    let mut changes = journal.watch();
    journal.add(entry(1, 0));
    changes.changed().await.unwrap();
    drop(journal);
    assert!(changes.changed().await.is_err());
}
