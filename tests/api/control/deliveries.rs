//! Webhooks as the control API shows them: also those that wait, and those of apps without
//! an address.

mod sending;

use forgewright::app::Settings;
use forgewright::notify::{self, Dispatcher};
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
    let path = main("deliveries?wait=61");
    let refused = service.anonymous().get(&path).await.expect(422).json();
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.ends_with("For 'wait', the value is not between 0 and 60."),
        "{message}"
    );
}

#[tokio::test]
async fn get_delivery_200_has_the_whole_payload() {
    let service = hooked("http://127.0.0.1:9/hook", Settings::default()).await;
    change(&service).await;
    let newest = listed(&service, "?per_page=1").await;
    let large = format!("{{\"long\": \"{}\"}}", "x".repeat(70_000));
    let sql = format!(
        "UPDATE webhook_delivery SET payload = '{large}' WHERE id = {}",
        newest[0]["id"]
    );
    service.execute(&sql).await;
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
