//! Webhooks that are sent again, held back, and sent while the clock leaps.

use forgewright::app::Settings;
use forgewright::notify::{self, Dispatcher};
use poem::http::Method;
use serde_json::json;

use super::super::{expect_unknown_world, main, start};
use super::{change, hooked, listed};
use crate::harness::{Answer, Service};
use crate::review_comments::receiver::Receiver;

async fn put(service: &Service, path: &str, body: &str) -> Answer {
    let speaker = service.anonymous();
    speaker.send(Method::PUT, path, Some(body.into())).await
}

#[tokio::test]
async fn redeliver_202_sends_it_again_to_where_the_app_wants_it() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, Settings::default()).await;
    change(&service).await;
    let dispatcher = Dispatcher::new(service.app.clone());
    dispatcher.round().await.unwrap();
    assert_eq!(receiver.take().len(), 2);
    let sent = listed(&service, "?event=push&app=listener").await;
    let path = main(&format!("deliveries/{}/attempts", sent[0]["id"]));
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
    assert_eq!(same["id"], again["id"], "it waits already");
    dispatcher.round().await.unwrap();
    assert_eq!(receiver.take().len(), 1);
}

#[tokio::test]
async fn redeliver_409_when_the_app_has_no_address() {
    let service = hooked("http://127.0.0.1:9/hook", Settings::default()).await;
    change(&service).await;
    let recorded = listed(&service, "?status=recorded&per_page=1").await;
    let path = main(&format!("deliveries/{}/attempts", recorded[0]["id"]));
    let refused = service.anonymous().post(&path, json!({})).await.expect(409);
    assert_eq!(
        refused.message(),
        "The app 'unhooked' has no webhook to send it to"
    );
}

#[tokio::test]
async fn redeliver_404_when_there_is_none() {
    let service = start().await;
    let path = main("deliveries/1/attempts");
    service.anonymous().post(&path, json!({})).await.expect(404);
}

#[tokio::test]
async fn set_delivery_settings_200_holds_webhooks_back_until_it_is_resumed() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, Settings::default()).await;
    let paused = put(&service, &main("delivery"), r#"{"paused": true}"#).await;
    assert_eq!(paused.expect(200).json(), json!({"paused": true}));
    let shown = service.anonymous().get(&main("delivery")).await.expect(200);
    assert_eq!(shown.json(), json!({"paused": true}));
    let dispatcher = notify::start(service.app.clone());
    change(&service).await;
    let nothing = listed(&service, "?status=delivered&wait=1").await;
    assert_eq!(nothing.len(), 0);
    assert_eq!(receiver.take().len(), 0);
    let resumed = put(&service, &main("delivery"), r#"{"paused": false}"#).await;
    resumed.expect(200);
    let sent = listed(&service, "?status=delivered&wait=30").await;
    assert!(!sent.is_empty());
    dispatcher.stop().await;
}

#[tokio::test]
async fn get_delivery_settings_200_and_404() {
    let service = start().await;
    let shown = service.anonymous().get(&main("delivery")).await.expect(200);
    assert_eq!(shown.json(), json!({"paused": false}));
    let path = "/_forgewright/worlds/nowhere/delivery";
    expect_unknown_world(service.anonymous().get(path).await);
}

#[tokio::test]
async fn set_delivery_settings_400_404_and_422_when_it_cannot_be_read() {
    let service = start().await;
    put(&service, &main("delivery"), "paused").await.expect(400);
    let path = "/_forgewright/worlds/nowhere/delivery";
    expect_unknown_world(put(&service, path, r#"{"paused": true}"#).await);
    for body in ["{}", r#"{"paused": "yes"}"#, r#"{"pause": true}"#] {
        put(&service, &main("delivery"), body).await.expect(422);
    }
}

/// A claim lasts a minute by the clock of the world, and an attempt may be under way.
#[tokio::test]
async fn a_delivery_in_progress_is_not_sent_twice_when_the_clock_leaps() {
    let receiver = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", receiver.local_addr().unwrap());
    let service = hooked(&url, Settings::default()).await;
    let dispatcher = notify::start(service.app.clone());
    change(&service).await;
    let (first, _) = receiver.accept().await.unwrap();
    let (second, _) = receiver.accept().await.unwrap();
    let body = json!({"advance": 3600});
    service
        .anonymous()
        .patch(&main("clock"), body)
        .await
        .expect(200);
    let third = tokio::time::timeout(std::time::Duration::from_secs(1), receiver.accept());
    assert!(third.await.is_err(), "a third connection");
    drop((first, second));
    let failed = listed(&service, "?status=failed&wait=30").await;
    assert!(!failed.is_empty());
    dispatcher.stop().await;
}
