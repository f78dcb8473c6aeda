//! Webhooks that fail: they are sent again if the operator wants that, and delay no other.

use std::time::{Duration, Instant};

use forgewright::app::Settings;
use tokio::net::TcpListener;
use tokio::time::sleep;

use super::commented;
use super::receiver::{Receiver, header};
use super::webhooks::{hooked, outcome, round};
use crate::harness::Service;

/// Makes the app's webhooks go elsewhere.
async fn send_to(service: &Service, url: &str) {
    let sql = format!("UPDATE app SET webhook_url = '{url}' WHERE id = 6001");
    service.execute(&sql).await;
}

fn retrying() -> Settings {
    Settings {
        webhook_retries: 9,
        ..Settings::default()
    }
}

#[tokio::test]
async fn a_webhook_that_fails_is_not_repeated_unless_the_operator_wants_it() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, Settings::default()).await;
    commented(&service, "alice", "1").await;
    receiver.answer(&["500 Oops"]);
    assert!(outcome(0, 1)(round(&service).await));
    service.clock.advance(2 * 24 * 3600);
    assert!(outcome(0, 0)(round(&service).await));
    let rows = service.deliveries().await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].status_code, Some(500));
    assert_eq!(
        rows[0].status.as_deref(),
        Some("Invalid HTTP Response: 500")
    );
    assert!(rows[0].delivered_at.is_some());
}

#[tokio::test]
async fn a_webhook_that_fails_is_repeated_later_and_holds_up_no_other() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, retrying()).await;
    commented(&service, "alice", "1").await;
    receiver.answer(&["500 Oops"]);
    assert!(outcome(0, 1)(round(&service).await));
    let first = receiver.take();
    assert!(outcome(0, 0)(round(&service).await), "not at once");
    commented(&service, "alice", "2").await;
    assert!(outcome(1, 0)(round(&service).await), "it does not wait");
    assert_eq!(receiver.bodies(), ["2"]);
    receiver.answer(&["302 Found"]);
    service.clock.advance(10);
    assert!(
        outcome(0, 1)(round(&service).await),
        "a redirect is not followed"
    );
    let second = receiver.take();
    let delivery =
        |got: &[(String, Vec<u8>)]| header(&got[0].0, "X-GitHub-Delivery").unwrap().to_owned();
    assert_eq!(delivery(&first), delivery(&second));
    assert_eq!(first[0].1, second[0].1);
    service.clock.advance(59);
    assert!(outcome(0, 0)(round(&service).await));
    service.clock.advance(1);
    assert!(outcome(1, 0)(round(&service).await));
    assert_eq!(receiver.bodies(), ["1"]);
}

/// One that takes a connection and says nothing.
#[tokio::test]
async fn a_receiver_that_stalls_holds_up_no_other_delivery() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, Settings::default()).await;
    let stalling = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", stalling.local_addr().unwrap());
    commented(&service, "alice", "1").await;
    send_to(&service, &address).await;
    let handle = forgewright::notify::start(service.app.clone());
    let (stalled, _) = stalling.accept().await.unwrap();
    send_to(&service, &receiver.url).await;
    let begun = Instant::now();
    commented(&service, "alice", "2").await;
    while receiver.got.lock().unwrap().is_empty() {
        assert!(begun.elapsed().as_secs() < 8, "it waits for the other");
        sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(receiver.bodies(), ["2"]);
    drop(stalled);
    handle.stop().await;
}

#[tokio::test]
async fn a_webhook_is_given_up_after_a_day() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, retrying()).await;
    commented(&service, "alice", "1").await;
    receiver.answer(&["410 Gone"; 10]);
    for _ in 0..10 {
        assert!(outcome(0, 1)(round(&service).await));
        service.clock.advance(28_800);
    }
    receiver.take();
    commented(&service, "alice", "2").await;
    assert!(outcome(1, 0)(round(&service).await));
    assert_eq!(receiver.bodies(), ["2"]);
    let rows = service.deliveries().await;
    let failed: Vec<_> = rows.iter().filter(|row| row.error.is_some()).collect();
    assert_eq!(failed.len(), 10, "each attempt has its row");
    for (retries, row) in failed.iter().enumerate() {
        assert_eq!(row.guid, failed[0].guid);
        assert_eq!((row.retries, row.redelivery), (retries as i64, retries > 0));
        assert_eq!(row.error.as_deref(), Some("the receiver answered 410 Gone"));
    }
}

#[tokio::test]
async fn a_delivery_that_was_under_way_when_the_process_ended_is_made_again() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, Settings::default()).await;
    commented(&service, "alice", "1").await;
    // A claim without an outcome is what is left of such a process.
    let claim = "UPDATE webhook_delivery SET attempts = 1, next_attempt_at = next_attempt_at + 60";
    service.execute(claim).await;
    assert!(
        outcome(0, 0)(round(&service).await),
        "it may still be at it"
    );
    service.clock.advance(60);
    assert!(outcome(1, 0)(round(&service).await));
    assert_eq!(receiver.bodies(), ["1"]);
}
