//! What others hear of a comment: people by notifications, apps by webhooks.

use std::sync::{Arc, Mutex};

use forgewright::app::Settings;
use forgewright::entities::{account, notification, webhook_delivery};
use forgewright::notify::address::Networks;
use forgewright::notify::{Dispatcher, Round};
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::{COMMENTS, WIDGETS, WORLD, comment_path, commented, replied, sha_in, start};
use crate::harness::Service;

/// Who was notified of the last comment, and why.
async fn told(service: &Service, comment: &Value) -> Vec<(String, notification::Reason)> {
    let rows = notification::Entity::find()
        .find_also_related(account::Entity)
        .order_by_asc(notification::Column::RecipientId)
        .all(service.app.db.reads())
        .await
        .unwrap();
    rows.into_iter()
        .filter(|(row, _)| comment["id"] == row.comment_id)
        .map(|(row, account)| (account.unwrap().login, row.reason))
        .collect()
}

fn people(expected: &[(&str, notification::Reason)]) -> Vec<(String, notification::Reason)> {
    let owned = expected
        .iter()
        .map(|(login, reason)| ((*login).to_owned(), *reason));
    owned.collect()
}

#[tokio::test]
async fn create_review_comment_201_tells_the_author_the_thread_and_the_mentioned() {
    use notification::Reason::{Author, Mention, Participant};
    let service = start().await;
    let root = commented(&service, "alice", "Why, @carol, @alice and @nobody?").await;
    assert_eq!(
        told(&service, &root).await,
        people(&[("bob", Author), ("carol", Mention)])
    );
    let reply = replied(&service, "mallory", &root, "Because.").await;
    assert_eq!(
        told(&service, &reply).await,
        people(&[("alice", Participant), ("bob", Author)])
    );
    let reply = replied(
        &service,
        "bob-classic",
        &root,
        "@alice `@carol` is right, @acme @ci-bot",
    )
    .await;
    assert_eq!(
        told(&service, &reply).await,
        people(&[("alice", Mention), ("mallory", Participant)])
    );
}

#[tokio::test]
async fn create_review_comment_201_tells_nobody_who_cannot_read_it() {
    use notification::Reason::{Author, Mention};
    let service = start().await;
    let head = sha_in(&service, "widgets", "topic").await;
    let body = json!({
        "body": "@mallory @carol @alice", "commit_id": head, "path": "a.txt", "line": 1,
    });
    let comment = service
        .as_("ci-bot")
        .post(WIDGETS, body)
        .await
        .expect(201)
        .json();
    assert_eq!(
        told(&service, &comment).await,
        people(&[("alice", Mention), ("bob", Author), ("carol", Mention)])
    );
}

#[tokio::test]
async fn create_review_comment_422_tells_nobody() {
    let service = start().await;
    let body = json!({"body": "@carol", "commit_id": "x", "path": "README.md", "line": 2});
    service.as_("alice").post(COMMENTS, body).await.expect(422);
    let rows = notification::Entity::find()
        .all(service.app.db.reads())
        .await
        .unwrap();
    assert!(rows.is_empty(), "{rows:?}");
}

/// Requests as they came: what the head says, and the body.
type Requests = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// A receiver of webhooks: what it got, and what it answers.
struct Receiver {
    url: String,
    got: Requests,
    answers: Arc<Mutex<Vec<&'static str>>>,
}

impl Receiver {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook?x=1", listener.local_addr().unwrap());
        let (got, answers) = (Arc::default(), Arc::default());
        let receiver = Self { url, got, answers };
        let (got, answers) = (receiver.got.clone(), receiver.answers.clone());
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read(&mut stream).await;
                got.lock().unwrap().push(request);
                let answer = answers.lock().unwrap().pop().unwrap_or("204 No Content");
                let location = "Location: http://127.0.0.1:1/\r\n";
                let head = format!("HTTP/1.1 {answer}\r\n{location}Content-Length: 0\r\n\r\n");
                stream.write_all(head.as_bytes()).await.unwrap();
            }
        });
        receiver
    }

    fn answer(&self, answers: &[&'static str]) {
        self.answers.lock().unwrap().extend(answers.iter().rev());
    }

    fn take(&self) -> Vec<(String, Vec<u8>)> {
        std::mem::take(&mut self.got.lock().unwrap())
    }

    /// The texts of the comments that came, in order.
    fn bodies(&self) -> Vec<String> {
        let got = self.take().into_iter();
        got.map(|(_, body)| {
            let payload: Value = serde_json::from_slice(&body).unwrap();
            payload["comment"]["body"].as_str().unwrap().to_owned()
        })
        .collect()
    }
}

async fn read(stream: &mut tokio::net::TcpStream) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    loop {
        let mut some = [0; 4096];
        let count = stream.read(&mut some).await.unwrap();
        bytes.extend_from_slice(&some[..count]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let length = header(&head, "content-length")
            .unwrap()
            .parse::<usize>()
            .unwrap();
        if bytes.len() >= end + 4 + length {
            return (head, bytes[end + 4..].to_vec());
        }
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(": ")?;
        key.eq_ignore_ascii_case(name).then_some(value)
    })
}

async fn hooked(url: &str, settings: Settings) -> Service {
    let app = "apps:\n  - {id: 6001, slug: ci-bot, ";
    assert!(WORLD.contains(app));
    let with = format!("{app}webhook: {{url: \"{url}\", secret: hush}}, ");
    Service::with(&WORLD.replace(app, &with), settings).await
}

async fn round(service: &Service) -> Round {
    Dispatcher::new(service.app.clone()).round().await.unwrap()
}

fn outcome(delivered: usize, failed: usize) -> impl Fn(Round) -> bool {
    move |round| (round.delivered, round.failed) == (delivered, failed)
}

#[tokio::test]
async fn create_review_comment_201_sends_a_signed_webhook_to_subscribed_apps() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, Settings::default()).await;
    let comment = commented(&service, "alice", "Why **2**?").await;
    assert_eq!(receiver.take().len(), 0, "not before the dispatcher runs");
    assert_eq!(
        round(&service).await,
        Round {
            noted: 1,
            delivered: 1,
            failed: 0
        }
    );
    let got = receiver.take();
    let [(head, body)] = got.as_slice() else {
        panic!("{got:?}")
    };
    assert!(head.starts_with("POST /hook?x=1 HTTP/1.1\r\n"), "{head}");
    assert_eq!(
        header(head, "X-GitHub-Event"),
        Some("pull_request_review_comment")
    );
    assert_eq!(header(head, "X-GitHub-Delivery").unwrap().len(), 36);
    assert_eq!(header(head, "Content-Type"), Some("application/json"));
    let signature = header(head, "X-Hub-Signature-256").unwrap();
    assert_eq!(signature, signed("hush", body));
    let payload: Value = serde_json::from_slice(body).unwrap();
    assert_eq!(payload["action"], "created");
    assert_eq!(payload["comment"], comment);
    assert_eq!(payload["pull_request"]["number"], 1);
    assert_eq!(payload["pull_request"]["user"]["login"], "bob");
    assert_eq!(payload["pull_request"]["head"]["sha"], comment["commit_id"]);
    assert_eq!(payload["repository"]["full_name"], "acme/gadgets");
    assert_eq!(payload["organization"]["login"], "acme");
    assert_eq!(payload["sender"]["login"], "alice");
    assert_eq!(payload["installation"]["id"], 7001);
    assert!(outcome(0, 0)(round(&service).await), "once is enough");
}

fn signed(secret: &str, body: &[u8]) -> String {
    use hmac::{Hmac, KeyInit, Mac};
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body);
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
}

#[tokio::test]
async fn update_and_delete_review_comment_send_webhooks_too() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, Settings::default()).await;
    let comment = commented(&service, "alice", "Why?").await;
    let path = comment_path(&comment["id"]);
    service
        .as_("alice")
        .patch(&path, json!({"body": "Why?"}))
        .await
        .expect(200);
    service
        .as_("alice")
        .patch(&path, json!({"body": "Oh."}))
        .await
        .expect(200);
    service.as_("alice").delete(&path).await.expect(204);
    assert!(outcome(3, 0)(round(&service).await));
    let payloads: Vec<Value> = receiver
        .take()
        .iter()
        .map(|(_, body)| serde_json::from_slice(body).unwrap())
        .collect();
    let actions: Vec<_> = payloads.iter().map(|payload| &payload["action"]).collect();
    assert_eq!(actions, ["created", "edited", "deleted"]);
    assert_eq!(payloads[1]["changes"], json!({"body": {"from": "Why?"}}));
    assert_eq!(payloads[2]["comment"]["body"], "Oh.");
}

#[tokio::test]
async fn a_webhook_that_fails_is_repeated_later_and_holds_up_those_behind_it() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, Settings::default()).await;
    commented(&service, "alice", "1").await;
    commented(&service, "alice", "2").await;
    receiver.answer(&["500 Oops", "302 Found", "200 OK"]);
    assert!(outcome(0, 1)(round(&service).await));
    let first = receiver.take();
    assert!(outcome(0, 0)(round(&service).await), "not at once");
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
    assert!(outcome(2, 0)(round(&service).await));
    assert_eq!(receiver.bodies(), ["1", "2"]);
}

#[tokio::test]
async fn a_webhook_is_given_up_after_a_day_and_lets_the_next_one_pass() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, Settings::default()).await;
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
    let rows = webhook_delivery::Entity::find()
        .order_by_asc(webhook_delivery::Column::Id)
        .all(service.app.db.reads())
        .await
        .unwrap();
    assert!(rows[0].abandoned_at.is_some() && rows[0].delivered_at.is_none());
    assert_eq!(
        rows[0].last_error.as_deref(),
        Some("the receiver answered 410 Gone")
    );
    assert_eq!(rows[0].attempts, 10);
}

#[tokio::test]
async fn a_delivery_that_was_under_way_when_the_process_ended_is_made_again() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, Settings::default()).await;
    commented(&service, "alice", "1").await;
    // A claim without an outcome is what is left of such a process.
    let on = service.app.db.begin().await.unwrap();
    use sea_orm::ConnectionTrait;
    let claim = "UPDATE webhook_delivery SET attempts = 1, next_attempt_at = next_attempt_at + 60";
    on.execute_unprepared(claim).await.unwrap();
    on.commit().await.unwrap();
    assert!(
        outcome(0, 0)(round(&service).await),
        "it may still be at it"
    );
    service.clock.advance(60);
    assert!(outcome(1, 0)(round(&service).await));
    assert_eq!(receiver.bodies(), ["1"]);
}

#[tokio::test]
async fn no_webhook_goes_to_where_clouds_keep_their_credentials() {
    let service = hooked(
        "http://169.254.169.254/latest/meta-data",
        Settings::default(),
    )
    .await;
    commented(&service, "alice", "1").await;
    assert!(outcome(0, 1)(round(&service).await));
    let row = webhook_delivery::Entity::find()
        .one(service.app.db.reads())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        row.last_error.as_deref(),
        Some("webhooks are not sent to 169.254.169.254 (see --webhooks-to)")
    );
}

/// By name, so that nothing but what it means can give it away.
#[tokio::test]
async fn no_webhook_goes_into_the_network_of_a_server_that_is_told_to_stay_out() {
    let receiver = Receiver::start().await;
    let url = receiver.url.replace("127.0.0.1", "localhost");
    let settings = Settings {
        webhooks_to: Networks::Public,
        ..Settings::default()
    };
    let service = hooked(&url, settings).await;
    commented(&service, "alice", "1").await;
    assert!(outcome(0, 1)(round(&service).await));
    assert_eq!(receiver.bodies(), Vec::<String>::new());
}

#[tokio::test]
async fn no_webhook_goes_to_an_app_without_subscription_permission_or_repository() {
    let receiver = Receiver::start().await;
    for (old, new) in [
        ("events: [pull_request_review_comment]", "events: [push]"),
        (
            "pull_requests: write, metadata: read}, events",
            "metadata: read}, events",
        ),
        (
            "repositories: [gadgets, widgets]",
            "repositories: [widgets]",
        ),
        (
            "account: acme, repository_selection",
            "account: acme, suspended_by: alice, repository_selection",
        ),
    ] {
        assert!(WORLD.contains(old), "{old}");
        let app = "apps:\n  - {id: 6001, slug: ci-bot, ";
        let with = format!("{app}webhook: {{url: \"{}\"}}, ", receiver.url);
        let world = WORLD.replace(app, &with).replace(old, new);
        let service = Service::with(&world, Settings::default()).await;
        commented(&service, "alice", "1").await;
        assert!(outcome(0, 0)(round(&service).await), "{new}");
    }
}

#[tokio::test]
async fn the_dispatcher_delivers_by_itself_and_stops_when_told() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, Settings::default()).await;
    let handle = forgewright::notify::start(service.app.clone());
    commented(&service, "alice", "1").await;
    for _ in 0..200 {
        if !receiver.got.lock().unwrap().is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    handle.stop().await;
    assert_eq!(receiver.bodies(), ["1"]);
    let row = webhook_delivery::Entity::find()
        .one(service.app.db.reads())
        .await
        .unwrap()
        .unwrap();
    assert!(row.delivered_at.is_some());
}
