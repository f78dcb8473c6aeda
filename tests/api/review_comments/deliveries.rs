//! Failed webhooks: they are retried if the operator configures it, and delay no others.

use std::io::ErrorKind;

use forge::app::Settings;
use forge::webhooks;
use storage::clock::Clock;
use tokio::net::{TcpListener, TcpStream};

use super::create_comment;
use super::receiver::{Receiver, header};
use super::webhooks::{outcome, run_round, with_webhook};

fn with_retries() -> Settings {
    Settings {
        webhook_retries: 9,
        ..Settings::default()
    }
}

#[tokio::test]
async fn a_failed_webhook_is_not_retried_by_default() {
    let receiver = Receiver::start().await;
    let service = with_webhook(&receiver.url, Settings::default()).await;
    create_comment(&service, "alice", "1").await;
    receiver.answer(&["500 Oops"]);
    assert!(outcome(0, 1)(run_round(&service).await));
    service.clock.advance(2 * 24 * 3600);
    assert!(outcome(0, 0)(run_round(&service).await));
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
async fn a_failed_webhook_is_retried_later_and_delays_no_other() {
    let receiver = Receiver::start().await;
    let service = with_webhook(&receiver.url, with_retries()).await;
    create_comment(&service, "alice", "1").await;
    receiver.answer(&["500 Oops"]);
    assert!(outcome(0, 1)(run_round(&service).await));
    let first = receiver.take();
    assert!(
        outcome(0, 0)(run_round(&service).await),
        "it is not retried at once"
    );
    create_comment(&service, "alice", "2").await;
    assert!(
        outcome(1, 0)(run_round(&service).await),
        "it does not wait for the other"
    );
    assert_eq!(receiver.bodies(), ["2"]);
    receiver.answer(&["302 Found"]);
    service.clock.advance(10);
    assert!(
        outcome(0, 1)(run_round(&service).await),
        "a redirect is not followed"
    );
    let second = receiver.take();
    let delivery =
        |got: &[(String, Vec<u8>)]| header(&got[0].0, "X-GitHub-Delivery").unwrap().to_owned();
    assert_eq!(delivery(&first), delivery(&second));
    assert_eq!(first[0].1, second[0].1);
    service.clock.advance(59);
    assert!(outcome(0, 0)(run_round(&service).await));
    service.clock.advance(1);
    assert!(outcome(1, 0)(run_round(&service).await));
    assert_eq!(receiver.bodies(), ["1"]);
}

/// The receiver accepts the connections, and never responds.
#[tokio::test]
async fn a_stalled_receiver_delays_no_other_delivery() {
    let stalling = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", stalling.local_addr().unwrap());
    let service = with_webhook(&url, Settings::default()).await;
    create_comment(&service, "alice", "1").await;
    create_comment(&service, "alice", "2").await;
    let later = service.clock.now().0 + 10;
    let later = format!(
        "UPDATE webhook_delivery SET next_attempt_at = {later} WHERE id = (SELECT MAX(id) FROM webhook_delivery)"
    );
    service.execute(&later).await;
    let handle = webhooks::start(service.app.clone());
    let (first, _) = stalling.accept().await.unwrap();
    service.clock.advance(10);
    service.app.outbox.wake();
    let (second, _) = stalling.accept().await.unwrap();
    assert!(is_open(&first), "the second waited for the first");
    drop((first, second));
    handle.stop().await;
}

/// Whether the peer has not closed a connection. Reads what has arrived.
fn is_open(stream: &TcpStream) -> bool {
    let mut buffer = [0; 4096];
    loop {
        match stream.try_read(&mut buffer) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
    }
}

#[tokio::test]
async fn a_webhook_is_abandoned_after_its_last_retry() {
    let receiver = Receiver::start().await;
    let service = with_webhook(&receiver.url, with_retries()).await;
    create_comment(&service, "alice", "1").await;
    receiver.answer(&["410 Gone"; 10]);
    for _ in 0..10 {
        assert!(outcome(0, 1)(run_round(&service).await));
        service.clock.advance(28_800);
    }
    receiver.take();
    create_comment(&service, "alice", "2").await;
    assert!(outcome(1, 0)(run_round(&service).await));
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
async fn a_delivery_interrupted_by_the_end_of_the_process_is_retried() {
    let receiver = Receiver::start().await;
    let service = with_webhook(&receiver.url, Settings::default()).await;
    create_comment(&service, "alice", "1").await;
    // Such a process leaves a claim without an outcome.
    let claim = "UPDATE webhook_delivery SET attempts = 1, next_attempt_at = next_attempt_at + 60";
    service.execute(claim).await;
    assert!(
        outcome(0, 0)(run_round(&service).await),
        "the claim has not expired"
    );
    service.clock.advance(60);
    assert!(outcome(1, 0)(run_round(&service).await));
    assert_eq!(receiver.bodies(), ["1"]);
}
