//! Webhooks as the control API shows them: also those that wait, and those of apps without
//! an address.

use forgewright::app::Settings;
use forgewright::notify::{self, Dispatcher};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use super::{expect_unknown_world, main, with};
use crate::harness::Service;
use crate::review_comments::receiver::Receiver;

const WORLD: &str = include_str!("../events/world.yaml");

/// A world whose app `listener` has its webhook at this address.
pub async fn hooked(url: &str, settings: Settings) -> Service {
    let address = "http://127.0.0.1:9/hook\", secret: hush";
    assert!(WORLD.contains(address));
    let world = WORLD.replace(address, &format!("{url}\", secret: hush"));
    with(&world, settings).await
}

/// Something that `listener` and `unhooked` are told of: a branch, so `create` and `push`.
pub async fn change(service: &Service) {
    let alice = service.as_("alice");
    let tip = alice.get("/repos/acme/gadgets/git/ref/heads/main").await;
    let sha = tip.expect(200).json()["object"]["sha"].clone();
    let body = json!({"ref": "refs/heads/new", "sha": sha});
    let answer = alice.post("/repos/acme/gadgets/git/refs", body).await;
    answer.expect(201);
}

async fn listed(service: &Service, query: &str) -> Vec<Value> {
    let path = main(&format!("deliveries{query}"));
    let answer = service.anonymous().get(&path).await.expect(200);
    answer.json().as_array().unwrap().clone()
}

fn names(deliveries: &[Value]) -> Vec<(&str, &str, &str)> {
    let names = deliveries.iter().map(|one| {
        (
            one["app"].as_str().unwrap(),
            one["event"].as_str().unwrap(),
            one["status"].as_str().unwrap(),
        )
    });
    names.collect()
}

async fn settings(service: &Service, body: &str) -> Value {
    let method = poem::http::Method::PUT;
    let path = main("delivery");
    let answer = service
        .anonymous()
        .send(method, &path, Some(body.into()))
        .await;
    answer.expect(200).json()
}

#[tokio::test]
async fn list_deliveries_200_shows_what_was_sent_and_answered() {
    let receiver = Receiver::start().await;
    receiver.answer(&["500 Oh no", "204 No Content"]);
    let service = hooked(&receiver.url, Settings::default()).await;
    assert_eq!(listed(&service, "").await, [] as [Value; 0]);
    change(&service).await;
    let waiting = listed(&service, "?app=Listener").await;
    let expected = [
        ("listener", "push", "pending"),
        ("listener", "create", "pending"),
    ];
    assert_eq!(names(&waiting), expected);
    assert_eq!(waiting[1]["request"]["headers"], Value::Null);
    assert_eq!(waiting[1]["response"], Value::Null);
    let dispatcher = Dispatcher::new(service.app.clone());
    dispatcher.round().await.unwrap();
    let failed = listed(&service, "?status=failed").await;
    let delivered = listed(&service, "?status=delivered").await;
    assert_eq!((failed.len(), delivered.len()), (1, 1));
    let one = &failed[0];
    assert_eq!(one["response"]["status"], 500, "{one}");
    assert_eq!(one["request"]["url"], receiver.url);
    let headers = &one["request"]["headers"];
    assert_eq!(headers["X-GitHub-Event"], one["event"], "{one}");
    assert!(headers["X-Hub-Signature-256"].is_string(), "{one}");
    assert_eq!(
        one["request"]["payload"]["repository"]["full_name"],
        "acme/gadgets"
    );
    assert!(
        one["duration_ms"].is_i64() && one["error"].is_string(),
        "{one}"
    );
    assert_eq!(delivered[0]["error"], Value::Null);
}

#[tokio::test]
async fn list_deliveries_200_records_those_of_apps_without_an_address() {
    let service = hooked("http://127.0.0.1:9/hook", Settings::default()).await;
    change(&service).await;
    let recorded = listed(&service, "?app=unhooked").await;
    let expected = [
        ("unhooked", "push", "recorded"),
        ("unhooked", "create", "recorded"),
    ];
    assert_eq!(names(&recorded), expected);
    assert_eq!(
        recorded[0]["request"]["payload"]["installation"]["id"],
        7004
    );
    assert_eq!(recorded[0]["request"]["url"], Value::Null);
    let round = Dispatcher::new(service.app.clone()).round().await.unwrap();
    assert_eq!(
        round.delivered + round.failed,
        2,
        "only those of the listener"
    );
    assert_eq!(listed(&service, "?status=recorded").await.len(), 2);
}

#[tokio::test]
async fn list_deliveries_200_filters_and_pages() {
    let service = hooked("http://127.0.0.1:9/hook", Settings::default()).await;
    change(&service).await;
    assert_eq!(listed(&service, "").await.len(), 4);
    assert_eq!(listed(&service, "?event=push").await.len(), 2);
    assert_eq!(listed(&service, "?event=push&app=listener").await.len(), 1);
    assert_eq!(listed(&service, "?action=opened").await.len(), 0);
    let newest = listed(&service, "?per_page=1").await;
    let id = newest[0]["id"].as_i64().unwrap();
    assert_eq!(listed(&service, &format!("?after={id}")).await.len(), 0);
    assert_eq!(listed(&service, &format!("?before={id}")).await.len(), 3);
    assert_eq!(
        listed(&service, &format!("?after={}", id - 2)).await.len(),
        2
    );
}

#[tokio::test]
async fn list_deliveries_200_waits_for_one_that_fits() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, Settings::default()).await;
    let dispatcher = notify::start(service.app.clone());
    let waiting = listed(&service, "?event=push&status=delivered&wait=30");
    let (found, ()) = tokio::join!(waiting, change(&service));
    assert_eq!(names(&found), [("listener", "push", "delivered")]);
    let begun = std::time::Instant::now();
    let nothing = listed(&service, "?event=ping&wait=1").await;
    assert_eq!(nothing, [] as [Value; 0]);
    assert!(begun.elapsed().as_millis() >= 1000);
    dispatcher.stop().await;
}

#[tokio::test]
async fn list_deliveries_404_for_a_world_that_is_not_there() {
    let service = super::start().await;
    let path = "/_forgewright/worlds/nowhere/deliveries";
    expect_unknown_world(service.anonymous().get(path).await);
}

#[tokio::test]
async fn list_deliveries_422_when_a_filter_makes_no_sense() {
    let service = super::start().await;
    for query in ["wait=61", "wait=-1", "wait=long", "status=lost", "after=x"] {
        let path = main(&format!("deliveries?{query}"));
        service.anonymous().get(&path).await.expect(422);
    }
}

#[tokio::test]
async fn get_delivery_200_has_the_whole_payload() {
    let service = hooked("http://127.0.0.1:9/hook", Settings::default()).await;
    change(&service).await;
    let newest = listed(&service, "?per_page=1").await;
    let large = format!("{{\"long\": \"{}\"}}", "x".repeat(70_000));
    let on = service.app.db.begin().await.unwrap();
    let sql = format!(
        "UPDATE webhook_delivery SET payload = '{large}' WHERE id = {}",
        newest[0]["id"]
    );
    on.execute_unprepared(&sql).await.unwrap();
    on.commit().await.unwrap();
    let newest = listed(&service, "?per_page=1").await;
    assert_eq!(newest[0]["request"]["payload"], Value::Null);
    let path = main(&format!("deliveries/{}", newest[0]["id"]));
    let whole = service.anonymous().get(&path).await.expect(200).json();
    let payload = &whole["request"]["payload"];
    assert_eq!(payload["long"].as_str().map(str::len), Some(70_000));
}

#[tokio::test]
async fn get_delivery_404_when_there_is_none() {
    let service = super::start().await;
    service
        .anonymous()
        .get(&main("deliveries/1"))
        .await
        .expect(404);
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
    let service = super::start().await;
    let path = main("deliveries/1/attempts");
    service.anonymous().post(&path, json!({})).await.expect(404);
}

#[tokio::test]
async fn set_delivery_settings_200_holds_webhooks_back_until_it_is_resumed() {
    let receiver = Receiver::start().await;
    let service = hooked(&receiver.url, Settings::default()).await;
    assert_eq!(
        settings(&service, r#"{"paused": true}"#).await,
        json!({"paused": true})
    );
    let shown = service.anonymous().get(&main("delivery")).await.expect(200);
    assert_eq!(shown.json(), json!({"paused": true}));
    let dispatcher = notify::start(service.app.clone());
    change(&service).await;
    let nothing = listed(&service, "?status=delivered&wait=1").await;
    assert_eq!(nothing.len(), 0);
    assert_eq!(receiver.take().len(), 0);
    settings(&service, r#"{"paused": false}"#).await;
    let sent = listed(&service, "?status=delivered&wait=30").await;
    assert!(!sent.is_empty());
    dispatcher.stop().await;
}

#[tokio::test]
async fn get_delivery_settings_200_and_404() {
    let service = super::start().await;
    let shown = service.anonymous().get(&main("delivery")).await.expect(200);
    assert_eq!(shown.json(), json!({"paused": false}));
    let path = "/_forgewright/worlds/nowhere/delivery";
    expect_unknown_world(service.anonymous().get(path).await);
}

#[tokio::test]
async fn set_delivery_settings_400_404_and_422_when_it_cannot_be_read() {
    let service = super::start().await;
    let put = async |path: &str, body: &str| {
        let method = poem::http::Method::PUT;
        service
            .anonymous()
            .send(method, path, Some(body.to_owned()))
            .await
    };
    put(&main("delivery"), "paused").await.expect(400);
    let path = "/_forgewright/worlds/nowhere/delivery";
    expect_unknown_world(put(path, r#"{"paused": true}"#).await);
    for body in ["{}", r#"{"paused": "yes"}"#, r#"{"pause": true}"#] {
        put(&main("delivery"), body).await.expect(422);
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
