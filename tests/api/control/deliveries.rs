//! Webhook deliveries in the control API, including pending ones and those of apps without a
//! webhook URL.

mod sending;

use forge::app::Settings;
use forge::webhooks;
use forge::webhooks::Dispatcher;
use serde_json::{Value, json};

use super::{expect_unknown_world, main_path, with};
use crate::harness::Service;
use crate::review_comments::receiver::Receiver;

const WORLD: &str = include_str!("../events/world.yaml");

/// A service whose app `listener` has its webhook at this URL.
pub async fn start_with_webhook(url: &str, settings: Settings) -> Service {
    let address = "http://127.0.0.1:9/hook\", secret: hush";
    assert!(WORLD.contains(address));
    let world = WORLD.replace(address, &format!("{url}\", secret: hush"));
    with(&world, settings).await
}

/// Creates a branch, which queues `create` and `push` for `listener` and `unhooked`.
pub async fn create_branch(service: &Service) {
    let alice = service.as_("alice");
    let tip = alice.get("/repos/acme/gadgets/git/ref/heads/main").await;
    let sha = tip.expect(200).json()["object"]["sha"].clone();
    let body = json!({"ref": "refs/heads/new", "sha": sha});
    let answer = alice.post("/repos/acme/gadgets/git/refs", body).await;
    answer.expect(201);
}

async fn list(service: &Service, query: &str) -> Vec<Value> {
    let path = main_path(&format!("deliveries{query}"));
    let answer = service.anonymous().get(&path).await.expect(200);
    answer.json().as_array().unwrap().clone()
}

fn names(deliveries: &[Value]) -> Vec<(&str, &str, &str)> {
    let names = deliveries.iter().map(|delivery| {
        (
            delivery["app"].as_str().unwrap(),
            delivery["event"].as_str().unwrap(),
            delivery["status"].as_str().unwrap(),
        )
    });
    names.collect()
}

#[tokio::test]
async fn list_deliveries_200_shows_requests_and_responses() {
    let receiver = Receiver::start().await;
    receiver.answer(&["500 Oh no", "204 No Content"]);
    let service = start_with_webhook(&receiver.url, Settings::default()).await;
    assert_eq!(list(&service, "").await, [] as [Value; 0]);
    create_branch(&service).await;
    let waiting = list(&service, "?app=Listener").await;
    let expected = [
        ("listener", "push", "pending"),
        ("listener", "create", "pending"),
    ];
    assert_eq!(names(&waiting), expected);
    assert_eq!(waiting[1]["request"]["headers"], Value::Null);
    assert_eq!(waiting[1]["response"], Value::Null);
    let dispatcher = Dispatcher::new(service.app.clone());
    dispatcher.round().await.unwrap();
    let failed = list(&service, "?status=failed").await;
    let delivered = list(&service, "?status=delivered").await;
    assert_eq!((failed.len(), delivered.len()), (1, 1));
    let first = &failed[0];
    assert_eq!(first["response"]["status"], 500, "{first}");
    assert_eq!(first["request"]["url"], receiver.url);
    let headers = &first["request"]["headers"];
    assert_eq!(headers["X-GitHub-Event"], first["event"], "{first}");
    assert!(headers["X-Hub-Signature-256"].is_string(), "{first}");
    assert_eq!(
        first["request"]["payload"]["repository"]["full_name"],
        "acme/gadgets"
    );
    assert!(
        first["duration_ms"].is_i64() && first["error"].is_string(),
        "{first}"
    );
    assert_eq!(delivered[0]["error"], Value::Null);
}

#[tokio::test]
async fn list_deliveries_200_records_deliveries_of_apps_without_a_webhook_url() {
    let service = start_with_webhook("http://127.0.0.1:9/hook", Settings::default()).await;
    create_branch(&service).await;
    let recorded = list(&service, "?app=unhooked").await;
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
        "only those of `listener`"
    );
    assert_eq!(list(&service, "?status=recorded").await.len(), 2);
}

#[tokio::test]
async fn list_deliveries_200_filters_and_pages() {
    let service = start_with_webhook("http://127.0.0.1:9/hook", Settings::default()).await;
    create_branch(&service).await;
    assert_eq!(list(&service, "").await.len(), 4);
    assert_eq!(list(&service, "?event=push").await.len(), 2);
    let path = main_path("deliveries?event=pussh");
    let refused = service.anonymous().get(&path).await.expect(422).json();
    let message = refused["errors"][0]["message"].as_str().unwrap();
    assert_eq!(
        message,
        "This server sends no event 'pussh'; did you mean `push`?"
    );
    assert_eq!(list(&service, "?event=push&app=listener").await.len(), 1);
    assert_eq!(list(&service, "?action=opened").await.len(), 0);
    let newest = list(&service, "?per_page=1").await;
    let id = newest[0]["id"].as_i64().unwrap();
    assert_eq!(list(&service, &format!("?after={id}")).await.len(), 0);
    assert_eq!(list(&service, &format!("?before={id}")).await.len(), 3);
    assert_eq!(list(&service, &format!("?after={}", id - 2)).await.len(), 2);
}

#[tokio::test]
async fn list_deliveries_200_waits_for_a_matching_delivery() {
    let receiver = Receiver::start().await;
    let service = start_with_webhook(&receiver.url, Settings::default()).await;
    let dispatcher = webhooks::start(service.app.clone());
    let waiting = list(&service, "?event=push&status=delivered&wait=30");
    let (found, ()) = tokio::join!(waiting, create_branch(&service));
    assert_eq!(names(&found), [("listener", "push", "delivered")]);
    let started = std::time::Instant::now();
    let nothing = list(&service, "?event=ping&wait=1").await;
    assert_eq!(nothing, [] as [Value; 0]);
    assert!(started.elapsed().as_millis() >= 1000);
    dispatcher.stop().await;
}

#[tokio::test]
async fn list_deliveries_404_for_an_unknown_world() {
    let service = super::start().await;
    let path = "/_forgewright/worlds/nowhere/deliveries";
    expect_unknown_world(service.anonymous().get(path).await);
}

#[tokio::test]
async fn list_deliveries_422_when_a_filter_is_invalid() {
    let service = super::start().await;
    for query in ["wait=61", "wait=-1", "wait=long", "status=lost", "after=x"] {
        let path = main_path(&format!("deliveries?{query}"));
        service.anonymous().get(&path).await.expect(422);
    }
    let path = main_path("deliveries?wait=61");
    let refused = service.anonymous().get(&path).await.expect(422).json();
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.ends_with("For 'wait', the value is not between 0 and 60."),
        "{message}"
    );
}

#[tokio::test]
async fn get_delivery_200_with_the_whole_payload() {
    let service = start_with_webhook("http://127.0.0.1:9/hook", Settings::default()).await;
    create_branch(&service).await;
    let newest = list(&service, "?per_page=1").await;
    let large = format!("{{\"long\": \"{}\"}}", "x".repeat(70_000));
    let sql = format!(
        "UPDATE webhook_delivery SET payload = '{large}' WHERE id = {}",
        newest[0]["id"]
    );
    service.execute(&sql).await;
    let newest = list(&service, "?per_page=1").await;
    assert_eq!(newest[0]["request"]["payload"], Value::Null);
    let path = main_path(&format!("deliveries/{}", newest[0]["id"]));
    let whole = service.anonymous().get(&path).await.expect(200).json();
    let payload = &whole["request"]["payload"];
    assert_eq!(payload["long"].as_str().map(str::len), Some(70_000));
}

#[tokio::test]
async fn get_delivery_404_when_it_does_not_exist() {
    let service = super::start().await;
    service
        .anonymous()
        .get(&main_path("deliveries/1"))
        .await
        .expect(404);
}
