//! Redelivery, pausing, and deliveries while the clock jumps.

use forge::app::Settings;
use forge::webhooks;
use forge::webhooks::Dispatcher;
use poem::http::Method;
use serde_json::json;

use super::super::{expect_unknown_world, main_path, start};
use super::{create_branch, list, start_with_webhook};
use crate::harness::{Answer, Service};
use crate::review_comments::receiver::Receiver;

async fn put(service: &Service, path: &str, body: &str) -> Answer {
    let client = service.anonymous();
    client.send(Method::PUT, path, Some(body.into())).await
}

#[tokio::test]
async fn redeliver_202_sends_the_delivery_again() {
    let receiver = Receiver::start().await;
    let service = start_with_webhook(&receiver.url, Settings::default()).await;
    create_branch(&service).await;
    let dispatcher = Dispatcher::new(service.app.clone());
    dispatcher.round().await.unwrap();
    assert_eq!(receiver.take().len(), 2);
    let sent = list(&service, "?event=push&app=listener").await;
    let path = main_path(&format!("deliveries/{}/attempts", sent[0]["id"]));
    let again = service
        .anonymous()
        .post(&path, json!({}))
        .await
        .expect(202)
        .json();
    assert_eq!(again["guid"], sent[0]["guid"]);
    assert_eq!(
        (&again["redelivery"], &again["status"]),
        (&json!(true), &json!("pending"))
    );
    let same = service
        .anonymous()
        .post(&path, json!({}))
        .await
        .expect(202)
        .json();
    assert_eq!(same["id"], again["id"], "it is already pending");
    dispatcher.round().await.unwrap();
    assert_eq!(receiver.take().len(), 1);
}

#[tokio::test]
async fn redeliver_409_when_the_app_has_no_webhook_url() {
    let service = start_with_webhook("http://127.0.0.1:9/hook", Settings::default()).await;
    create_branch(&service).await;
    let recorded = list(&service, "?status=recorded&per_page=1").await;
    let path = main_path(&format!("deliveries/{}/attempts", recorded[0]["id"]));
    let refused = service.anonymous().post(&path, json!({})).await.expect(409);
    assert_eq!(refused.message(), "The app 'unhooked' has no webhook");
}

#[tokio::test]
async fn redeliver_404_when_it_does_not_exist() {
    let service = start().await;
    let path = main_path("deliveries/1/attempts");
    service.anonymous().post(&path, json!({})).await.expect(404);
}

#[tokio::test]
async fn set_delivery_settings_200_pauses_webhooks_until_they_are_resumed() {
    let receiver = Receiver::start().await;
    let service = start_with_webhook(&receiver.url, Settings::default()).await;
    let paused = put(&service, &main_path("delivery"), r#"{"paused": true}"#).await;
    assert_eq!(paused.expect(200).json(), json!({"paused": true}));
    let shown = service
        .anonymous()
        .get(&main_path("delivery"))
        .await
        .expect(200);
    assert_eq!(shown.json(), json!({"paused": true}));
    let dispatcher = webhooks::start(service.app.clone());
    create_branch(&service).await;
    let nothing = list(&service, "?status=delivered&wait=1").await;
    assert_eq!(nothing.len(), 0);
    assert_eq!(receiver.take().len(), 0);
    let resumed = put(&service, &main_path("delivery"), r#"{"paused": false}"#).await;
    resumed.expect(200);
    let sent = list(&service, "?status=delivered&wait=30").await;
    assert!(!sent.is_empty());
    dispatcher.stop().await;
}

#[tokio::test]
async fn get_delivery_settings_200_and_404() {
    let service = start().await;
    let shown = service
        .anonymous()
        .get(&main_path("delivery"))
        .await
        .expect(200);
    assert_eq!(shown.json(), json!({"paused": false}));
    let path = "/_forgewright/worlds/nowhere/delivery";
    expect_unknown_world(service.anonymous().get(path).await);
}

#[tokio::test]
async fn set_delivery_settings_400_404_and_422_for_an_invalid_body_or_an_unknown_world() {
    let service = start().await;
    put(&service, &main_path("delivery"), "paused")
        .await
        .expect(400);
    let path = "/_forgewright/worlds/nowhere/delivery";
    expect_unknown_world(put(&service, path, r#"{"paused": true}"#).await);
    for body in ["{}", r#"{"paused": "yes"}"#, r#"{"pause": true}"#] {
        put(&service, &main_path("delivery"), body)
            .await
            .expect(422);
    }
}

/// A dispatcher's claim on a delivery lasts a minute of the world's clock. A jump of the clock
/// must not end the claim of an attempt that is under way.
#[tokio::test]
async fn a_delivery_in_progress_is_not_sent_twice_when_the_clock_jumps() {
    let receiver = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", receiver.local_addr().unwrap());
    let service = start_with_webhook(&url, Settings::default()).await;
    let dispatcher = webhooks::start(service.app.clone());
    create_branch(&service).await;
    let (first, _) = receiver.accept().await.unwrap();
    let (second, _) = receiver.accept().await.unwrap();
    let body = json!({"advance": 3600});
    service
        .anonymous()
        .patch(&main_path("clock"), body)
        .await
        .expect(200);
    let third = tokio::time::timeout(std::time::Duration::from_secs(1), receiver.accept());
    assert!(third.await.is_err(), "a third connection");
    drop((first, second));
    let failed = list(&service, "?status=failed&wait=30").await;
    assert!(!failed.is_empty());
    dispatcher.stop().await;
}
