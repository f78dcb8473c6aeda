//! Webhooks about a comment: signed, and only to allowed addresses.

use std::collections::HashMap;
use std::path::Path;

use forge::app::Settings;
use forge::outbound::Trust;
use forge::outbound::address::Networks;
use forge::webhooks::{self, Dispatcher, Round};
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use storage::entities::webhook_delivery;

use super::receiver::{Receiver, header};
use super::{WORLD, comment_path, create_comment};
use crate::harness::Service;

pub(super) async fn with_webhook(url: &str, settings: Settings) -> Service {
    let app = "apps:\n  - {id: 6001, slug: ci-bot, ";
    assert!(WORLD.contains(app));
    let replacement = format!("{app}webhook: {{url: \"{url}\", secret: hush}}, ");
    Service::with(&WORLD.replace(app, &replacement), settings).await
}

pub(super) async fn run_round(service: &Service) -> Round {
    Dispatcher::new(service.app.clone()).round().await.unwrap()
}

pub(super) fn outcome(delivered: usize, failed: usize) -> impl Fn(Round) -> bool {
    move |round| (round.delivered, round.failed) == (delivered, failed)
}

#[tokio::test]
async fn create_review_comment_201_sends_a_signed_webhook_to_subscribed_apps() {
    let receiver = Receiver::start().await;
    let service = with_webhook(&receiver.url, Settings::default()).await;
    let comment = create_comment(&service, "alice", "Why **2**?").await;
    assert_eq!(receiver.take().len(), 0, "not before the dispatcher runs");
    assert_eq!(
        run_round(&service).await,
        Round {
            notifications: 1,
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
    assert_eq!(signature, sign("hush", body));
    let signature = header(head, "X-Hub-Signature").unwrap();
    assert_eq!(signature.strip_prefix("sha1=").map(str::len), Some(40));
    assert_eq!(header(head, "X-GitHub-Hook-ID"), Some("6001"));
    let agent = header(head, "User-Agent").unwrap();
    let version = agent.strip_prefix("GitHub-Hookshot/").unwrap();
    assert!(version.len() == 7 && u32::from_str_radix(version, 16).is_ok());
    let payload: Value = serde_json::from_slice(body).unwrap();
    assert_eq!(payload["action"], "created");
    let mut expected = comment.clone();
    expected["user"]
        .as_object_mut()
        .unwrap()
        .remove("user_view_type");
    assert_eq!(payload["comment"], expected);
    assert_eq!(payload["pull_request"]["number"], 1);
    assert_eq!(payload["pull_request"]["user"]["login"], "bob");
    assert_eq!(payload["pull_request"]["head"]["sha"], comment["commit_id"]);
    assert_eq!(payload["repository"]["full_name"], "acme/gadgets");
    assert_eq!(payload["organization"]["login"], "acme");
    assert_eq!(payload["sender"]["login"], "alice");
    assert_eq!(payload["installation"]["id"], 7001);
    assert!(outcome(0, 0)(run_round(&service).await), "it is sent once");
}

fn sign(secret: &str, body: &[u8]) -> String {
    use hmac::{Hmac, KeyInit, Mac};
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body);
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
}

#[tokio::test]
async fn update_and_delete_review_comment_send_webhooks_too() {
    let receiver = Receiver::start().await;
    let service = with_webhook(&receiver.url, Settings::default()).await;
    let comment = create_comment(&service, "alice", "Why?").await;
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
    assert!(outcome(3, 0)(run_round(&service).await));
    let got = receiver.take();
    let payloads = got.iter().map(|(_, body)| {
        let payload: Value = serde_json::from_slice(body).unwrap();
        (payload["action"].as_str().unwrap().to_owned(), payload)
    });
    let payloads: HashMap<String, Value> = payloads.collect();
    assert_eq!(payloads.len(), 3);
    assert_eq!(payloads["created"]["comment"]["body"], "Why?");
    let changes = &payloads["edited"]["changes"];
    assert_eq!(*changes, json!({"body": {"from": "Why?"}}));
    assert_eq!(payloads["deleted"]["comment"]["body"], "Oh.");
}

#[tokio::test]
async fn no_webhook_is_sent_to_cloud_metadata_addresses() {
    let service = with_webhook(
        "http://169.254.169.254/latest/meta-data",
        Settings::default(),
    )
    .await;
    create_comment(&service, "alice", "1").await;
    assert!(outcome(0, 1)(run_round(&service).await));
    assert_eq!(
        failure(&service).await,
        "webhooks are not sent to 169.254.169.254 (see --webhooks-to)"
    );
}

/// The URL has a host name, so only the resolved address shows the network.
#[tokio::test]
async fn no_webhook_is_sent_to_private_networks_when_they_are_disallowed() {
    let receiver = Receiver::start().await;
    let url = receiver.url.replace("127.0.0.1", "localhost");
    let settings = Settings {
        webhooks_to: Networks::Public,
        ..Settings::default()
    };
    let service = with_webhook(&url, settings).await;
    create_comment(&service, "alice", "1").await;
    assert!(outcome(0, 1)(run_round(&service).await));
    assert_eq!(receiver.take().len(), 0);
}

#[tokio::test]
async fn no_webhook_is_sent_to_an_app_without_subscription_permission_or_repository() {
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
        let replacement = format!("{app}webhook: {{url: \"{}\"}}, ", receiver.url);
        let world = WORLD.replace(app, &replacement).replace(old, new);
        let service = Service::with(&world, Settings::default()).await;
        create_comment(&service, "alice", "1").await;
        assert!(outcome(0, 0)(run_round(&service).await), "{new}");
    }
}

/// The error of the only delivery.
async fn failure(service: &Service) -> String {
    let row = webhook_delivery::Entity::find()
        .one(service.app.db.reads())
        .await
        .unwrap();
    row.unwrap().error.unwrap()
}

#[tokio::test]
async fn a_webhook_is_sent_to_a_receiver_with_a_trusted_certificate() {
    let receiver = Receiver::start_secure().await;
    let ca_file = "tests/api/review_comments/tls/test-only-ca.pem";
    let settings = Settings {
        webhook_trust: Trust::with_file(Path::new(ca_file)).unwrap(),
        ..Settings::default()
    };
    for name in ["127.0.0.1", "localhost"] {
        let url = receiver.url.replace("127.0.0.1", name);
        let service = with_webhook(&url, settings.clone()).await;
        create_comment(&service, "alice", name).await;
        assert!(outcome(1, 0)(run_round(&service).await));
        assert_eq!(receiver.bodies(), [name]);
    }
}

#[tokio::test]
async fn no_webhook_is_sent_to_a_receiver_with_an_untrusted_or_mismatched_certificate() {
    let receiver = Receiver::start_secure().await;
    let service = with_webhook(&receiver.url, Settings::default()).await;
    create_comment(&service, "alice", "1").await;
    assert!(outcome(0, 1)(run_round(&service).await));
    assert_eq!(
        failure(&service).await,
        "TLS failed: the authority of the certificate is not trusted; name it with \
         --webhook-ca-file of the server for webhooks, or with --ca-file for a command"
    );
    let ca_file = Path::new("tests/api/review_comments/tls/test-only-ca.pem");
    let settings = Settings {
        webhook_trust: Trust::with_file(ca_file).unwrap(),
        ..Settings::default()
    };
    let elsewhere = receiver.url.replace("127.0.0.1", "127.0.0.2");
    let service = with_webhook(&elsewhere, settings).await;
    create_comment(&service, "alice", "1").await;
    assert!(outcome(0, 1)(run_round(&service).await));
    assert!(receiver.take().is_empty());
}

#[test]
fn a_ca_file_without_certificates_is_rejected() {
    for path in ["tests/api/review_comments/tls/none.pem", "Cargo.toml"] {
        assert!(Trust::with_file(Path::new(path)).is_err(), "{path}");
    }
}

#[tokio::test]
async fn webhooks_are_delivered_while_the_server_runs_and_not_after_it_stopped() {
    let receiver = Receiver::start().await;
    let service = with_webhook(&receiver.url, Settings::default()).await;
    let handle = webhooks::start(service.app.clone());
    create_comment(&service, "alice", "1").await;
    receiver.wait_for_request().await;
    handle.stop().await;
    assert_eq!(receiver.bodies(), ["1"]);
    let row = webhook_delivery::Entity::find()
        .one(service.app.db.reads())
        .await
        .unwrap()
        .unwrap();
    assert!(row.delivered_at.is_some());
}
